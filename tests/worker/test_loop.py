"""The worker: everything that has to happen while nobody is calling."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from engine.verify import verify
from service.chores import waiting_for_bots
from service.database import db, transact
from service.models import Decision, KeptAnswer, SignIn
from service.people import ask_to_sign_in
from service.play import answer_for_absent
from tests.service.support.house import FIRST_GAME, House
from worker import duties
from worker.duties import Asked, Duty
from worker.loop import IDLE, LONGEST_REST, Lane, run, run_once

ROOT = Path(__file__).parents[2]


class Never:
    """Nobody asks to stop."""

    asked = False

    def wait(self, seconds: float) -> bool:
        raise AssertionError("one round does not wait")


class After:
    """Asked to stop at the so-manieth wait; keeps how long the waits would have been."""

    def __init__(self, waits: int) -> None:
        self.left, self.waited = waits, list[float]()

    @property
    def asked(self) -> bool:
        return self.left <= 0

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        self.left -= 1
        return self.asked


class Ticking:
    """A clock of seconds that a test moves."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def count(house: House, model: type) -> int:
    with house.app.app_context():
        return db.session.execute(select(func.count()).select_from(model)).scalar_one()


def test_bots_answer_until_it_is_a_persons_turn(house: House) -> None:
    (alice,) = house.people("Alice")
    game_id = house.game_of(alice, bots=2)
    alice.plays(game_id)
    done, well = run_once(house.app, Never())
    assert well
    assert done > 0
    assert alice.sees(game_id)["decision"]["revising"] is False
    assert run_once(house.app, Never()) == (0, True)


def test_a_decision_is_answered_when_its_time_is_up_and_not_before(house: House) -> None:
    alice, bob = house.people("Alice", "Bob")
    game_id = house.game_of(alice, bob, clock={"kind": "flat", "hours": 24})
    first = alice.sees(game_id)["decision"]["id"]
    house.clock.advance(hours=23)
    assert run_once(house.app, Never()) == (0, True)
    house.clock.advance(hours=1)
    assert run_once(house.app, Never()) == (2, True)
    with house.app.app_context():
        answered = db.session.get_one(Decision, (game_id, first))
        assert answered.closed_at == house.clock()
        assert answered.via == "timeout"


def test_a_game_that_cannot_go_on_stops_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = house.people("Alice", "Bob")
    broken, sound = house.game_of(alice, bots=1), house.game_of(bob, bots=1)
    tried: list[str] = []

    def sometimes(game_id: str, *rest: object) -> object:
        tried.append(game_id)
        if game_id == broken:
            raise RuntimeError("a bot that cannot think")
        return answer_for_absent(game_id, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(duties, "answer_for_absent", sometimes)
    clock = Ticking()
    bots = duties.Answering(lambda _, most: waiting_for_bots(most), clock)
    with house.app.app_context(), capture_logs() as logs:
        assert bots(lambda: False) == 1
        assert tried.count(broken) == 1
        assert sound in tried
        assert bots(lambda: False) == 0
        assert tried.count(broken) == 1, "it rests"
        clock.at += duties.REST
        bots(lambda: False)
        assert tried.count(broken) == 2
    assert [line["event"] for line in logs] == ["not_answered", "not_answered"]


def test_a_duty_that_fails_rests_longer_each_time_and_the_others_go_on(house: House) -> None:
    clock, done = Ticking(), list[str]()

    def fail(_: Asked) -> int:
        done.append("bad")
        raise RuntimeError("not today")

    def work(_: Asked) -> int:
        done.append("good")
        return 1

    lane = Lane(house.app, [Duty("bad", fail), Duty("good", work)], Never(), clock)
    with capture_logs() as logs:
        assert lane.round() == 1
        assert lane.round() == 1
        assert done == ["bad", "good", "good"]
        rests = []
        for _ in range(8):
            rests.append(lane.next["bad"] - clock.at)
            clock.at = lane.next["bad"]
            lane.round()
    assert rests[:3] == [2.0, 4.0, 8.0]
    assert rests[-1] == LONGEST_REST
    assert {line["event"] for line in logs} == {"duty_failed"}


def test_some_duties_are_done_only_now_and_then(house: House) -> None:
    clock, done = Ticking(), list[float]()

    def note(_: Asked) -> int:
        done.append(clock.at)
        return 0

    lane = Lane(house.app, [Duty("rare", note, every=60.0)], Never(), clock)
    for clock.at in (0.0, 30.0, 59.0, 60.0, 61.0):
        lane.round()
    assert done == [0.0, 60.0]


def test_it_looks_often_while_there_is_something_to_do_and_calmly_else(house: House) -> None:
    found = iter([1, 1, 0, 0, 0, 1])
    stopping = After(6)
    Lane(house.app, [Duty("some", lambda _: next(found))], stopping).run()
    assert stopping.waited == [0.25, 0.25, 0.5, IDLE, IDLE, 0.25]


def test_it_stops_after_the_duty_it_is_at(house: House) -> None:
    stopping, done = After(1), list[str]()

    def work(name: str) -> Callable[[Asked], int]:
        def do(stop: Asked) -> int:
            done.append(name)
            stopping.left = 0
            assert stop()
            return 1

        return do

    lane = Lane(house.app, [Duty("one", work("one")), Duty("two", work("two"))], stopping)
    lane.run()
    assert done == ["one"]


def test_all_threads_end_when_asked_to(house: House) -> None:
    class Stopping:
        def __init__(self) -> None:
            self.event = threading.Event()

        @property
        def asked(self) -> bool:
            return self.event.is_set()

        def wait(self, seconds: float) -> bool:
            return self.event.wait(seconds)

    (alice,) = house.people("Alice")
    game_id = house.game_of(alice, bots=1)
    alice.plays(game_id)
    stopping = Stopping()
    before = threading.active_count()
    worker = threading.Thread(target=run, args=(house.app, stopping))
    worker.start()
    told = alice.get("/v1/events?after=3&wait=20").json
    stopping.event.set()
    worker.join(20)
    assert not worker.is_alive()
    assert threading.active_count() == before
    assert told is not None
    assert told["items"], "the bot answered and Alice was asked"


def test_what_nobody_needs_any_more_is_forgotten(house: House) -> None:
    (alice,) = house.people("Alice")
    wanted = {"game": FIRST_GAME, "seats": 2}
    made = alice.post("/v1/games", wanted, headers={"Idempotency-Key": "k"})
    assert made.status_code == 201
    with house.app.app_context():
        transact(lambda: ask_to_sign_in("bob@example.org", house.clock()))
    run_once(house.app, Never())
    assert (count(house, KeptAnswer), count(house, SignIn)) == (1, 1)
    house.clock.advance(days=1, seconds=1)
    run_once(house.app, Never())
    assert (count(house, KeptAnswer), count(house, SignIn)) == (0, 1)
    house.clock.advance(days=6)
    run_once(house.app, Never())
    assert count(house, SignIn) == 0
    assert len(house.letters()) == 1
    house.clock.at += timedelta(days=30)
    run_once(house.app, Never())
    assert house.letters() == []


def test_it_leaves_a_sign_of_life(house: House) -> None:
    run_once(house.app, Never())
    assert (house.settings.data / duties.HEARTBEAT).read_text() == "2026-03-02T12:00:00+00:00\n"


def test_two_workers_answer_every_decision_exactly_once(house: House) -> None:
    """Two processes on one file, and a game that only bots play."""
    (alice,) = house.people("Alice")
    game_id = house.game_of(alice, bots=2)
    assert alice.post(f"/v1/games/{game_id}/resign", {}).status_code == 204
    env = {
        **os.environ,
        "LAGUNA_DATA": str(house.settings.data),
        "LAGUNA_DATABASE_URL": house.settings.database_url,
        "LAGUNA_LOG_LEVEL": "warning",
    }
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "service.cli", "work", "--once"],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], said
    assert [errors for _, errors in said] == ["", ""]
    answered = sum(int(out.split()[0]) for out, _ in said)
    # The first one to find nothing ends; then the other plays alone. Together they did it all.
    assert alice.sees(game_id)["status"] == "finished"
    assert answered == count(house, Decision)
    record = alice.get(f"/v1/games/{game_id}/record").text.splitlines()
    assert verify(record).outcome is not None
