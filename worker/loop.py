"""The worker's loop: duties in turn, quickly while there is something to do, else calmly."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
from flask import Flask
from prometheus_client import Counter
from sqlalchemy.exc import DBAPIError

from service.database import db
from worker.duties import Duty, lanes

log = structlog.get_logger()

BUSY = 0.25  # seconds between rounds while there is something to do
IDLE = 1.0
LONGEST_REST = 60.0  # of a duty that fails again and again

DONE = Counter("laguna_worker_done_total", "What the worker did, by duty", ["duty"])
FAILED = Counter("laguna_worker_failures_total", "Duties that failed, by duty", ["duty"])


class Stopping(Protocol):
    """Tells when to stop."""

    @property
    def asked(self) -> bool: ...

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked to stop."""


class Lane:
    """Some duties, done in turn by one thread."""

    def __init__(
        self,
        app: Flask,
        duties: Sequence[Duty],
        stopping: Stopping,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.duties, self.stopping, self.clock = app, duties, stopping, clock
        self.next: dict[str, float] = {}
        self.failures: dict[str, int] = {}

    def run(self) -> None:
        """Do rounds until asked to stop."""
        pause = BUSY
        while not self.stopping.asked:
            pause = BUSY if self.round() else min(2 * pause, IDLE)
            self.stopping.wait(pause)

    def round(self) -> int:
        """Do every duty once, if it is time for it; how much there was to do."""
        done = 0
        for duty in self.duties:
            if self.stopping.asked:
                break
            if self.clock() >= self.next.get(duty.name, 0.0):
                done += self._do(duty)
        return done

    def _do(self, duty: Duty) -> int:
        try:
            with self.app.app_context():
                done = duty.do(lambda: self.stopping.asked)
        except Exception as error:
            self._failed(duty, error)
            return 0
        self.failures.pop(duty.name, None)
        self.next[duty.name] = self.clock() + duty.every
        DONE.labels(duty.name).inc(done)
        return done

    def _failed(self, duty: Duty, error: Exception) -> None:
        """Let the duty rest; the others go on."""
        count = self.failures[duty.name] = self.failures.get(duty.name, 0) + 1
        rest = min(2.0 ** min(count, 10), LONGEST_REST)
        self.next[duty.name] = self.clock() + rest
        FAILED.labels(duty.name).inc()
        if isinstance(error, DBAPIError):  # its text has values in it that may be secret
            log.error("duty_failed", duty=duty.name, rest=rest, error=type(error.orig).__name__)
        else:
            log.exception("duty_failed", duty=duty.name, rest=rest)


def run(app: Flask, stopping: Stopping) -> None:
    """Look after everything until asked to stop, then finish what was begun."""
    log.info("worker_started")
    threads = [
        threading.Thread(target=Lane(app, duties, stopping).run, name=name)
        for name, duties in lanes().items()
    ]
    for thread in threads:
        thread.start()
    while not stopping.wait(IDLE):
        pass
    for thread in threads:
        thread.join()
    with app.app_context():
        db.engine.dispose()
    log.info("worker_stopped")


def run_once(app: Flask, stopping: Stopping) -> tuple[int, bool]:
    """Do everything that is due; how much that was, and whether all went well."""
    total, well = 0, True
    for duties in lanes().values():
        lane = Lane(app, duties, stopping)
        while done := lane.round():
            total += done
        well = well and not lane.failures
    return total, well
