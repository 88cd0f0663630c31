"""The scheduler of Celery that sends messages by the timetable."""

from typing import Any

import structlog
from celery.beat import Scheduler

from service.core.activity import note_activity
from worker.schedule import post

log = structlog.get_logger()


class Beat(Scheduler):
    """Celery's scheduler without memory: when it begins, everything is due.

    What was sent when is nothing to keep in a file, which could be lost, or locked by another.
    """

    producer = None  # each message takes a connection of the pool, which mends itself
    failing = False

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at = entry.default_now() - entry.schedule.run_every

    def adjust(self, n: float, drift: float = 0.0) -> float:
        """Sleep until the next message is due. Celery wakes up ten milliseconds before and does
        not sleep again until then: more than a third of the CPU time of an idle worker."""
        return n + drift

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a message, or say once that it cannot be done; the next one comes soon."""
        try:
            post(self.app, entry.task, entry.options)
        except Exception as error:  # whatever a client of the broker raises
            if not self.failing:
                log.warning("broker_away", error=type(error).__name__)
            self.failing = True
        else:
            if self.failing:
                log.info("broker_back")
            self.failing = False


class ProcessBeat(Beat):
    """The scheduler of a process of its own, which shows that it is alive.

    As a thread of a worker it would hide that the worker hangs.
    """

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        super().apply_entry(entry, producer)
        note_activity("beat")
