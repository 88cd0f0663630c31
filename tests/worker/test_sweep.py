"""The sweep of overdue decisions: no time is lost between runs, and processes share the work."""

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
from service.mail.inbound.unread import has_unread_reply
from tests.servers.tree import until
from tests.support.site import Site, settings_for
from tests.worker.running_site import RunningSite
from tests.worker.support import Ticking, do_everything, never
from worker.job_run import RUN_SECONDS, JobRunner, StopCheck
from worker.jobs import DECISION_BATCH, AnswerJob
from worker.schedule import JOBS, Job, job_named

# The worker's command with runs that are soon cut short.
SHORT_RUNS = """
import sys
from worker import job_run
job_run.RUN_SECONDS = 0.05
from service.cli import main
sys.exit(main(sys.argv[1:]))
"""
A_DAY = {"kind": "flat", "hours": 24}


def overdue_games(site: Site, games: int) -> None:
    for number in range(games):
        site.game_of(*site.people(f"Alice{number}", f"Ben{number}"), clock=A_DAY)
    site.clock.advance(hours=24, seconds=GRACE.total_seconds())


def test_a_run_that_was_cut_short_is_followed_at_once(
    tmp_path: Path, postgresql_url: str, fresh_redis: str
) -> None:
    """One message and no schedule: the runs ask for each other until nothing is left."""
    with RunningSite(tmp_path, postgresql_url, fresh_redis) as running_site:
        running_site.overdue_games(20)
        running_site.start("work", "--queues", "deadlines", program=("-c", SHORT_RUNS))
        running_site.celery.send_task("laguna.deadlines", queue="deadlines", ignore_result=True)
        late = Decision.closed_at.is_(None) & Decision.id.in_(
            decision for _, decision in running_site.open_before
        )
        until(lambda: running_site.count(late) == 0, "every decision answered", 60)
        running_site._check_games()


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_job_asks_for_another_run_at_its_time_limit(site: Site, job: Job) -> None:
    clock, asked = Ticking(), list[Job]()

    def work(stop: StopCheck) -> int:
        while not stop():
            clock.at += RUN_SECONDS / 2
        return 1

    cut = JobRunner(site.app, {job.name: work}, never, clock, asked.append)
    assert cut.run(job) == 1
    assert asked == [job]
    whole = JobRunner(site.app, {job.name: lambda _: 1}, never, clock, asked.append)
    assert whole.run(job) == 1
    assert asked == [job], "nothing was left"
    stopped = JobRunner(
        site.app, {job.name: work}, iter([False, True]).__next__, clock, asked.append
    )
    assert stopped.run(job) == 1
    assert asked == [job], "a worker that ends asks for nothing"


def test_run_all_goes_on_after_a_time_limit(site: Site) -> None:
    clock, left = Ticking(), [5]

    def work(stop: StopCheck) -> int:
        while left[0] and not stop():
            left[0] -= 1
            clock.at += RUN_SECONDS
        return 1

    done, well = JobRunner(site.app, {"purge": work}, never, clock).run_all([job_named("purge")])
    assert (done, well, left) == (3, True, [0])


def test_ending_pauses_stops_when_asked_to(site: Site) -> None:
    with site.app.app_context():
        assert resume_paused(site.clock(), lambda: True) == 0


@contextmanager
def in_use(site: Site, game_id: str) -> Iterator[None]:
    """Another transaction holds the game's row meanwhile."""
    with site.app.app_context(), db.engine.connect() as connection, connection.begin():
        connection.execute(select(Game.id).where(Game.id == game_id).with_for_update())
        yield


def test_a_game_in_use_is_left_alone_and_nobody_waits_for_it(
    postgresql_url: str, tmp_path: Path
) -> None:
    site = Site(settings_for(tmp_path, postgresql_url))
    overdue_games(site, 3)
    with site.app.app_context():
        waiting = overdue(site.clock(), 10)
        first = waiting[0].game_id
        db.session.remove()
    found: list[int] = []
    with in_use(site, first):
        sweep = threading.Thread(target=lambda: found.append(do_everything(site, "deadlines")))
        sweep.start()
        sweep.join(60)
        assert found == [4], "the other two games, without waiting for the first"
    assert do_everything(site, "deadlines") == 2
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_what_another_process_answered_does_not_rest(any_site: Site) -> None:
    """A list grows old while it is worked through; a new one is read instead."""
    overdue_games(any_site, 3)
    lists: list[list[Waiting]] = []

    def find(_: datetime, most: int) -> list[Waiting]:
        found = overdue(any_site.clock(), most)
        if not lists:  # another process answers all of them meanwhile
            with any_site.app.app_context():
                list(attempt_each(found, has_unread_reply))
        lists.append(found)
        return found

    answering = AnswerJob(find)
    with any_site.app.app_context():
        assert answering(never) == 0
    assert answering.deferred == {}
    assert [len(found) for found in lists][-1] == 0
    with any_site.app.app_context():
        [attempt] = list(attempt_each(lists[0], has_unread_reply))[:1]
    assert attempt.came is TAKEN


def test_others_are_asked_to_share_a_lot_of_work_once_a_round(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.jobs.DECISION_BATCH", 4)
    overdue_games(site, 4)
    asked: list[bool] = []
    with site.app.app_context():
        assert AnswerJob(overdue, share=lambda: asked.append(True))(never) == 8
    assert asked == [True]
    with site.app.app_context():
        assert AnswerJob(overdue, share=lambda: asked.append(True))(never) == 0
    assert asked == [True]
    assert DECISION_BATCH > 50


def test_two_workers_share_a_sweep_and_answer_everything_once(
    tmp_path: Path, postgresql_url: str, fresh_redis: str
) -> None:
    with RunningSite(tmp_path, postgresql_url, fresh_redis) as running_site:
        running_site.overdue_games(30)
        started = [
            running_site.start("work", "--queues", "deadlines", program=("-c", SHORT_RUNS))
            for _ in range(2)
        ]
        for _ in started:
            running_site.celery.send_task("laguna.deadlines", queue="deadlines", ignore_result=True)
        open_ones = Decision.closed_at.is_(None) & (Decision.due_at < func.now())
        until(lambda: running_site.count(open_ones) == 0, "every decision answered", 60)
        running_site._check_games()
        moves = running_site.query(select(Move.game_id, Move.decision))
        assert len(moves) == len(set(map(tuple, moves)))
        for worker in started:
            assert worker.stop() == 0
            assert not [line for line in worker.said() if line["level"] not in ("info", "debug")]
