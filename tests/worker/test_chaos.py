"""Whatever process dies: nothing is lost, nothing is done twice, and moves are still accepted."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select

from service.db.migrations import upgrade
from service.db.models import Decision, Letter
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.servers.tree import PATIENCE, runs, until
from tests.worker.running_site import RunningSite
from tests.worker.sink import TAKEN, Sink
from worker.schedule import DEADLINES, MAIL, jobs_of

pytestmark = pytest.mark.long

TEMPORARY, PERMANENT = "451 not now", "550 unknown here"
MAILING = ("work", "--queues", MAIL, "--concurrency", "2")
DEADLINES_AND_MAIL = ("work", "--queues", f"{DEADLINES},{MAIL}", "--concurrency", "3")


@pytest.fixture
def running_site(tmp_path: Path, postgresql_url: str, fresh_redis: str) -> Iterator[RunningSite]:
    with RunningSite(tmp_path, postgresql_url, fresh_redis) as running_site:
        yield running_site


def test_workers_that_are_killed_before_while_and_after_they_send(
    running_site: RunningSite,
) -> None:
    """The mail that was being sent may come twice, as one and the same; no other does."""
    running_site.letters("anna", "bruno", "carla")
    hold = running_site.sink.hold("RCPT")
    worker, beat = running_site.start(*MAILING), running_site.start("beat")
    for following in ("DATA", "TAKEN"):
        assert hold.reached.wait(PATIENCE), hold.command
        for child in worker.tree.children():
            child.kill()  # the worker replaces it, and does again what it was at
        hold.over.set()
        hold = running_site.sink.hold(following)  # before anything is due again
        running_site.time_passes()
    assert hold.reached.wait(PATIENCE), hold.command
    children = worker.tree.children()
    worker.kill_head()
    until(lambda: not any(map(runs, children)), "the end of the whole worker")
    hold.over.set()
    running_site.time_passes()
    repeated = set(running_site.sink.ids)
    running_site.letters("dario")
    running_site.wake("mail")
    running_site.start(*MAILING)
    running_site.until_mailed("anna", "bruno", "carla", "dario")
    running_site.until_done()
    assert len(repeated) == 1
    running_site.check(repeated)
    assert beat.stop() == 0
    assert [line["event"] for line in beat.said()] == ["beat_started", "beat_stopped"]


def test_beats_that_are_killed_and_two_at_once(running_site: RunningSite) -> None:
    running_site.overdue_games(4)
    running_site.letters("anna")
    worker = running_site.start(*DEADLINES_AND_MAIL)
    first, second = running_site.start("beat"), running_site.start("beat")
    running_site.until_done()
    first.kill()
    running_site.letters("bruno")
    running_site.until_mailed("bruno")
    second.kill()
    running_site.letters("carla")
    running_site.start("beat")
    running_site.until_mailed("carla")
    running_site.until_done()
    running_site.check()
    assert worker.stop() == 0
    assert not [line for line in worker.said() if line["level"] in ("error", "critical")]


def test_redis_is_killed_comes_back_empty_and_falls_silent(
    tmp_path: Path, postgresql_url: str, own_redis: RedisServer
) -> None:
    with RunningSite(tmp_path, postgresql_url, own_redis.url) as running_site:
        (alice,) = running_site.site.people("Alice")
        game_id = running_site.site.game_of(alice, bots=1)
        worker = running_site.start("work", "--queues", "bots,mail", "--concurrency", "1")
        beat, web = running_site.start("beat"), running_site.web()

        def until_bots_answered() -> None:
            of_bots = Decision.person_id.is_(None) & Decision.closed_at.is_(None)
            until(lambda: running_site.count(of_bots) == 0, "the bots' answers")

        until_bots_answered()
        hold = running_site.sink.hold("RCPT")
        running_site.letters("anna")
        running_site.wake("mail")
        assert hold.reached.wait(PATIENCE)
        own_redis.kill()
        running_site.plays(alice, game_id)
        hold.over.set()
        # What the worker was at is done, and it cannot tell Redis that it is.
        until(lambda: worker.has_said("celery.worker.request"), "a lost acknowledgement")
        running_site.letters("bruno")
        for file in own_redis.home.glob("*.aof"):
            file.unlink()
        own_redis.start()
        until_bots_answered()
        running_site.until_mailed("anna", "bruno")
        assert worker.has_said("acknowledgements_lost")

        own_redis.pause()
        running_site.plays(alice, game_id)
        running_site.letters("carla")
        until(lambda: beat.has_said("broker_away"), "a beat that does not hang")
        own_redis.resume()
        until_bots_answered()
        running_site.until_mailed("carla")
        running_site.until_done()
        running_site.check()
        for process in (worker, beat, web):
            assert process.stop() == 0


def test_postgres_is_killed_and_comes_back(
    tmp_path: Path, own_postgres: PostgresServer, fresh_redis: str
) -> None:
    engine = create_engine(own_postgres.url)
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    with RunningSite(tmp_path, own_postgres.url, fresh_redis) as running_site:
        running_site.overdue_games(12)
        running_site.letters("anna", "bruno", "carla", "dario", "emma", "fabio")
        hold = running_site.sink.hold("TAKEN")
        worker = running_site.start(*DEADLINES_AND_MAIL)
        running_site.start("beat")
        until(lambda: running_site.count(Decision.closed_at.is_not(None)) > 0, "the first answers")
        assert hold.reached.wait(PATIENCE)
        own_postgres.kill()
        in_flight = list(running_site.sink.ids)
        assert len(in_flight) == 1
        hold.over.set()
        until(lambda: worker.has_said("job_failed"), "a round that fails")
        own_postgres.start()
        running_site.start("beat")  # so that nobody waits for the next round of the first
        running_site.time_passes(others_live=True)  # a live worker keeps its lease over the outage
        running_site.until_done()
        running_site.check(repeated=in_flight)
        failures = [line for line in worker.said() if line["event"] == "job_failed"]
        jobs = {job.name for job in jobs_of([DEADLINES, MAIL])}
        assert {line["job"] for line in failures} <= jobs
        assert not [line for line in failures if "exception" in line], "no values in the log"
        assert worker.stop() == 0


def test_a_mail_server_that_refuses_delays_and_hangs_up(tmp_path: Path, sqlite_url: str) -> None:
    """Here with one process that needs no Redis, and is killed once more."""
    with RunningSite(tmp_path, sqlite_url, None) as running_site:
        names = ("anna", "bruno", "carla", "dario", "emma")
        running_site.letters(*names)
        refused = [TEMPORARY, PERMANENT, Sink.CLOSE, TAKEN, Sink.CLOSE, TEMPORARY]
        running_site.sink.answers = list(refused)
        hold = running_site.sink.hold("DATA")  # slow: nothing happens for a while
        worker = running_site.start("work")
        assert hold.reached.wait(PATIENCE)
        hold.over.set()

        def progress() -> bool:
            running_site.time_passes(others_live=True)
            return len(running_site.sink.given) >= len(refused)

        until(progress, "every kind of answer")
        worker.kill()
        running_site.time_passes()
        running_site.start("work")
        until(lambda: len({mail.to for mail in running_site.sink.mails}) == 4, "all mails but one")
        until(running_site.all_done, "nothing waits")
        states = Counter(row.state for row in running_site.query(select(Letter.state)))
        assert states == {"sent": 4, "dead": 1}
        assert running_site.sink.given.count(PERMANENT) == 1, (
            "who is unknown is not asked for again"
        )
        again = len(running_site.sink.mails) - 4
        assert again <= 1, "only what was being sent when it was killed may come again"
