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
from contextlib import contextmanager

import structlog
from flask import Flask
from prometheus_client import Counter, Histogram
from sqlalchemy.exc import DBAPIError

from service import heartbeats
from service.clock import now
from worker.schedule import JOBS, Job

log = structlog.get_logger()

Asked = Callable[[], bool]  # whether to stop

LONGEST = 20.0  # seconds for a round; what is left then is left to the next
HEARTBEAT = 20  # seconds between signs of life of jobs that are done more often
LONGEST_REST = 30.0  # seconds for a job that fails again and again

DONE = Counter("laguna_worker_done_total", "What the worker did, by job", ["job"])
FAILED = Counter("laguna_worker_failures_total", "Rounds that failed, by job", ["job"])
SECONDS = Histogram(
    "laguna_worker_seconds",
    "Time of a round by job",
    ["job"],
    buckets=(0.005, 0.025, 0.1, 0.5, 2, 10, 30),
)


class Ending:
    """Set when the worker is asked to stop: seen by all its threads, and by all the processes it
    forks, which nobody else tells."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 1)

    def set(self) -> None:
        self.shared[0] = 1

    def __call__(self) -> bool:
        return bool(self.shared[0])


class Alone:
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
        if job.by_all:
            yield True
            return
        place = JOBS.index(job)  # each job has a byte of the file
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place, os.SEEK_SET)
        except OSError:
            yield False
            return
        try:
            yield True
        finally:
            fcntl.lockf(self.file, fcntl.LOCK_UN, 1, place, os.SEEK_SET)


class Rounds:
    """Does rounds of jobs by these functions until asked to stop."""

    def __init__(
        self,
        app: Flask,
        functions: Mapping[str, Callable[[Asked], int]],
        asked: Asked,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.functions, self.asked, self.clock = app, functions, asked, clock
        self.alone = Alone()
        self.failures: dict[str, int] = {}  # in a row
        self.resting: dict[str, float] = {}
        self.beaten: dict[str, float] = {}

    def do(self, job: Job) -> int:
        """One round; how much was done. Nothing if it is being done, or rests after a failure."""
        if self.asked() or self.clock() < self.resting.get(job.name, 0.0):
            return 0
        with self.alone.at(job) as alone:
            return self._do(job) if alone else 0

    def do_all(self, jobs: Sequence[Job]) -> tuple[int, bool]:
        """Everything that is due; how much that was, and whether all went well."""
        frequent = [job for job in jobs if job.every <= HEARTBEAT]
        total = sum(self.do(job) for job in jobs)
        while done := sum(self.do(job) for job in frequent):
            total += done
        return total, not self.failures

    def _do(self, job: Job) -> int:
        began = self.clock()
        try:
            with self.app.app_context():
                done = self.functions[job.name](lambda: self._enough(began))
                self._beat(job)
        except Exception as error:
            self._failed(job, error)
            return 0
        finally:
            SECONDS.labels(job.name).observe(self.clock() - began)
        self.failures.pop(job.name, None)
        DONE.labels(job.name).inc(done)
        return done

    def _enough(self, began: float) -> bool:
        return self.asked() or self.clock() - began > LONGEST

    def _beat(self, job: Job) -> None:
        """Leave a sign of life, not more often than anybody looks for it."""
        every = max(HEARTBEAT, int(job.every))
        present = self.clock()
        if job.every < HEARTBEAT and present - self.beaten.get(job.name, -math.inf) < every:
            return
        heartbeats.beat(job.name, every, now())
        self.beaten[job.name] = present

    def _failed(self, job: Job, error: Exception) -> None:
        """Let the job rest for a while, longer each time."""
        count = self.failures[job.name] = self.failures.get(job.name, 0) + 1
        rest = min(2.0 ** min(count, 10), LONGEST_REST)
        self.resting[job.name] = self.clock() + rest
        FAILED.labels(job.name).inc()
        if isinstance(error, DBAPIError):  # its text has values in it that may be secret
            log.error("job_failed", job=job.name, rest=rest, error=type(error.orig).__name__)
        else:
            log.exception("job_failed", job=job.name, rest=rest)
