"""Rounds of jobs: one at a time, not for long, and a failure stops nobody else."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import pytest
from prometheus_client import REGISTRY
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.db import heartbeats
from tests.support.site import Site
from tests.worker.support import Ticking, do_round, never
from worker.job_run import HEARTBEAT, LONGEST, LONGEST_REST, Asked, JobLock, JobRunner, StopFlag
from worker.schedule import JOBS, job_named

FORKING = multiprocessing.get_context("fork")
# Newer versions of Python warn of it where there are threads; ours here wait and hold nothing.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def rounds(
    site: Site, clock: Callable[[], float] | None = None, **functions: Callable[[Asked], int]
) -> JobRunner:
    return JobRunner(site.app, functions, never, clock or Ticking())


def metric(name: str, job: str) -> float:
    return REGISTRY.get_sample_value(name, {"job": job}) or 0.0


def test_a_round_tells_what_it_did(site: Site) -> None:
    before = metric("laguna_worker_done_total", "letters")
    timed = metric("laguna_worker_seconds_count", "letters")
    assert do_round(rounds(site, letters=lambda _: 3), "letters") == 3
    assert metric("laguna_worker_done_total", "letters") == before + 3
    assert metric("laguna_worker_seconds_count", "letters") == timed + 1


def test_no_job_is_done_twice_at_once_by_threads(site: Site) -> None:
    at_it, go_on = threading.Event(), threading.Event()

    def slow(_: Asked) -> int:
        at_it.set()
        go_on.wait(20)
        return 1

    one = rounds(site, letters=slow, webhooks=lambda _: 1)
    done: list[int] = []
    first = threading.Thread(target=lambda: done.append(do_round(one, "letters")))
    first.start()
    assert at_it.wait(20)
    assert do_round(one, "letters") == 0
    assert do_round(one, "webhooks") == 1
    go_on.set()
    first.join(20)
    assert done == [1]
    assert do_round(one, "letters") == 1


@forks
def test_most_jobs_are_done_by_one_process_of_a_worker_which_may_be_killed() -> None:
    alone = JobLock()

    def keep(job_name: str, ready: "multiprocessing.synchronize.Event") -> None:
        with alone.at(job_named(job_name)) as is_alone:
            assert is_alone
            ready.set()
            signal.pause()

    holders = []
    for name in ("letters", "bots"):
        ready = FORKING.Event()
        holder = FORKING.Process(target=keep, args=(name, ready))
        holder.start()
        holders.append(holder)
        assert ready.wait(20)
    expected = {job.name: job.name != "letters" for job in JOBS}
    found = {}
    for job in JOBS:
        with alone.at(job) as is_alone:
            found[job.name] = is_alone
    for holder in holders:
        assert holder.pid is not None
        os.kill(holder.pid, signal.SIGKILL)
        holder.join()
    assert found == expected, "bots may think in all processes at once"
    with alone.at(job_named("letters")) as is_alone:
        assert is_alone, "who is killed keeps nothing"


@forks
def test_being_asked_to_stop_reaches_forked_processes(site: Site) -> None:
    ending, begun = StopFlag(), FORKING.Event()

    def work(stop: Asked) -> int:
        begun.set()
        while not stop():
            pass
        return 1

    one = JobRunner(site.app, {"letters": work}, ending)
    child = FORKING.Process(target=lambda: do_round(one, "letters"))
    child.start()
    assert begun.wait(20)
    ending.set()
    child.join(20)
    assert child.exitcode == 0
    assert do_round(one, "letters") == 0, "nothing new is begun"


def test_a_round_ends_when_its_time_is_up(site: Site) -> None:
    clock, done = Ticking(), []

    def work(stop: Asked) -> int:
        while not stop():
            done.append(clock.at)
            clock.at += LONGEST / 4
        return len(done)

    assert do_round(rounds(site, clock, bots=work), "bots") == len(done) == 5


def test_a_job_that_fails_rests_longer_each_time_and_the_others_go_on(site: Site) -> None:
    clock, done = Ticking(), list[str]()

    def fail(_: Asked) -> int:
        done.append("bad")
        raise RuntimeError("not today")

    def work(_: Asked) -> int:
        done.append("good")
        return 1

    one = rounds(site, clock, letters=fail, bots=work)
    failures = metric("laguna_worker_failures_total", "letters")
    with capture_logs() as logs:
        for _ in range(2):
            assert do_round(one, "letters") == 0
            assert do_round(one, "bots") == 1
        assert done == ["bad", "good", "good"]
        rests = []
        for _ in range(8):
            rests.append(one.resting["letters"] - clock.at)
            clock.at = one.resting["letters"]
            do_round(one, "letters")
    assert rests[:3] == [2.0, 4.0, 8.0]
    assert rests[-1] == LONGEST_REST
    assert {line["event"] for line in logs} == {"job_failed"}
    assert metric("laguna_worker_failures_total", "letters") == failures + 9


def test_errors_of_the_database_are_told_without_values(site: Site) -> None:
    def fail(_: Asked) -> int:
        raise OperationalError("SELECT :code", {"code": "s3cret"}, OSError("s3cret too"))

    with capture_logs() as logs:
        do_round(rounds(site, letters=fail), "letters")
    assert logs == [
        {
            "event": "job_failed",
            "log_level": "error",
            "job": "letters",
            "rest": 2.0,
            "error": "OSError",
        }
    ]


def test_doing_everything_goes_on_as_long_as_there_is_something_to_do(site: Site) -> None:
    left = {job.name: 2 for job in JOBS}

    def one_less(name: str) -> Callable[[Asked], int]:
        def work(_: Asked) -> int:
            left[name] -= 1
            return 1 if left[name] >= 0 else 0

        return work

    functions = {job.name: one_less(job.name) for job in JOBS}
    one = JobRunner(site.app, functions, never)
    done, well = one.do_all(JOBS)
    assert well
    frequent = {job.name for job in JOBS if job.every <= HEARTBEAT}
    assert {name for name, number in left.items() if number < 0} == frequent
    assert done == 2 * len(frequent) + len(JOBS) - len(frequent)


def test_rounds_leave_signs_of_life_but_not_all_of_them(any_site: Site) -> None:
    clock, started = Ticking(), any_site.clock()
    one = rounds(any_site, clock, bots=lambda _: 0, deadlines=lambda _: 0)

    def seen() -> dict[str, tuple[timedelta, int]]:
        with any_site.app.app_context():
            job_heartbeats = heartbeats.job_heartbeats(any_site.clock())
            return {
                job_heartbeat.name: (job_heartbeat.at - started, job_heartbeat.every)
                for job_heartbeat in job_heartbeats
            }

    def at(bots: int, deadlines: int) -> dict[str, tuple[timedelta, int]]:
        return {
            "bots": (timedelta(seconds=bots), HEARTBEAT),
            "deadlines": (timedelta(seconds=deadlines), HEARTBEAT),
        }

    for second, expected in ((0, at(0, 0)), (5, at(0, 0)), (HEARTBEAT - 1, at(HEARTBEAT - 1, 5))):
        clock.at, any_site.clock.at = second, started + timedelta(seconds=second)
        do_round(one, "bots")
        do_round(one, "deadlines")
        assert seen() == expected
    with any_site.app.app_context():
        one.heartbeats.write()
    assert seen() == at(HEARTBEAT - 1, HEARTBEAT - 1), "what was pending"


def test_heartbeats_of_all_jobs_are_one_write(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ticking()
    one = rounds(site, clock, **{job.name: lambda _: 0 for job in JOBS})
    written: list[list[str]] = []
    beat_all = heartbeats.beat_all

    def counted(beats: Mapping[str, tuple[int, datetime]]) -> None:
        written.append(sorted(beats))
        beat_all(beats)

    monkeypatch.setattr(heartbeats, "beat_all", counted)
    for job in JOBS:
        do_round(one, job.name)
    assert written == [[job.name] for job in JOBS], "each at once for the first time"
    written.clear()
    for second in range(1, 61):
        clock.at = second
        site.clock.advance(seconds=1)
        for job in JOBS:
            if job.every <= HEARTBEAT:
                do_round(one, job.name)
    assert len(written) == 3, "a minute of the most frequent jobs"


def test_a_round_that_failed_leaves_no_sign_of_life(site: Site) -> None:
    def fail(_: Asked) -> int:
        raise RuntimeError("not today")

    with capture_logs():
        do_round(rounds(site, deadlines=fail), "deadlines")
    with site.app.app_context():
        assert heartbeats.job_heartbeats(site.clock()) == []


@pytest.mark.parametrize("late", [0, 1])
def test_ready_means_that_somebody_looks_after_deadlines(any_site: Site, late: int) -> None:
    def ready() -> tuple[int, str]:
        answer = any_site.client.get("/readyz")
        assert answer.json is not None
        return answer.status_code, answer.json["worker"]

    assert ready() == (503, "was never heard of")
    do_round(rounds(any_site, deadlines=lambda _: 0), "deadlines")
    do_round(rounds(any_site, bots=lambda _: 0), "bots")
    assert ready() == (200, "ok")
    any_site.clock.advance(seconds=3 * HEARTBEAT + late)
    do_round(rounds(any_site, bots=lambda _: 0), "bots")
    told = "was not heard of since 2026-03-02T12:00:00+00:00"
    assert ready() == ((503, told) if late else (200, "ok"))
