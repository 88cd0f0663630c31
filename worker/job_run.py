"""Job runs: never two of the same job at once, limited in time, counted in metrics; a failure of
one job does not stop the others."""

import math
import mmap
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import structlog
from flask import Flask
from prometheus_client import Counter, Histogram
from sqlalchemy.exc import DBAPIError

from service.core.activity import note_activity
from service.db import heartbeats
from service.db.server_clock import MOST_DIFFERENCE, clock_difference, database_now
from service.db.session import reading
from worker.job_lock import JobLock
from worker.schedule import Job

log = structlog.get_logger()

StopCheck = Callable[[], bool]  # whether to stop

RUN_SECONDS = 20.0  # time limit of a run; the next one follows at once if something is left
HEARTBEAT = 20  # seconds between heartbeats of jobs that run more often
WRITE_SECONDS = 18.0  # between writes; less than HEARTBEAT, so that no job of that interval misses
MOST_BACK_OFF = 30.0  # seconds between runs of a job that keeps failing

DONE = Counter("laguna_worker_done_total", "Items processed by the worker, by job", ["job"])
FAILED = Counter("laguna_worker_failures_total", "Failed job runs, by job", ["job"])
SECONDS = Histogram(
    "laguna_worker_seconds",
    "Duration of a job run, by job",
    ["job"],
    buckets=(0.005, 0.025, 0.1, 0.5, 2, 10, 30),
)


class StopFlag:
    """Stop request to all threads of the worker and all processes it forks, in shared memory."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 1)

    def set(self) -> None:
        self.shared[0] = 1

    def __call__(self) -> bool:
        return bool(self.shared[0])


class WrongClock(Exception):
    """This machine's clock is so many seconds ahead of the database's, or behind if negative."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the clock differs from the database's by {seconds} seconds")
        self.seconds = seconds


class RunLimit:
    """Stop check of one run; `cut_short` is set when its time limit was reached."""

    def __init__(self, stopping: StopCheck, clock: Callable[[], float]) -> None:
        self.stopping, self.clock = stopping, clock
        self.started = clock()
        self.cut_short = False

    @property
    def seconds(self) -> float:
        return self.clock() - self.started

    def __call__(self) -> bool:
        if self.stopping():
            return True
        self.cut_short = self.cut_short or self.seconds > RUN_SECONDS
        return self.cut_short


class Heartbeats:
    """Heartbeats of the jobs of one process, written together: each write flushes the disk.

    The first one of a job is written at once.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.lock = threading.Lock()
        self.pending: dict[str, tuple[int, float]] = {}  # interval, and when the run ended
        self.known: set[str] = set()
        self.written = -math.inf

    def note(self, job: Job) -> None:
        present = self.clock()
        with self.lock:
            self.pending[job.name] = max(HEARTBEAT, int(job.every)), present
            due = job.name not in self.known or present - self.written >= WRITE_SECONDS
        if due:
            self.write()

    def write(self) -> None:
        """Write pending heartbeats; those of a failed write stay pending."""
        with self.lock:
            pending, self.pending = self.pending, {}
        if not pending:
            return
        with reading():
            at = database_now()
        present = self.clock()
        ago = {
            name: timedelta(seconds=int(present - ended)) for name, (_, ended) in pending.items()
        }
        try:
            heartbeats.beat_all({name: (pending[name][0], at - ago[name]) for name in pending})
        except Exception:
            with self.lock:
                self.pending = pending | self.pending
            raise
        with self.lock:
            self.known.update(pending)
            self.written = present


class JobRunner:
    """Runs jobs by their functions until asked to stop.

    `repeat` is called for a job whose run was cut short by its time limit, so that the next run
    follows at once.
    """

    def __init__(
        self,
        app: Flask,
        functions: Mapping[str, Callable[[StopCheck], int]],
        stopping: StopCheck,
        clock: Callable[[], float] = time.monotonic,
        repeat: Callable[[Job], None] = lambda _: None,
    ) -> None:
        self.app, self.functions, self.stopping, self.clock = app, functions, stopping, clock
        self.repeat = repeat
        self.lock = JobLock()
        self.failures: dict[str, int] = {}  # in a row
        self.back_off: dict[str, float] = {}  # until when a job that failed does not run
        self.heartbeats = Heartbeats(clock)

    def run(self, job: Job) -> int:
        """One run; the number of items processed. 0 if the job runs already or has just failed."""
        done, cut_short = self._run_alone(job)
        if cut_short:
            self.repeat(job)
        return done

    def run_all(self, jobs: Sequence[Job]) -> tuple[int, bool]:
        """Process everything that is due; the number of items, and whether no run failed."""
        frequent = [job for job in jobs if job.every <= HEARTBEAT]
        total = sum(self._run_to_end(job) for job in jobs)
        while done := sum(self._run_to_end(job) for job in frequent):
            total += done
        with self.app.app_context():
            self.heartbeats.write()
        return total, not self.failures

    def _run_to_end(self, job: Job) -> int:
        """Run until no run is cut short; the number of items processed."""
        done, cut_short = self._run_alone(job)
        while cut_short:
            more, cut_short = self._run_alone(job)
            done += more
        return done

    def _run_alone(self, job: Job) -> tuple[int, bool]:
        """The number of items processed, and whether the time limit ended the run."""
        if self.stopping() or self.clock() < self.back_off.get(job.name, 0.0):
            return 0, False
        with self.lock.acquire(job) as acquired:
            return self._run(job) if acquired else (0, False)

    def _run(self, job: Job) -> tuple[int, bool]:
        stop = RunLimit(self.stopping, self.clock)
        try:
            with self.app.app_context():
                self._check_clock()
                done = self.functions[job.name](stop)
            with self.app.app_context():  # a new one: the job may have left a session open
                self.heartbeats.note(job)
        except Exception as error:
            self._note_failure(job, error)
            return 0, False
        finally:
            SECONDS.labels(job.name).observe(stop.seconds)
        note_activity(job.name)
        self.failures.pop(job.name, None)
        DONE.labels(job.name).inc(done)
        return done, stop.cut_short

    def _check_clock(self) -> None:
        """Raise WrongClock: this machine's clock decides what is due."""
        with reading():
            difference, at = clock_difference(), database_now()
        if abs(difference) > MOST_DIFFERENCE:
            heartbeats.note_clock_difference(difference, at)
            raise WrongClock(round(difference.total_seconds()))

    def _note_failure(self, job: Job, error: Exception) -> None:
        """Log the failure and back off, longer each time."""
        count = self.failures[job.name] = self.failures.get(job.name, 0) + 1
        seconds = min(2.0 ** min(count, 10), MOST_BACK_OFF)
        self.back_off[job.name] = self.clock() + seconds
        FAILED.labels(job.name).inc()
        if isinstance(error, WrongClock):
            log.error("clock_differs", job=job.name, back_off=seconds, seconds=error.seconds)
        elif isinstance(error, DBAPIError):  # its text contains values that may be secret
            log.error("job_failed", job=job.name, back_off=seconds, error=type(error.orig).__name__)
        else:
            log.exception("job_failed", job=job.name, back_off=seconds)
