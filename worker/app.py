"""The Celery app of these settings. It opens no connection; a task is a message without contents.

Celery wakes things up and nothing else: what there is to do stands in the database. So every
message may be lost, doubled or late.
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

IN_MEMORY = "memory://localhost/"  # a name that nothing is asked for
LOOK_EVERY = 0.05  # seconds between looks into the queues of memory; Celery's own wait is a second
PATIENCE = 2.0  # seconds for every answer of the broker; without it a silent one holds all up
NOTICE_SILENCE = 5.0  # seconds after which a waiting connection is tried, and dropped if dead
LAST_MOMENTS = 30.0  # seconds between a task's limit and the end of its process
BORN_WITHIN = 60.0  # seconds for a new process to begin; Celery's own 4 kill it on a busy machine
VISIBILITY = 3600  # seconds; above all limits, or a running task would be given out again


def create_celery(settings: Settings, jobs: tuple[Job, ...] = JOBS) -> Celery:
    """Celery with the Redis of the settings, or without one within this process alone."""
    celery = Celery("laguna", set_as_current=False)
    celery.conf.update(
        broker_url=broker_url(settings),
        broker_transport_options=_transport_options(settings),
        broker_connection_timeout=PATIENCE,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever
        broker_heartbeat=0,
        result_backend=None,
        task_ignore_result=True,
        accept_content=["json"],
        task_serializer="json",
        event_serializer="json",
        task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUES},
        task_default_queue=DEADLINES,
        task_create_missing_queues=False,
        # A task counts as done when it is: if its process dies, another one does it.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_publish_retry=False,
        task_annotations={job.task: _limits(job) for job in JOBS},
        worker_prefetch_multiplier=1,
        worker_proc_alive_timeout=BORN_WITHIN,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        beat_scheduler=Beat,
        beat_schedule=timetable(jobs, woken=settings.redis_url is not None),
        beat_max_loop_interval=0.5,  # seconds; so that it ends soon when asked to
        enable_utc=True,
        timezone="UTC",
    )
    celery.steps["consumer"].add(StuckConsumerReset)
    return celery


def _limits(job: Job) -> dict[str, float]:
    """They hold where a worker has processes; a thread cannot be ended."""
    return {"soft_time_limit": job.limit, "time_limit": job.limit + LAST_MOMENTS}


def broker_url(settings: Settings) -> str:
    """The address of Redis in the words of Celery."""
    if settings.redis_url is None:
        return IN_MEMORY
    parts = urlsplit(settings.redis_url)
    if parts.scheme == "unix":
        database = parse_qs(parts.query).get("db", ["0"])[0]
        return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"
    if parts.scheme == "rediss" and "ssl_cert_reqs" not in parse_qs(parts.query):
        # Celery would believe any certificate.
        query = "&".join(filter(None, [parts.query, urlencode({"ssl_cert_reqs": "required"})]))
        return parts._replace(query=query).geturl()
    return settings.redis_url


def _transport_options(settings: Settings) -> dict[str, Any]:
    if settings.redis_url is None:
        return {"polling_interval": LOOK_EVERY}
    return {
        "visibility_timeout": VISIBILITY,
        "socket_timeout": PATIENCE,
        "socket_connect_timeout": PATIENCE,
        "socket_keepalive": True,
        "health_check_interval": NOTICE_SILENCE,
        # A message that cannot be sent is not sent; see `worker.scheduler`.
        "max_retries": 0,
    }


class LibraryLogHandler(logging.Handler):
    """What libraries have to say, in the form of our logs."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        told = {} if error is None else {"error": error}
        log.log(record.levelno, record.name, said=record.getMessage().split("\n")[0], **told)


def route_library_logs() -> None:
    """Let Celery leave the logs as they are, and hear it from warnings on."""
    signals.setup_logging.connect(_leave_logs_alone, weak=False)
    root = logging.getLogger()
    root.handlers = [LibraryLogHandler()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)


def _leave_logs_alone(**_: Any) -> None:
    """Celery sets up logs only if nobody listens to this signal."""
