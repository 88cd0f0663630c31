"""Signals to the worker: after the commit, collected, and no caller waits for Redis."""

import threading
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from service.accounts.sign_in import ask_to_sign_in
from service.core.worker_signal import set_waker, wake
from service.db.session import db, transact
from tests.servers import redis
from tests.servers.redis import RedisServer
from tests.servers.tree import until
from tests.support.site import Site, settings_for
from worker.schedule import QUEUES, woken_jobs
from worker.wakeup import FIRST_BACK_OFF, MOST_BACK_OFF, SEND_SECONDS, Waker, waker_for


class Heard:
    """Keeps what it is told."""

    def __init__(self, site: Site) -> None:
        self.calls: list[set[str]] = []
        set_waker(site.app, self)

    def __call__(self, queues: Collection[str]) -> None:
        self.calls.append(set(queues))


def test_a_move_wakes_once_after_its_commit(site: Site) -> None:
    heard = Heard(site)
    (alice,) = site.people("Alice")
    game_id = site.game_of(alice, bots=1)
    heard.calls.clear()
    assert alice.plays(game_id).status_code == 200
    assert heard.calls == [{"mail", "webhooks"}], "the bot was asked at the same time as Alice"
    heard.calls.clear()
    site.let_bots_play()
    assert alice.plays(game_id).status_code == 200
    assert any("bots" in call for call in heard.calls)


def test_a_letter_and_a_resignation_wake(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    heard = Heard(site)
    site.stranger.post("/v1/sign-ins", {"email": "carol@example.org"})
    alice.post(f"/v1/games/{game_id}/resign", {})
    assert heard.calls == [{"mail"}, {"bots", "mail", "webhooks"}]


def test_a_change_without_effect_sends_no_wakeup(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    heard = Heard(site)
    alice.sees(game_id)
    assert alice.put(f"/v1/games/{game_id}/note", {"text": "hm"}).status_code == 200
    assert (
        alice.post(f"/v1/games/{game_id}/moves", {"decision": "x", "text": "1"}).status_code > 399
    )
    assert heard.calls == []


def test_a_rolled_back_transaction_sends_no_wakeup(any_site: Site) -> None:
    heard = Heard(any_site)

    def fail() -> None:
        ask_to_sign_in("carol@example.org", any_site.clock())
        assert heard.calls == [], "not before the commit"
        raise RuntimeError("changed my mind")

    with any_site.app.app_context():
        with pytest.raises(RuntimeError):
            transact(fail)
        assert heard.calls == []
        transact(lambda: ask_to_sign_in("carol@example.org", any_site.clock()))
        assert heard.calls == [{"mail"}]
        wake("bots")
        assert heard.calls == [{"mail"}, {"bots"}]
        db.session.remove()


class Line:
    """A way to the workers that works, or not; and the waits of the thread that uses it."""

    def __init__(self) -> None:
        self.broken = False
        self.sent: list[str] = []
        self.tried = 0

    def __call__(self, queue: str) -> None:
        self.tried += 1
        if self.broken:
            raise OSError("away")
        self.sent.append(queue)


def gathered(waker: Waker, *queues: str) -> None:
    """As a request would, but without the thread."""
    waker.wanted.update(queues)


def test_wakeups_are_combined_by_kind() -> None:
    line = Line()
    waker = Waker(line)
    for _ in range(100):
        gathered(waker, "bots", "mail")
    assert waker.send_pending() == SEND_SECONDS
    assert sorted(line.sent) == ["bots", "mail"]
    assert waker.send_pending() == SEND_SECONDS
    assert len(line.sent) == 2


def test_it_backs_off_while_redis_is_away_and_logs_it_once() -> None:
    line = Line()
    waker, line.broken = Waker(line), True
    with capture_logs() as logs:
        waits = []
        for _ in range(8):
            gathered(waker, "bots", "mail")
            waits.append(waker.send_pending())
        assert line.tried == 8, "one failure is enough to know"
        line.broken = False
        gathered(waker, "bots")
        assert waker.send_pending() == SEND_SECONDS
    assert waits[:3] == [FIRST_BACK_OFF, 2 * FIRST_BACK_OFF, 4 * FIRST_BACK_OFF]
    assert waits[-1] == MOST_BACK_OFF
    assert line.sent == ["bots"]
    assert [line["event"] for line in logs] == ["worker_not_woken"]


def test_the_wakeup_does_not_wait_for_the_broker() -> None:
    go_on, sending = threading.Event(), threading.Event()
    sent: list[str] = []

    def slow(queue: str) -> None:
        sending.set()
        assert go_on.wait(20)
        sent.append(queue)

    waker = Waker(slow, wait=lambda _: None)
    waker(["bots"])
    assert sending.wait(20)
    before = threading.active_count()
    for _ in range(1000):
        waker(["bots"])  # would never end if it waited
    assert threading.active_count() == before
    assert sent == []
    go_on.set()
    until(lambda: sent == ["bots", "bots"], "what was wanted meanwhile")


def lengths(url: str) -> Callable[[], dict[str, int]]:
    def found() -> dict[str, int]:
        with redis.connection(url) as client:
            return {queue: int(client.llen(queue)) for queue in QUEUES}

    return found


def test_messages_arrive_also_after_redis_was_away(own_redis: RedisServer) -> None:
    waker = waker_for(settings_for(Path("unused"), "sqlite://", redis_url=own_redis.url))
    waker.wait = lambda seconds: threading.Event().wait(min(seconds, 0.01))
    found = lengths(own_redis.url)
    waker(["bots", "mail"])
    expected = (1, len(woken_jobs("mail")))  # there are several jobs for mail
    until(lambda: (found()["bots"], found()["mail"]) == expected, "the first messages")
    own_redis.kill()
    with capture_logs():
        waker(["webhooks"])
        until(lambda: waker.back_off > 0, "a failure")
        own_redis.start()
        waker(["bots"])
        until(lambda: found()["bots"] == 2, "a message after the failure")
    assert found()["webhooks"] == 0, "the schedule makes up for it"
