"""Signs of life of one process group, for the health check of its replica.

Heartbeats in the database are shared by all replicas; a worker that hangs beside one that runs is
visible only here.
"""

import time

from prometheus_client import Gauge

ACTIVITY_NAME = "laguna_activity_timestamp_seconds"
_ACTIVITY = Gauge(
    ACTIVITY_NAME,
    "When a job or a loop of this process last completed",
    ["activity"],
    multiprocess_mode="mostrecent",
)


def note_activity(name: str) -> None:
    """Record that a job, or one turn of a process's main loop, has just completed."""
    _ACTIVITY.labels(name).set(time.time())
