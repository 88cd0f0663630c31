"""The worker's jobs: each calls functions of the service until nothing is left or time is short."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial

from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from flask import Flask, current_app

from service import auditing, chores, deliveries, mailing, notices, reminders
from service.chores import Attempt, Waiting
from service.clock import now
from service.database import count_as_passing, transact
from service.inbound import processing
from service.play import Result
from worker.rounds import Asked, Rounds
from worker.schedule import JOBS, Job

count_as_passing(SoftTimeLimitExceeded)  # a round took too long, whatever it was just at

AT_ONCE = 50  # rows read from the database
MAILS_AT_ONCE = 10
CALLS_AT_ONCE = 8
AUDITED_AT_ONCE = 50  # games; the next hour goes on with others
REST = 60.0  # seconds for a decision that could not be answered, or need not be


class Answering:
    """Answers decisions for those who do not.

    One that fails rests for a while, so that it keeps nobody else's game waiting.
    """

    def __init__(
        self,
        find: Callable[[datetime, int], list[Waiting]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.find, self.clock = find, clock
        self.resting: dict[Waiting, float] = {}

    def __call__(self, stop: Asked) -> int:
        answered = 0
        while True:
            self._wake()
            found = self.find(now(), AT_ONCE + len(self.resting))
            waiting = [one for one in found if one not in self.resting]
            before = answered
            for attempt in chores.attempt_each(_from_own_place(waiting), stop):
                answered += self._was_answered(attempt)
            if answered == before or stop():
                return answered  # others were quicker, or nothing can be done about these

    def _was_answered(self, attempt: Attempt) -> bool:
        done = isinstance(attempt.came, Result)
        if not done:  # or it was answered, or will be by a mail that somebody has to read first
            self.resting[attempt.waiting] = self.clock() + REST
        return done

    def _wake(self) -> None:
        present = self.clock()
        self.resting = {one: until for one, until in self.resting.items() if until > present}


def _from_own_place(waiting: list[Waiting]) -> list[Waiting]:
    """Begin where no other process does, or all of them would queue for the same games."""
    if not waiting:
        return []
    place = os.getpid() % len(waiting)
    return waiting[place:] + waiting[:place]


def remind(stop: Asked) -> int:
    return _until_nothing_is_left(stop, lambda: reminders.remind(now(), AT_ONCE))


def process_mails(stop: Asked) -> int:
    """Do what the mails say that came in."""
    return _until_nothing_is_left(stop, lambda: processing.process_some(now(), MAILS_AT_ONCE))


def settle_notices(stop: Asked) -> int:
    """Settle which letters follow from what people were told."""
    return _until_nothing_is_left(stop, lambda: notices.settle(now(), AT_ONCE))


def send_letters(stop: Asked) -> int:
    return _until_nothing_is_left(stop, lambda: mailing.send_letters(stop))


def deliver_webhooks(stop: Asked) -> int:
    """Turn what people were told into deliveries to their webhooks, and call those."""
    written = _until_nothing_is_left(stop, lambda: deliveries.write_deliveries(now(), AT_ONCE))
    return written + _until_nothing_is_left(stop, partial(_call_webhooks, stop))


def _call_webhooks(stop: Asked) -> int:
    """Call several at a time: an address that does not answer takes its time."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]

    def attempt(delivery: str) -> bool:
        if stop():
            return False
        with app.app_context():
            return deliveries.attempt(delivery, now()) is not None

    due = deliveries.due_deliveries(now(), AT_ONCE)
    if not due:
        return 0
    with ThreadPoolExecutor(CALLS_AT_ONCE, "call") as pool:
        return sum(pool.map(attempt, due))


def end_pauses(_: Asked) -> int:
    return chores.resume_paused(now())


def audit(_: Asked) -> int:
    return auditing.audit_some(now(), AUDITED_AT_ONCE)


def purge(_: Asked) -> int:
    return transact(lambda: chores.purge(now())) + deliveries.forget_deliveries(now())


def _until_nothing_is_left(stop: Asked, some: Callable[[], int]) -> int:
    total = 0
    while not stop() and (done := some()):
        total += done
    return total


def functions() -> dict[str, Callable[[Asked], int]]:
    """What is done for each job, by its name."""
    return {
        "deadlines": Answering(chores.overdue),
        "reminders": remind,
        "incoming": process_mails,
        "notices": settle_notices,
        "letters": send_letters,
        "webhooks": deliver_webhooks,
        "bots": Answering(lambda _, most: chores.waiting_for_bots(most)),
        "pauses": end_pauses,
        "audit": audit,
        "purge": purge,
    }


def rounds_for(app: Flask, asked: Asked) -> Rounds:
    return Rounds(app, functions(), asked)


def register_tasks(celery: Celery, rounds: Rounds) -> None:
    """A task of Celery for each job: a round of it."""
    for job in JOBS:
        celery.task(_task(rounds, job), name=job.task)


def _task(rounds: Rounds, job: Job) -> Callable[[], None]:
    def task() -> None:
        rounds.do(job)

    task.__name__ = job.name
    return task
