"""The worker's duties: each calls functions of the service and says how much it did."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

import structlog
from flask import Flask, current_app
from sqlalchemy.exc import InterfaceError, OperationalError

from service import chores, mailing, webhooks
from service.chores import Waiting
from service.clock import now
from service.database import transact
from service.play import answer_for_absent

log = structlog.get_logger()

Asked = Callable[[], bool]  # whether the worker was asked to stop

AT_ONCE = 50  # decisions read from the database
IN_A_ROW = 500  # then other duties have their turn
CALLS_AT_ONCE = 8
REST = 60.0  # seconds for a decision that could not be answered
HOUR = 3600.0
HEARTBEAT = "worker.alive"


class Duty(NamedTuple):
    """Something to look after, in every round or every so many seconds."""

    name: str
    do: Callable[[Asked], int]
    every: float = 0.0


class Answering:
    """Answers decisions for those who do not, one transaction each.

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
        while answered < IN_A_ROW:
            self._wake()
            found = self.find(now(), AT_ONCE + len(self.resting))
            waiting = [one for one in found if one not in self.resting]
            if not waiting:
                break
            before = answered
            for one in waiting:
                if stop():
                    return answered
                answered += self._answer(one)
            if answered == before:
                break  # others were quicker, or nothing can be done about these
        return answered

    def _answer(self, waiting: Waiting) -> bool:
        try:
            result = transact(lambda: answer_for_absent(waiting.game_id, waiting.decision, now()))
        except (OperationalError, InterfaceError):
            raise  # nothing is wrong with this decision
        except Exception:
            self.resting[waiting] = self.clock() + REST
            log.exception("not_answered", game=waiting.game_id, decision=waiting.decision)
            return False
        return result is not None

    def _wake(self) -> None:
        present = self.clock()
        self.resting = {one: until for one, until in self.resting.items() if until > present}


def write_deliveries(stop: Asked) -> int:
    """Turn what people were told into deliveries to their webhooks."""
    total = 0
    while not stop() and (written := webhooks.write_deliveries(now(), AT_ONCE)):
        total += written
    return total


def send_deliveries(stop: Asked) -> int:
    """Call webhooks, several at a time: an address that does not answer takes its time."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]

    def attempt(delivery: str) -> bool:
        if stop():
            return False
        with app.app_context():
            return webhooks.attempt(delivery, now()) is not None

    due = webhooks.due_deliveries(now(), AT_ONCE)
    if not due:
        return 0
    with ThreadPoolExecutor(CALLS_AT_ONCE, "call") as pool:
        return sum(pool.map(attempt, due))


def purge(_: Asked) -> int:
    return transact(lambda: chores.purge(now())) + webhooks.forget_deliveries(now())


def beat(_: Asked) -> int:
    """Leave a sign of life beside the data: a file with the time."""
    path = current_app.config["LAGUNA"].data / HEARTBEAT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{now().isoformat(timespec='seconds')}\n")
    return 0


def lanes() -> Mapping[str, Sequence[Duty]]:
    """Duties that wait for each other; a slow mail server does not keep a bot from its move."""
    return {
        "play": (
            Duty("bots", Answering(lambda _, most: chores.waiting_for_bots(most))),
            Duty("deadlines", Answering(chores.overdue)),
            Duty("heartbeat", beat, every=5.0),
            Duty("purge", purge, every=HOUR),
        ),
        "letters": (Duty("letters", mailing.send_letters),),
        "webhooks": (
            Duty("deliveries", write_deliveries),
            Duty("calls", send_deliveries),
        ),
    }
