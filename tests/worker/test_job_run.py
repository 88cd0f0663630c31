"""Job runs: one at a time, limited in time, and a failure stops no other job."""

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
from tests.worker.support import Ticking, never, run_job
from worker.job_lock import JobLock
from worker.job_run import HEARTBEAT, MOST_BACK_OFF, RUN_SECONDS, JobRunner, StopCheck, StopFlag
from worker.schedule import JOBS, job_named

FORKING = multiprocessing.get_context("fork")
# Newer versions of Python warn of it where there are threads; ours here wait and hold nothing.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def runner(
    site: Site, clock: Callable[[], float] | None = None, **functions: Callable[[StopCheck], int]
) -> JobRunner:
    return JobRunner(site.app, functions, never, clock or Ticking())


def metric(name: str, job: str) -> float:
    return REGISTRY.get_sample_value(name, {"job": job}) or 0.0


def test_a_run_counts_what_it_did(site: Site) -> None:
    before = metric("laguna_worker_done_total", "letters")
    timed = metric("laguna_worker_seconds_count", "letters")
    assert run_job(runner(site, letters=lambda _: 3), "letters") == 3
    assert metric("laguna_worker_done_total", "letters") == before + 3
    assert metric("laguna_worker_seconds_count", "letters") == timed + 1


def test_threads_never_run_a_job_twice_at_once(site: Site) -> None:
    at_it, go_on = threading.Event(), threading.Event()

    def slow(_: StopCheck) -> int:
        at_it.set()
        go_on.wait(20)
        return 1

    one = runner(site, letters=slow, webhooks=lambda _: 1)
    done: list[int] = []
    first = threading.Thread(target=lambda: done.append(run_job(one, "letters")))
    first.start()
    assert at_it.wait(20)
    assert run_job(one, "letters") == 0
    assert run_job(one, "webhooks") == 1
    go_on.set()
    first.join(20)
    assert done == [1]
    assert run_job(one, "letters") == 1


@forks
def test_one_process_of_a_worker_runs_a_job_and_releases_it_when_killed() -> None:
    lock = JobLock()

    def keep(job_name: str, ready: "multiprocessing.synchronize.Event") -> None:
        with lock.acquire(job_named(job_name)) as acquired:
            assert acquired
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
        with lock.acquire(job) as acquired:
            found[job.name] = acquired
    for holder in holders:
        assert holder.pid is not None
        os.kill(holder.pid, signal.SIGKILL)
        holder.join()
    assert found == expected, "bots run in all processes at once"
    with lock.acquire(job_named("letters")) as acquired:
        assert acquired, "a killed process releases its locks"


@forks
def test_a_stop_request_reaches_forked_processes(site: Site) -> None:
    ending, begun = StopFlag(), FORKING.Event()

    def work(stop: StopCheck) -> int:
        begun.set()
        while not stop():
            pass
        return 1

    one = JobRunner(site.app, {"letters": work}, ending)
    child = FORKING.Process(target=lambda: run_job(one, "letters"))
    child.start()
    assert begun.wait(20)
    ending.set()
    child.join(20)
    assert child.exitcode == 0
    assert run_job(one, "letters") == 0, "nothing new is begun"


def test_a_run_ends_at_its_time_limit(site: Site) -> None:
    clock, done = Ticking(), []

    def work(stop: StopCheck) -> int:
        while not stop():
            done.append(clock.at)
            clock.at += RUN_SECONDS / 4
        return len(done)

    assert run_job(runner(site, clock, bots=work), "bots") == len(done) == 5


def test_a_failing_job_backs_off_and_the_others_go_on(site: Site) -> None:
    clock, done = Ticking(), list[str]()

    def fail(_: StopCheck) -> int:
        done.append("bad")
        raise RuntimeError("not today")

    def work(_: StopCheck) -> int:
        done.append("good")
        return 1

    one = runner(site, clock, letters=fail, bots=work)
    failures = metric("laguna_worker_failures_total", "letters")
    with capture_logs() as logs:
        for _ in range(2):
            assert run_job(one, "letters") == 0
            assert run_job(one, "bots") == 1
        assert done == ["bad", "good", "good"]
        waits = []
        for _ in range(8):
            waits.append(one.back_off["letters"] - clock.at)
            clock.at = one.back_off["letters"]
            run_job(one, "letters")
    assert waits[:3] == [2.0, 4.0, 8.0]
    assert waits[-1] == MOST_BACK_OFF
    assert {line["event"] for line in logs} == {"job_failed"}
    assert metric("laguna_worker_failures_total", "letters") == failures + 9


def test_errors_of_the_database_are_logged_without_values(site: Site) -> None:
    def fail(_: StopCheck) -> int:
        raise OperationalError("SELECT :code", {"code": "s3cret"}, OSError("s3cret too"))

    with capture_logs() as logs:
        run_job(runner(site, letters=fail), "letters")
    assert logs == [
        {
            "event": "job_failed",
            "log_level": "error",
            "job": "letters",
            "back_off": 2.0,
            "error": "OSError",
        }
    ]


def test_run_all_goes_on_as_long_as_something_is_left(site: Site) -> None:
    left = {job.name: 2 for job in JOBS}

    def one_less(name: str) -> Callable[[StopCheck], int]:
        def work(_: StopCheck) -> int:
            left[name] -= 1
            return 1 if left[name] >= 0 else 0

        return work

    functions = {job.name: one_less(job.name) for job in JOBS}
    one = JobRunner(site.app, functions, never)
    done, well = one.run_all(JOBS)
    assert well
    frequent = {job.name for job in JOBS if job.every <= HEARTBEAT}
    assert {name for name, number in left.items() if number < 0} == frequent
    assert done == 2 * len(frequent) + len(JOBS) - len(frequent)


def test_runs_write_heartbeats_but_not_every_one(any_site: Site) -> None:
    clock, started = Ticking(), any_site.clock()
    one = runner(any_site, clock, bots=lambda _: 0, deadlines=lambda _: 0)

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
        run_job(one, "bots")
        run_job(one, "deadlines")
        assert seen() == expected
    with any_site.app.app_context():
        one.heartbeats.write()
    assert seen() == at(HEARTBEAT - 1, HEARTBEAT - 1), "what was pending"


def test_heartbeats_of_all_jobs_are_one_write(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ticking()
    one = runner(site, clock, **{job.name: lambda _: 0 for job in JOBS})
    written: list[list[str]] = []
    beat_all = heartbeats.beat_all

    def counted(beats: Mapping[str, tuple[int, datetime]]) -> None:
        written.append(sorted(beats))
        beat_all(beats)

    monkeypatch.setattr(heartbeats, "beat_all", counted)
    for job in JOBS:
        run_job(one, job.name)
    assert written == [[job.name] for job in JOBS], "each at once for the first time"
    written.clear()
    for second in range(1, 61):
        clock.at = second
        site.clock.advance(seconds=1)
        for job in JOBS:
            if job.every <= HEARTBEAT:
                run_job(one, job.name)
    assert len(written) == 3, "a minute of the most frequent jobs"


def test_a_failed_run_writes_no_heartbeat(site: Site) -> None:
    def fail(_: StopCheck) -> int:
        raise RuntimeError("not today")

    with capture_logs():
        run_job(runner(site, deadlines=fail), "deadlines")
    with site.app.app_context():
        assert heartbeats.job_heartbeats(site.clock()) == []


@pytest.mark.parametrize("late", [0, 1])
def test_ready_means_that_the_deadlines_job_runs(any_site: Site, late: int) -> None:
    def ready() -> tuple[int, str]:
        answer = any_site.client.get("/readyz")
        assert answer.json is not None
        return answer.status_code, answer.json["worker"]

    assert ready() == (503, "has never run")
    run_job(runner(any_site, deadlines=lambda _: 0), "deadlines")
    run_job(runner(any_site, bots=lambda _: 0), "bots")
    assert ready() == (200, "ok")
    any_site.clock.advance(seconds=3 * HEARTBEAT + late)
    run_job(runner(any_site, bots=lambda _: 0), "bots")
    told = "has not run since 2026-03-02T12:00:00+00:00"
    assert ready() == ((503, told) if late else (200, "ok"))
