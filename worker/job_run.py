"""A round of a job: never two of the same at once, not for long, counted, and none that fails
stops the others."""

import fcntl
import math
import mmap
import os
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta

import structlog
from flask import Flask
from prometheus_client import Counter, Histogram
from sqlalchemy.exc import DBAPIError

from service.core.activity import note_activity
from service.db import heartbeats
from service.db.server_clock import MOST_DIFFERENCE, clock_difference, database_now
from service.db.session import reading
from worker.schedule import JOBS, Job

log = structlog.get_logger()

Asked = Callable[[], bool]  # whether to stop

LONGEST = 20.0  # seconds for a round; the next one follows at once if something is left
HEARTBEAT = 20  # seconds between heartbeats of jobs that are done more often
WRITE_EVERY = 18.0  # seconds; less than HEARTBEAT, so that a job of that interval is never left out
LONGEST_REST = 30.0  # seconds for a job that fails again and again

DONE = Counter("laguna_worker_done_total", "What the worker did, by job", ["job"])
FAILED = Counter("laguna_worker_failures_total", "Rounds that failed, by job", ["job"])
SECONDS = Histogram(
    "laguna_worker_seconds",
    "Time of a round by job",
    ["job"],
    buckets=(0.005, 0.025, 0.1, 0.5, 2, 10, 30),
)


class StopFlag:
    """Set when the worker is asked to stop: seen by all its threads, and by all the processes it
    forks, which nobody else tells."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 1)

    def set(self) -> None:
        self.shared[0] = 1

    def __call__(self) -> bool:
        return bool(self.shared[0])


def no_repeat(_: Job) -> None:
    """For rounds outside a worker: `Rounds.do_all` repeats them by itself."""


class WrongClock(Exception):
    """This machine's clock is so many seconds ahead of the database's, or behind if negative."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the clock differs from the database's by {seconds} seconds")
        self.seconds = seconds


class JobRun:
    """Stop signal of one round; `cut_short` is set when its time limit was reached."""

    def __init__(self, asked: Asked, clock: Callable[[], float]) -> None:
        self.asked, self.clock = asked, clock
        self.began = clock()
        self.cut_short = False

    @property
    def seconds(self) -> float:
        return self.clock() - self.began

    def __call__(self) -> bool:
        if self.asked():
            return True
        self.cut_short = self.cut_short or self.seconds > LONGEST
        return self.cut_short


class JobLock:
    """Who does a job now: one thread of a process and, of most jobs, one process of a worker.

    A slow mail server then holds up one of its processes, and not all of them one after the other.
    Locks of files are given back by the kernel when their holder is killed.
    """

    def __init__(self) -> None:
        self.threads = {job.name: threading.Lock() for job in JOBS}
        self.file, path = tempfile.mkstemp()
        os.unlink(path)  # it has no contents and needs no name
        weakref.finalize(self, os.close, self.file)

    @contextmanager
    def at(self, job: Job) -> Iterator[bool]:
        """Whether nobody else is at it."""
        thread = self.threads[job.name]
        if not thread.acquire(blocking=False):
            yield False
            return
        try:
            with self._among_processes(job) as alone:
                yield alone
        finally:
            thread.release()

    @contextmanager
    def _among_processes(self, job: Job) -> Iterator[bool]:
        if job.processes is None:
            yield True
            return
        place = self._locked_place(job, job.processes)
        try:
            yield place is not None
        finally:
            if place is not None:
                fcntl.lockf(self.file, fcntl.LOCK_UN, 1, place, os.SEEK_SET)

    def _locked_place(self, job: Job, processes: int) -> int | None:
        """Lock one of the job's bytes of the file, as many as processes may run it."""
        first = sum(other.processes or 0 for other in JOBS[: JOBS.index(job)])
        for place in range(first, first + processes):
            with suppress(OSError):
                fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place, os.SEEK_SET)
                return place
        return None


class Heartbeats:
    """Heartbeats of the jobs of one process, written together: a write costs the disk a flush.

    The first one of a job is written at once.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.lock = threading.Lock()
        self.pending: dict[str, tuple[int, float]] = {}  # interval, and when the round was done
        self.known: set[str] = set()
        self.written = -math.inf

    def note(self, job: Job) -> None:
        """Note that a round of the job is done."""
        present = self.clock()
        with self.lock:
            self.pending[job.name] = max(HEARTBEAT, int(job.every)), present
            due = job.name not in self.known or present - self.written >= WRITE_EVERY
        if due:
            self.write()

    def write(self) -> None:
        """Write what is pending; what cannot be written is written with the next."""
        with self.lock:
            pending, self.pending = self.pending, {}
        if not pending:
            return
        with reading():
            at = database_now()
        present = self.clock()
        ago = {name: timedelta(seconds=int(present - done)) for name, (_, done) in pending.items()}
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
    """Runs rounds of jobs by these functions until asked to stop.

    `again` is called for a job whose round was cut short by its time limit, so that the next
    one follows at once.
    """

    def __init__(
        self,
        app: Flask,
        functions: Mapping[str, Callable[[Asked], int]],
        asked: Asked,
        clock: Callable[[], float] = time.monotonic,
        again: Callable[[Job], None] = no_repeat,
    ) -> None:
        self.app, self.functions, self.asked, self.clock = app, functions, asked, clock
        self.again = again
        self.alone = JobLock()
        self.failures: dict[str, int] = {}  # in a row
        self.resting: dict[str, float] = {}
        self.heartbeats = Heartbeats(clock)

    def do(self, job: Job) -> int:
        """One round; how much was done. Nothing if it is being done, or rests after a failure."""
        done, cut_short = self._round(job)
        if cut_short:
            self.again(job)
        return done

    def do_all(self, jobs: Sequence[Job]) -> tuple[int, bool]:
        """Everything that is due; how much that was, and whether all went well."""
        frequent = [job for job in jobs if job.every <= HEARTBEAT]
        total = sum(self._to_the_end(job) for job in jobs)
        while done := sum(self._to_the_end(job) for job in frequent):
            total += done
        with self.app.app_context():
            self.heartbeats.write()
        return total, not self.failures

    def _to_the_end(self, job: Job) -> int:
        """As many rounds as it takes until none is cut short; how much was done."""
        done, cut_short = self._round(job)
        while cut_short:
            more, cut_short = self._round(job)
            done += more
        return done

    def _round(self, job: Job) -> tuple[int, bool]:
        """How much was done, and whether the time limit ended the round."""
        if self.asked() or self.clock() < self.resting.get(job.name, 0.0):
            return 0, False
        with self.alone.at(job) as alone:
            return self._do(job) if alone else (0, False)

    def _do(self, job: Job) -> tuple[int, bool]:
        stop = JobRun(self.asked, self.clock)
        try:
            with self.app.app_context():
                self._check_clock()
                done = self.functions[job.name](stop)
            with self.app.app_context():  # a new one: the job may have left a session open
                self.heartbeats.note(job)
        except Exception as error:
            self._failed(job, error)
            return 0, False
        finally:
            SECONDS.labels(job.name).observe(stop.seconds)
        note_activity(job.name)
        self.failures.pop(job.name, None)
        DONE.labels(job.name).inc(done)
        return done, stop.cut_short

    def _check_clock(self) -> None:
        """What is due is judged by this machine's clock: a wrong one must not judge."""
        with reading():
            difference, at = clock_difference(), database_now()
        if abs(difference) > MOST_DIFFERENCE:
            heartbeats.note_clock_difference(difference, at)
            raise WrongClock(round(difference.total_seconds()))

    def _failed(self, job: Job, error: Exception) -> None:
        """Let the job rest for a while, longer each time."""
        count = self.failures[job.name] = self.failures.get(job.name, 0) + 1
        rest = min(2.0 ** min(count, 10), LONGEST_REST)
        self.resting[job.name] = self.clock() + rest
        FAILED.labels(job.name).inc()
        if isinstance(error, WrongClock):
            log.error("clock_differs", job=job.name, rest=rest, seconds=error.seconds)
        elif isinstance(error, DBAPIError):  # its text has values in it that may be secret
            log.error("job_failed", job=job.name, rest=rest, error=type(error.orig).__name__)
        else:
            log.exception("job_failed", job=job.name, rest=rest)
