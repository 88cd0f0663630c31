"""Reconnection of a consumer that is stuck after Redis was unavailable.

A worker receives a new message once it has acknowledged one. If Redis is unavailable at that
moment the acknowledgement is lost, and Celery keeps counting the message as unacknowledged. With
as many of them as the prefetch limit it never receives another (celery/celery#8030, #10302).
"""

from typing import Any

import structlog
from celery import bootsteps
from celery.worker import state

log = structlog.get_logger()

CHECK_SECONDS = 2.0
CHECKS = 2  # in a row: an acknowledgement may just be on its way


class StuckConsumerReset(bootsteps.StartStopStep):
    """Checks regularly for unacknowledged messages without a task."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self.seen = 0

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        self.seen = 0
        hub.call_repeatedly(CHECK_SECONDS, self.check, consumer)

    def check(self, consumer: Any) -> None:
        """Raise the error of a lost connection, after which Celery makes a new one."""
        kept = unacknowledged(consumer.task_consumer.channel.qos)
        self.seen = self.seen + 1 if kept > len(state.reserved_requests) else 0
        if self.seen >= CHECKS:
            log.warning("acknowledgements_lost", messages=kept)
            raise ConnectionError("acknowledgements were lost")


def unacknowledged(qos: Any) -> int:
    """The number of messages that count against the prefetch limit."""
    left: int | None = qos.can_consume_max_estimate()
    return 0 if left is None else qos.prefetch_count - left
