"""Beat: sends messages by the schedule, as a thread of the worker or a process of its own."""

import threading
from typing import Any

import structlog
from celery import Celery
from celery.beat import Service

from service.core.activity import note_activity
from service.core.config import Settings
from service.core.stop_signal import StopSignal
from worker.app import create_celery, route_library_logs
from worker.scheduler import ProcessBeat

log = structlog.get_logger()

STOP_POLL_SECONDS = 1.0
JOIN_SECONDS = 5.0


class BeatThread:
    """A thread that sends messages by the schedule within its context.

    If it fails, the process stops, and the context raises the error at its end.
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
        self.thread.join(JOIN_SECONDS)
        if self.failure is not None:
            raise self.failure


def run_beat(settings: Settings, stop_signal: StopSignal) -> None:
    route_library_logs()
    note_activity("start")
    log.info("beat_started")
    celery = create_celery(settings)
    celery.conf.beat_scheduler = ProcessBeat
    with BeatThread(celery, stop_signal):
        while not stop_signal.wait(STOP_POLL_SECONDS):
            pass
    log.info("beat_stopped")
