"""The web tells the worker that there is something to do, by a thread that nobody waits for."""

import os
import threading
import time
from collections.abc import Callable, Collection

import structlog
from celery import Celery

from service.core.config import Settings
from worker.app import create_celery
from worker.schedule import message_options, post, woken_jobs

log = structlog.get_logger()

PAUSE = 0.2  # seconds; at most one message of a kind in this time
FIRST_REST, LONGEST_REST = 1.0, 30.0  # seconds without trying, when Redis is away


class Waker:
    """Gathers what is wanted and sends it from a thread of its own.

    The thread begins with the first wish of a process: one that was begun before a fork would not
    be there after it.
    """

    def __init__(
        self, send: Callable[[str], None], wait: Callable[[float], object] = time.sleep
    ) -> None:
        self.send, self.wait = send, wait
        self.wanted: set[str] = set()
        self.lock = threading.Lock()
        self.news = threading.Event()
        self.process: int | None = None
        self.rest = 0.0

    def __call__(self, queues: Collection[str]) -> None:
        """Note that these queues are to be looked at; returns at once."""
        with self.lock:
            self.wanted.update(queues)
            if self.process != os.getpid():
                self.process = os.getpid()
                threading.Thread(target=self._run, name="waking", daemon=True).start()
        self.news.set()

    def _run(self) -> None:
        while True:
            self.news.wait()
            self.wait(self.round())

    def round(self) -> float:
        """Send what is wanted now; how long to wait before the next time."""
        self.news.clear()
        with self.lock:
            wanted, self.wanted = self.wanted, set()
        try:
            for queue in sorted(wanted):
                self.send(queue)
        except Exception as error:  # whatever a client of Redis raises
            if not self.rest:
                log.warning("worker_not_woken", error=type(error).__name__)
            self.rest = min(2 * self.rest or FIRST_REST, LONGEST_REST)
            return self.rest
        self.rest = 0.0
        return PAUSE


def waker_for(settings: Settings) -> Waker:
    """Wakes the workers that have the Redis of these settings."""
    celery = create_celery(settings)
    return Waker(lambda queue: wake_queue(celery, queue))


def wake_queue(celery: Celery, queue: str) -> None:
    """Say to its jobs that there is something to do; raises what the broker's client raises."""
    for job in woken_jobs(queue):
        post(celery, job.task, message_options(job))
