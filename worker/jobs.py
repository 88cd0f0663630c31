"""The worker's jobs: each calls functions of the service until nothing is left or time is short."""

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
from service.notify import planner, reminders
from service.ops import retention
from service.ops.gauges import refresh_gauges
from worker.job_run import Asked, JobRunner, no_repeat
from worker.schedule import JOBS, Job, job_named
from worker.webhook_calls import WebhookCalls

count_as_transient(SoftTimeLimitExceeded)  # a round took too long, whatever it was just at

AT_ONCE = 50  # rows read from the database
DECISIONS_AT_ONCE = 200  # so many that processes which share them rarely meet
MAILS_AT_ONCE = 10
AUDITED_AT_ONCE = 5  # games
REST = 60.0  # seconds for a decision that could not be answered, or need not be


class Answering:
    """Answers decisions for those who do not.

    One that fails rests for a while, so that it keeps nobody else's game waiting. Several
    processes may share the work: `share` asks for others when there is a lot of it, and a
    decision that another process has taken is left to that process.
    """

    def __init__(
        self,
        find: Callable[[datetime, int], list[Waiting]],
        clock: Callable[[], float] = time.monotonic,
        share: Callable[[], None] = lambda: None,
    ) -> None:
        self.find, self.clock, self.share = find, clock, share
        self.resting: dict[Waiting, float] = {}

    def __call__(self, stop: Asked) -> int:
        answered = 0
        taken: set[Waiting] = set()  # by other processes, in this round
        while True:
            self._wake()
            waiting = self._found(taken)
            if not answered and not taken and len(waiting) >= DECISIONS_AT_ONCE:
                self.share()
            before = answered, len(taken)
            found = _from_random_place(waiting)
            for attempt in deadlines.attempt_each(found, has_unread_reply, stop):
                if attempt.came is TAKEN:
                    taken.add(attempt.waiting)
                elif isinstance(attempt.came, PlayedMoves):
                    answered += 1
                else:  # it failed, or waits for a mail that has to be read first
                    self.resting[attempt.waiting] = self.clock() + REST
            if stop() or before == (answered, len(taken)):
                return answered

    def _found(self, taken: Collection[Waiting]) -> list[Waiting]:
        found = self.find(now(), DECISIONS_AT_ONCE + len(self.resting) + len(taken))
        return [one for one in found if one not in self.resting and one not in taken]

    def _wake(self) -> None:
        present = self.clock()
        self.resting = {one: until for one, until in self.resting.items() if until > present}


def _from_random_place(waiting: list[Waiting]) -> list[Waiting]:
    """The same in another order, so that processes which share the work rarely meet."""
    place = random.randrange(len(waiting) or 1)  # noqa: S311 - nothing secret
    return waiting[place:] + waiting[:place]


def remind(stop: Asked) -> int:
    planner.list_missed()  # rarely needed, and soon enough once a minute
    return _until_nothing_is_left(stop, lambda: reminders.remind(now(), AT_ONCE))


def process_mails(stop: Asked) -> int:
    """Do what the mails say that came in."""
    return _until_nothing_is_left(stop, lambda: processor.process_some(now(), MAILS_AT_ONCE))


def settle_notices(stop: Asked) -> int:
    """Settle which letters follow from what people were told."""
    return _until_nothing_is_left(stop, lambda: planner.settle(now(), AT_ONCE))


def send_letters(stop: Asked) -> int:
    return _until_nothing_is_left(stop, lambda: sender.send_letters(stop))


def deliver_webhooks(stop: Asked) -> int:
    """Turn what people were told into deliveries to their webhooks, and call those."""
    return WebhookCalls(stop).run()


def end_pauses(stop: Asked) -> int:
    return deadlines.resume_paused(now(), stop)


def count_for_metrics(_: Asked) -> int:
    """Refresh the gauges of the whole service, if anybody can read them."""
    if settings().metrics_port:
        with reading():
            refresh_gauges(now())
    return 0


class Auditing:
    """Audits running games for its share of each minute, those audited longest ago first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock

    def __call__(self, stop: Asked) -> int:
        seconds = settings().audit_share / 100 * job_named("audit").every
        until = self.clock() + seconds
        audited = 0
        while not stop() and self.clock() < until:
            done = audit.audit_some(now(), AUDITED_AT_ONCE)
            audited += done
            if done < AUDITED_AT_ONCE:
                break
        return audited


def purge(stop: Asked) -> int:
    return retention.purge(now(), stop)


def _until_nothing_is_left(stop: Asked, some: Callable[[], int]) -> int:
    total = 0
    while not stop() and (done := some()):
        total += done
    return total


def functions(again: Callable[[Job], None] = no_repeat) -> dict[str, Callable[[Asked], int]]:
    """What is done for each job, by its name; `again` asks for one more round of a job."""
    return {
        "deadlines": Answering(deadlines.overdue, share=partial(again, job_named("deadlines"))),
        "reminders": remind,
        "incoming": process_mails,
        "notices": settle_notices,
        "letters": send_letters,
        "webhooks": deliver_webhooks,
        "bots": Answering(lambda _, most: deadlines.waiting_for_bots(most)),
        "pauses": end_pauses,
        "metrics": count_for_metrics,
        "audit": Auditing(),
        "purge": purge,
    }


def runner_for(app: Flask, asked: Asked, again: Callable[[Job], None] = no_repeat) -> JobRunner:
    return JobRunner(app, functions(again), asked, again=again)


def register_tasks(celery: Celery, rounds: JobRunner) -> None:
    """A task of Celery for each job: a round of it."""
    for job in JOBS:
        celery.task(_task(rounds, job), name=job.task)


def _task(rounds: JobRunner, job: Job) -> Callable[[], None]:
    def task() -> None:
        rounds.do(job)

    task.__name__ = job.name
    return task
