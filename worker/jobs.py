"""The worker's jobs: each calls functions of the service until nothing is left or time is up."""

import random
import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial

from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from flask import Flask

from service.core.clock import now
from service.core.current_settings import settings
from service.db.session import count_as_transient, reading
from service.games import audit, deadlines
from service.games.deadlines import TAKEN, Waiting
from service.games.moves import PlayedMoves
from service.mail.inbound import processor
from service.mail.inbound.unread import has_unread_reply
from service.mail.outgoing import sender
from service.notify import letter_planner, reminders
from service.ops import retention
from service.ops.gauges import refresh_gauges
from worker.job_run import JobRunner, StopCheck
from worker.schedule import JOBS, Job, job_named
from worker.webhook_calls import WebhookCalls

count_as_transient(SoftTimeLimitExceeded)  # the run took too long, not the item it was at

BATCH = 50  # rows read from the database
DECISION_BATCH = 200  # large, so that processes which share the work rarely meet
MAIL_BATCH = 10
AUDIT_BATCH = 5  # games
DEFER_SECONDS = 60.0  # for a decision that failed, or waits for a mail


class AnswerJob:
    """Answers decisions of bots or absent players.

    A decision that fails is deferred, so that it delays no other game. Several processes may share
    the work: `share` asks for more of them if there is a lot, and a decision that another process
    has locked is left to it.
    """

    def __init__(
        self,
        find: Callable[[datetime, int], list[Waiting]],
        clock: Callable[[], float] = time.monotonic,
        share: Callable[[], None] = lambda: None,
    ) -> None:
        self.find, self.clock, self.share = find, clock, share
        self.deferred: dict[Waiting, float] = {}

    def __call__(self, stop: StopCheck) -> int:
        answered = 0
        taken: set[Waiting] = set()  # by other processes, in this run
        while True:
            waiting = self._find(taken)
            if not answered and not taken and len(waiting) >= DECISION_BATCH:
                self.share()
            before = answered, len(taken)
            found = _from_random_place(waiting)
            for attempt in deadlines.attempt_each(found, has_unread_reply, stop):
                if attempt.came is TAKEN:
                    taken.add(attempt.waiting)
                elif isinstance(attempt.came, PlayedMoves):
                    answered += 1
                else:  # it failed, or a mail has to be read first
                    self.deferred[attempt.waiting] = self.clock() + DEFER_SECONDS
            if stop() or before == (answered, len(taken)):
                return answered

    def _find(self, taken: Collection[Waiting]) -> list[Waiting]:
        present = self.clock()
        self.deferred = {one: until for one, until in self.deferred.items() if until > present}
        found = self.find(now(), DECISION_BATCH + len(self.deferred) + len(taken))
        return [one for one in found if one not in self.deferred and one not in taken]


def _from_random_place(waiting: list[Waiting]) -> list[Waiting]:
    """The list rotated at random, so that processes which share the work rarely meet."""
    place = random.randrange(len(waiting) or 1)  # noqa: S311 - nothing secret
    return waiting[place:] + waiting[:place]


def remind(stop: StopCheck) -> int:
    letter_planner.list_missed()  # rarely needed, and soon enough once a minute
    return _repeat(stop, lambda: reminders.remind(now(), BATCH))


def process_mails(stop: StopCheck) -> int:
    return _repeat(stop, lambda: processor.process_some(now(), MAIL_BATCH))


def plan_letters(stop: StopCheck) -> int:
    """Queue the letters that follow from new events."""
    return _repeat(stop, lambda: letter_planner.plan_letters(now(), BATCH))


def send_letters(stop: StopCheck) -> int:
    return _repeat(stop, lambda: sender.send_letters(stop))


def deliver_webhooks(stop: StopCheck) -> int:
    return WebhookCalls(stop).run()


def end_pauses(stop: StopCheck) -> int:
    return deadlines.resume_paused(now(), stop)


def count_for_metrics(_: StopCheck) -> int:
    """Refresh the gauges of the whole service, if they can be read."""
    if settings().metrics_port:
        with reading():
            refresh_gauges(now())
    return 0


def audit_games(stop: StopCheck, clock: Callable[[], float] = time.monotonic) -> int:
    """Audit running games for their share of a minute, those audited longest ago first."""
    until = clock() + settings().audit_share / 100 * job_named("audit").every
    audited = 0
    while not stop() and clock() < until:
        done = audit.audit_some(now(), AUDIT_BATCH)
        audited += done
        if done < AUDIT_BATCH:
            break
    return audited


def purge(stop: StopCheck) -> int:
    return retention.purge(now(), stop)


def _repeat(stop: StopCheck, process_some: Callable[[], int]) -> int:
    """Process batches until nothing is left; the number of items."""
    total = 0
    while not stop() and (done := process_some()):
        total += done
    return total


def functions(repeat: Callable[[Job], None]) -> dict[str, Callable[[StopCheck], int]]:
    """The function of each job, by its name; `repeat` asks for one more run of a job."""
    return {
        "deadlines": AnswerJob(deadlines.overdue, share=partial(repeat, job_named("deadlines"))),
        "reminders": remind,
        "incoming": process_mails,
        "notices": plan_letters,
        "letters": send_letters,
        "webhooks": deliver_webhooks,
        "bots": AnswerJob(lambda _, most: deadlines.waiting_for_bots(most)),
        "pauses": end_pauses,
        "metrics": count_for_metrics,
        "audit": audit_games,
        "purge": purge,
    }


def runner_for(
    app: Flask, stopping: StopCheck, repeat: Callable[[Job], None] = lambda _: None
) -> JobRunner:
    return JobRunner(app, functions(repeat), stopping, repeat=repeat)


def register_tasks(celery: Celery, runner: JobRunner) -> None:
    """Register a Celery task for each job, which runs it once."""
    for job in JOBS:
        celery.task(_task(runner, job), name=job.task)


def _task(runner: JobRunner, job: Job) -> Callable[[], None]:
    def task() -> None:
        runner.run(job)

    return task
