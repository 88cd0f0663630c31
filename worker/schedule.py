"""What is done how often, and in which queue: the one place where intervals stand.

None of it has to be exact. The database keeps the time; a round that is lost, comes late or comes
twice is made good by the next one, so that two schedules at once are as good as one.
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
# Clocks of two machines may differ by this much without a message counting as too old.
LEAST_LIFE = 60.0
MOST_WAITING = 50  # messages in a queue; they all say the same, and nobody may be there to read
PREFIX = "laguna."


class Job(NamedTuple):
    """Something to look after every so many seconds, or when somebody says that there is work."""

    name: str
    queue: str
    every: float
    every_if_woken: float | None = None  # where the web tells that there is work
    is_woken: bool = False  # when there is news for its queue
    processes: int | None = 1  # of one worker that may run it at the same time; None: all
    limit: float = 120.0  # seconds, then it is told to end and soon afterwards its process is ended

    @property
    def task(self) -> str:
        return PREFIX + self.name

    def interval(self, woken: bool) -> float:
        return self.every_if_woken if woken and self.every_if_woken else self.every


JOBS = (
    Job("deadlines", DEADLINES, 20.0, processes=2, limit=MINUTE),
    Job("reminders", DEADLINES, MINUTE),
    Job("incoming", MAIL, 5.0, is_woken=True),
    # Two jobs: a code to sign in is sent whatever there is to settle, and whether that goes well.
    Job("notices", MAIL, 5.0, is_woken=True),
    Job("letters", MAIL, 5.0, is_woken=True, limit=240.0),  # mail servers may take their time
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
    """What to do when there is news for a queue."""
    return tuple(job for job in jobs_of([queue]) if job.is_woken)


def timetable(jobs: Sequence[Job], woken: bool) -> dict[str, Any]:
    """The schedule in the form Celery wants it."""
    return {
        job.name: {
            "task": job.task,
            "schedule": job.interval(woken),
            "options": message_options(job, job.interval(woken)),
        }
        for job in jobs
    }


def message_options(job: Job, every: float = 0.0) -> dict[str, Any]:
    """How a message is sent: it waits for nobody, and counts for nothing when it is too old."""
    return {
        "queue": job.queue,
        "expires": max(every, LEAST_LIFE),
        "ignore_result": True,
        "retry": False,
    }


def post(celery: "Celery", task: str, options: Mapping[str, Any]) -> None:
    """Send a message; raises whatever the broker's client raises, within seconds."""
    with celery.producer_or_acquire() as producer:
        if not _is_full(producer.connection, options["queue"]):
            celery.send_task(task, producer=producer, **options)


def post_again(celery: "Celery", job: Job) -> None:
    """Ask for another round of a job at once. If the broker is away the timetable does it later."""
    try:
        post(celery, job.task, message_options(job))
    except Exception as error:  # whatever a client of the broker raises
        log.warning("job_not_repeated", job=job.name, error=type(error).__name__)


def _is_full(connection: Any, queue: str) -> bool:
    try:
        found = connection.default_channel.queue_declare(queue, passive=True)
    except connection.channel_errors:
        return False  # Redis has no empty lists
    return bool(found.message_count >= MOST_WAITING)
