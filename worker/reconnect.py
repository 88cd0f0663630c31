"""A consumer that gets stuck is connected anew.

A worker takes a new message when it has acknowledged one. If Redis is away at that moment the
acknowledgement is lost, and Celery goes on counting the message as being worked on. With as many
of them as it may take at once it would never take another.
"""

from typing import Any

import structlog
from celery import bootsteps
from celery.worker import state

log = structlog.get_logger()

LOOK_EVERY = 2.0  # seconds
LOOKS = 2  # in a row; an acknowledgement that is just on its way is none that was lost


class StuckConsumerReset(bootsteps.StartStopStep):
    """Looks now and then whether there are messages that nobody works on."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self.seen = 0

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        self.seen = 0
        hub.call_repeatedly(LOOK_EVERY, self.look, consumer)

    def look(self, consumer: Any) -> None:
        """Raise what Celery takes for a lost connection: it makes a new one."""
        kept = taken(consumer.task_consumer.channel.qos)
        self.seen = self.seen + 1 if kept > len(state.reserved_requests) else 0
        if self.seen >= LOOKS:
            log.warning("acknowledgements_lost", messages=kept)
            raise ConnectionError("acknowledgements were lost")


def taken(qos: Any) -> int:
    """How many messages of the broker count as being worked on."""
    left: int | None = qos.can_consume_max_estimate()
    return 0 if left is None else qos.prefetch_count - left
