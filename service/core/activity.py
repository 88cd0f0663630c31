"""Activity of one process group, for the health check of its replica.

Heartbeats in the database are shared by all replicas, so they do not show that one of them hangs.
"""

import time

from prometheus_client import Gauge

ACTIVITY_NAME = "laguna_activity_timestamp_seconds"
_ACTIVITY = Gauge(
    ACTIVITY_NAME,
    "When a job or main loop last completed",
    ["activity"],
    multiprocess_mode="mostrecent",
)


def note_activity(name: str) -> None:
    """Record that a job or one iteration of a main loop has completed."""
    _ACTIVITY.labels(name).set(time.time())
