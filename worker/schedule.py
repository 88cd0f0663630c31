"""Schedule of the jobs: their intervals and queues.

It need not be exact. The database says what is due; a run that is lost, late or doubled is made up
for by the next one, so that two schedules at once do no harm.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

if TYPE_CHECKING:
    from celery import Celery

log = structlog.get_logger()

DEADLINES, MAIL, WEBHOOKS, BOTS, UPKEEP = "deadlines", "mail", "webhooks", "bots", "upkeep"
QUEUES = (DEADLINES, MAIL, WEBHOOKS, BOTS, UPKEEP)
MINUTE, HOUR = 60.0, 3600.0
# Clocks of two machines may differ by this much without a message counting as expired.
LEAST_LIFE = 60.0
MOST_WAITING = 50  # messages in a queue, for which there may be no worker
PREFIX = "laguna."


class Job(NamedTuple):
    """A job that runs at an interval of seconds, and when the web signals work for its queue."""

    name: str
    queue: str
    every: float
    every_if_woken: float | None = None  # where the web signals work
    is_woken: bool = False  # by a signal for its queue
    processes: int | None = 1  # of one worker that may run it at the same time; None: all
    limit: float = 120.0  # seconds; then the task is interrupted, and later its process killed

    @property
    def task(self) -> str:
        return PREFIX + self.name

    def interval(self, woken: bool) -> float:
        return self.every_if_woken if woken and self.every_if_woken else self.every


JOBS = (
    Job("deadlines", DEADLINES, 20.0, processes=2, limit=MINUTE),
    Job("reminders", DEADLINES, MINUTE),
    Job("incoming", MAIL, 5.0, is_woken=True),
    # Two jobs: a sign-in code is sent however long settling takes, and even if it fails.
    Job("notices", MAIL, 5.0, is_woken=True),
    Job("letters", MAIL, 5.0, is_woken=True, limit=240.0),  # mail servers may be slow
    Job("webhooks", WEBHOOKS, 2.0, is_woken=True),
    Job("bots", BOTS, 1.0, every_if_woken=5.0, is_woken=True, processes=None),
    Job("pauses", UPKEEP, MINUTE),
    Job("metrics", UPKEEP, 30.0),
    Job("audit", UPKEEP, MINUTE, limit=600.0),
    Job("purge", UPKEEP, HOUR, limit=600.0),
)


def jobs_of(queues: Collection[str]) -> tuple[Job, ...]:
    return tuple(job for job in JOBS if job.queue in queues)


def job_named(name: str) -> Job:
    return next(job for job in JOBS if job.name == name)


def woken_jobs(queue: str) -> tuple[Job, ...]:
    """The jobs that a signal for a queue starts."""
    return tuple(job for job in jobs_of([queue]) if job.is_woken)


def timetable(jobs: Sequence[Job], woken: bool) -> dict[str, Any]:
    """The schedule in the form of Celery."""
    return {
        job.name: {
            "task": job.task,
            "schedule": job.interval(woken),
            "options": message_options(job, job.interval(woken)),
        }
        for job in jobs
    }


def message_options(job: Job, every: float = 0.0) -> dict[str, Any]:
    """Options of a message: it is not retried, and expires."""
    return {
        "queue": job.queue,
        "expires": max(every, LEAST_LIFE),
        "ignore_result": True,
        "retry": False,
    }


def post(celery: "Celery", task: str, options: Mapping[str, Any]) -> None:
    """Send a message, unless the queue is full; raises errors of the broker's client."""
    with celery.producer_or_acquire() as producer:
        if not _is_full(producer.connection, options["queue"]):
            celery.send_task(task, producer=producer, **options)


def post_again(celery: "Celery", job: Job) -> None:
    """Ask for another run of a job at once; without a broker the schedule starts it later."""
    try:
        post(celery, job.task, message_options(job))
    except Exception as error:  # any error of the broker's client
        log.warning("job_not_repeated", job=job.name, error=type(error).__name__)


def _is_full(connection: Any, queue: str) -> bool:
    try:
        found = connection.default_channel.queue_declare(queue, passive=True)
    except connection.channel_errors:
        return False  # Redis has no empty lists
    return bool(found.message_count >= MOST_WAITING)
