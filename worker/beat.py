"""Keeping time: messages are sent by the timetable, by a thread of the worker or by a process."""

import threading
from typing import Any, Protocol

import structlog
from celery import Celery
from celery.beat import Service

from service.core.activity import note_activity
from service.core.config import Settings
from worker.app import create_celery, route_library_logs
from worker.scheduler import ProcessBeat

log = structlog.get_logger()

LOOK_EVERY = 1.0  # seconds
ENDING_TAKES = 5.0  # seconds at most


class StopSignal(Protocol):
    """Tells when to stop."""

    @property
    def asked(self) -> bool: ...

    def ask(self) -> None: ...

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked to stop."""


class BeatThread:
    """A thread that sends messages by the timetable within its context.

    If it cannot go on nothing should: it asks to stop, and raises when the context ends.
    """

    def __init__(self, celery: Celery, stop_signal: StopSignal) -> None:
        self.service: Any = Service(celery, scheduler_cls=celery.conf.beat_scheduler)
        self.stop_signal = stop_signal
        self.thread = threading.Thread(target=self._run, name="beat", daemon=True)
        self.failure: Exception | None = None

    def _run(self) -> None:
        try:
            self.service.start()
        except Exception as error:
            self.failure = error
            self.stop_signal.ask()

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.service.stop()
        self.thread.join(ENDING_TAKES)
        if self.failure is not None:
            raise self.failure


def run_beat(settings: Settings, stop_signal: StopSignal) -> None:
    """Send messages by the timetable until asked to stop."""
    route_library_logs()
    note_activity("start")
    log.info("beat_started")
    celery = create_celery(settings)
    celery.conf.beat_scheduler = ProcessBeat
    with BeatThread(celery, stop_signal):
        while not stop_signal.wait(LOOK_EVERY):
            pass
    log.info("beat_stopped")
