"""The sweep of overdue decisions: no time is lost between rounds, and processes share the work."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.core.time_control import GRACE
from service.db.models import Decision, Game, Move
from service.db.session import db
from service.games.deadlines import TAKEN, Waiting, attempt_each, overdue, resume_paused
from tests.servers.tree import until
from tests.support.house import House, settings_for
from tests.worker.support import Ticking, do_everything, never
from tests.worker.town import Town
from worker.job_run import LONGEST, Asked, Rounds
from worker.jobs import DECISIONS_AT_ONCE, Answering
from worker.schedule import JOBS, Job, job_named

# The worker's command with rounds that are soon cut short.
SHORT_ROUNDS = """
import sys
from worker import rounds
rounds.LONGEST = 0.05
from service.cli import main
sys.exit(main(sys.argv[1:]))
"""
A_DAY = {"kind": "flat", "hours": 24}


def overdue_games(house: House, games: int) -> None:
    for number in range(games):
        house.game_of(*house.people(f"Alice{number}", f"Ben{number}"), clock=A_DAY)
    house.clock.advance(hours=24, seconds=GRACE.total_seconds())


def test_a_round_that_was_cut_short_is_followed_at_once(
    tmp_path: Path, postgresql_url: str, fresh_redis: str
) -> None:
    """One message and no timetable: the rounds ask for each other until nothing is left."""
    with Town(tmp_path, postgresql_url, fresh_redis) as town:
        town.overdue_games(20)
        town.start("work", "--queues", "deadlines", program=("-c", SHORT_ROUNDS))
        town.celery.send_task("laguna.deadlines", queue="deadlines", ignore_result=True)
        late = Decision.closed_at.is_(None) & Decision.id.in_(
            decision for _, decision in town.open_before
        )
        until(lambda: town.count(late) == 0, "every decision answered", 60)
        town._check_games()


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_job_asks_for_another_round_when_its_time_is_up(house: House, job: Job) -> None:
    clock, asked = Ticking(), list[Job]()

    def work(stop: Asked) -> int:
        while not stop():
            clock.at += LONGEST / 2
        return 1

    cut = Rounds(house.app, {job.name: work}, never, clock, asked.append)
    assert cut.do(job) == 1
    assert asked == [job]
    whole = Rounds(house.app, {job.name: lambda _: 1}, never, clock, asked.append)
    assert whole.do(job) == 1
    assert asked == [job], "nothing was left"
    stopped = Rounds(house.app, {job.name: work}, iter([False, True]).__next__, clock, asked.append)
    assert stopped.do(job) == 1
    assert asked == [job], "a worker that ends asks for nothing"


def test_everything_once_means_all_of_it(house: House) -> None:
    clock, left = Ticking(), [5]

    def work(stop: Asked) -> int:
        while left[0] and not stop():
            left[0] -= 1
            clock.at += LONGEST
        return 1

    done, well = Rounds(house.app, {"purge": work}, never, clock).do_all([job_named("purge")])
    assert (done, well, left) == (3, True, [0])


def test_ending_pauses_stops_when_asked_to(house: House) -> None:
    with house.app.app_context():
        assert resume_paused(house.clock(), lambda: True) == 0


@contextmanager
def in_use(house: House, game_id: str) -> Iterator[None]:
    """Another transaction holds the game's row meanwhile."""
    with house.app.app_context(), db.engine.connect() as connection, connection.begin():
        connection.execute(select(Game.id).where(Game.id == game_id).with_for_update())
        yield


def test_a_game_in_use_is_left_alone_and_nobody_waits_for_it(
    postgresql_url: str, tmp_path: Path
) -> None:
    house = House(settings_for(tmp_path, postgresql_url))
    overdue_games(house, 3)
    with house.app.app_context():
        waiting = overdue(house.clock(), 10)
        first = waiting[0].game_id
        db.session.remove()
    found: list[int] = []
    with in_use(house, first):
        sweep = threading.Thread(target=lambda: found.append(do_everything(house, "deadlines")))
        sweep.start()
        sweep.join(60)
        assert found == [4], "the other two games, without waiting for the first"
    assert do_everything(house, "deadlines") == 2
    with house.app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_what_another_process_answered_does_not_rest(any_house: House) -> None:
    """A list grows old while it is worked through; a new one is read instead."""
    overdue_games(any_house, 3)
    lists: list[list[Waiting]] = []

    def find(_: datetime, most: int) -> list[Waiting]:
        found = overdue(any_house.clock(), most)
        if not lists:  # another process answers all of them meanwhile
            with any_house.app.app_context():
                list(attempt_each(found))
        lists.append(found)
        return found

    answering = Answering(find)
    with any_house.app.app_context():
        assert answering(never) == 0
    assert answering.resting == {}
    assert [len(found) for found in lists][-1] == 0
    with any_house.app.app_context():
        [attempt] = list(attempt_each(lists[0]))[:1]
    assert attempt.came is TAKEN


def test_others_are_asked_to_share_a_lot_of_work_once_a_round(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.jobs.DECISIONS_AT_ONCE", 4)
    overdue_games(house, 4)
    asked: list[bool] = []
    with house.app.app_context():
        assert Answering(overdue, share=lambda: asked.append(True))(never) == 8
    assert asked == [True]
    with house.app.app_context():
        assert Answering(overdue, share=lambda: asked.append(True))(never) == 0
    assert asked == [True]
    assert DECISIONS_AT_ONCE > 50


def test_two_workers_share_a_sweep_and_answer_everything_once(
    tmp_path: Path, postgresql_url: str, fresh_redis: str
) -> None:
    with Town(tmp_path, postgresql_url, fresh_redis) as town:
        town.overdue_games(30)
        started = [
            town.start("work", "--queues", "deadlines", program=("-c", SHORT_ROUNDS))
            for _ in range(2)
        ]
        for _ in started:
            town.celery.send_task("laguna.deadlines", queue="deadlines", ignore_result=True)
        open_ones = Decision.closed_at.is_(None) & (Decision.due_at < func.now())
        until(lambda: town.count(open_ones) == 0, "every decision answered", 60)
        town._check_games()
        moves = town.query(select(Move.game_id, Move.decision))
        assert len(moves) == len(set(map(tuple, moves)))
        for worker in started:
            assert worker.stop() == 0
            assert not [line for line in worker.said() if line["level"] not in ("info", "debug")]
