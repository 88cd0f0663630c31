"""Celery's scheduler, adapted: no file, no busy waiting, and no error while Redis is away."""

from typing import Any

import structlog
from celery.beat import Scheduler

from service.core.activity import note_activity
from worker.schedule import post

log = structlog.get_logger()


class Beat(Scheduler):
    """Celery's scheduler without a file: when it starts, everything is due."""

    producer = None  # each message takes a connection of the pool, which reconnects
    failing = False

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at = entry.default_now() - entry.schedule.run_every

    def adjust(self, n: float, drift: float = 0.0) -> float:
        """Sleep until the next message is due. Celery wakes up ten milliseconds earlier and polls
        until then: more than a third of the CPU time of an idle worker."""
        return n + drift

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a message, or log once that the broker is away; the next message comes soon."""
        try:
            post(self.app, entry.task, entry.options)
        except Exception as error:  # any error of the broker's client
            if not self.failing:
                log.warning("broker_away", error=type(error).__name__)
            self.failing = True
        else:
            if self.failing:
                log.info("broker_back")
            self.failing = False


class ProcessBeat(Beat):
    """The scheduler of a process of its own, with a heartbeat for its health check.

    In a thread of a worker that heartbeat would hide a worker that hangs.
    """

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        super().apply_entry(entry, producer)
        note_activity("beat")
