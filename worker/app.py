"""Celery application of the settings. It opens no connection.

A message has no contents and only starts a job; the work itself is rows of the database. A message
may be lost, doubled or late.
"""

import logging
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import structlog
from celery import Celery, signals

from service.core.config import Settings
from worker.reconnect import StuckConsumerReset
from worker.schedule import DEADLINES, JOBS, QUEUES, Job, timetable
from worker.scheduler import Beat

log = structlog.get_logger()

IN_MEMORY = "memory://localhost/"
MEMORY_POLL_SECONDS = 0.05  # between reads of a queue in memory; Celery's default is 1
BROKER_SECONDS = 2.0  # for every answer of the broker; a silent one would block everything
HEALTH_CHECK_SECONDS = 5.0  # after which an idle connection is tested, and dropped if dead
KILL_SECONDS = 30.0  # between a task's soft time limit and the end of its process
START_SECONDS = 60.0  # for a new process to start; the default of 4 kills it on a busy machine
VISIBILITY = 3600  # seconds; above all time limits, or a running task would be delivered again


def create_celery(settings: Settings, jobs: tuple[Job, ...] = JOBS) -> Celery:
    """Celery with the Redis of the settings; without one, with queues in this process."""
    celery = Celery("laguna", set_as_current=False)
    celery.conf.update(
        broker_url=broker_url(settings),
        broker_transport_options=_transport_options(settings),
        broker_connection_timeout=BROKER_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # without limit
        broker_heartbeat=0,
        result_backend=None,
        task_ignore_result=True,
        accept_content=["json"],
        task_serializer="json",
        event_serializer="json",
        task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUES},
        task_default_queue=DEADLINES,
        task_create_missing_queues=False,
        # Acknowledged when done: if its process dies, another one runs it.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_publish_retry=False,
        task_annotations={job.task: _limits(job) for job in JOBS},
        worker_prefetch_multiplier=1,
        worker_proc_alive_timeout=START_SECONDS,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        beat_scheduler=Beat,
        beat_schedule=timetable(jobs, woken=settings.redis_url is not None),
        beat_max_loop_interval=0.5,  # seconds; so that it stops soon
        enable_utc=True,
        timezone="UTC",
    )
    celery.steps["consumer"].add(StuckConsumerReset)
    return celery


def _limits(job: Job) -> dict[str, float]:
    """Time limits of a task. They have an effect in worker processes; a thread cannot be killed."""
    return {"soft_time_limit": job.limit, "time_limit": job.limit + KILL_SECONDS}


def broker_url(settings: Settings) -> str:
    """The URL of Redis in the form that Celery reads."""
    if settings.redis_url is None:
        return IN_MEMORY
    parts = urlsplit(settings.redis_url)
    if parts.scheme == "unix":
        database = parse_qs(parts.query).get("db", ["0"])[0]
        return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"
    if parts.scheme == "rediss" and "ssl_cert_reqs" not in parse_qs(parts.query):
        # Celery would accept any certificate.
        query = "&".join(filter(None, [parts.query, urlencode({"ssl_cert_reqs": "required"})]))
        return parts._replace(query=query).geturl()
    return settings.redis_url


def _transport_options(settings: Settings) -> dict[str, Any]:
    if settings.redis_url is None:
        return {"polling_interval": MEMORY_POLL_SECONDS}
    return {
        "visibility_timeout": VISIBILITY,
        "socket_timeout": BROKER_SECONDS,
        "socket_connect_timeout": BROKER_SECONDS,
        "socket_keepalive": True,
        "health_check_interval": HEALTH_CHECK_SECONDS,
        # A message that cannot be sent is dropped; see `worker.scheduler`.
        "max_retries": 0,
    }


class LibraryLogHandler(logging.Handler):
    """Log records of libraries, in the form of our log."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        more = {} if error is None else {"error": error}
        log.log(record.levelno, record.name, message=record.getMessage().split("\n")[0], **more)


def route_library_logs() -> None:
    """Log warnings and errors of libraries, and keep Celery from configuring the logs."""
    signals.setup_logging.connect(lambda **_: None, weak=False)
    root = logging.getLogger()
    root.handlers = [LibraryLogHandler()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
