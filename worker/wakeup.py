"""Signals of the web to the worker, sent by a thread, so that no request waits for Redis."""

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

SEND_SECONDS = 0.2  # between two messages of a kind
FIRST_BACK_OFF, MOST_BACK_OFF = 1.0, 30.0  # seconds between attempts while Redis is away


class Waker:
    """Collects the queues to wake and sends the messages from a thread.

    The first call in a process starts the thread: a thread from before a fork does not exist in
    the child.
    """

    def __init__(
        self, send: Callable[[str], None], wait: Callable[[float], object] = time.sleep
    ) -> None:
        self.send, self.wait = send, wait
        self.wanted: set[str] = set()
        self.lock = threading.Lock()
        self.called = threading.Event()
        self.process: int | None = None
        self.back_off = 0.0

    def __call__(self, queues: Collection[str]) -> None:
        """Note that there is work in these queues; returns at once."""
        with self.lock:
            self.wanted.update(queues)
            if self.process != os.getpid():
                self.process = os.getpid()
                threading.Thread(target=self._run, name="waker", daemon=True).start()
        self.called.set()

    def _run(self) -> None:
        while True:
            self.called.wait()
            self.wait(self.send_pending())

    def send_pending(self) -> float:
        """Send the messages; seconds to wait before the next time."""
        self.called.clear()
        with self.lock:
            wanted, self.wanted = self.wanted, set()
        try:
            for queue in sorted(wanted):
                self.send(queue)
        except Exception as error:  # any error of the Redis client
            if not self.back_off:
                log.warning("worker_not_woken", error=type(error).__name__)
            self.back_off = min(2 * self.back_off or FIRST_BACK_OFF, MOST_BACK_OFF)
            return self.back_off
        self.back_off = 0.0
        return SEND_SECONDS


def waker_for(settings: Settings) -> Waker:
    """The waker of the workers at the Redis of these settings."""
    celery = create_celery(settings)
    return Waker(lambda queue: wake_queue(celery, queue))


def wake_queue(celery: Celery, queue: str) -> None:
    """Start the jobs of a queue that a signal starts; raises errors of the broker's client."""
    for job in woken_jobs(queue):
        post(celery, job.task, message_options(job))
