"""A round of webhook calls: several at a time, and few of one person.

An address that does not answer holds its place for as long as a call may take. Since a person has
only some of the places, and the others are filled as soon as something is due, it delays nobody
else's deliveries.
"""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from flask import Flask, current_app

from service.core.clock import now
from service.notify.channels import deliveries
from worker.job_run import Asked, JobRun

PLACES = 8  # calls at a time
PLACES_EACH = 2  # of one person, bots included
POLL_SECONDS = 0.5  # between looks for what is due while calls are under way
LINGER_SECONDS = 20.0  # for deliveries of others, while a round that should end waits for calls
WEBHOOKS_AT_ONCE = 50  # for which deliveries are written in one transaction


class WebhookCalls:
    """The calls of one round. `stop` says that the round should end, and `ending` that the whole
    worker should."""

    def __init__(self, stop: Asked, clock: Callable[[], float] = time.monotonic) -> None:
        self.stop, self.clock = stop, clock
        self.ending = stop.asked if isinstance(stop, JobRun) else stop
        self.app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
        self.running: dict[Future[bool], deliveries.Due] = {}
        self.done = 0
        self.stopped_at: float | None = None
        self.held_up: set[str] = set()  # people whose calls were under way when it should end

    def run(self) -> int:
        """Write and send deliveries until nothing is due; how much was done."""
        with ThreadPoolExecutor(PLACES, "call") as pool:
            while True:
                if self.may_start():
                    self._write()
                    self._start(pool)
                if not self.running:
                    return self.done
                finished, _ = wait(self.running, POLL_SECONDS, FIRST_COMPLETED)
                for call in finished:
                    del self.running[call]
                    self.done += call.result()

    def may_start(self) -> bool:
        """Whether calls may be started. A round that should end waits for those that are under
        way; meanwhile the deliveries of other people are not kept waiting."""
        if self.stopped_at is None and self.stop():
            self.stopped_at = self.clock()
            self.held_up = {due.person_id for due in self.running.values()}
        if self.stopped_at is None:
            return True
        lingering = self.clock() - self.stopped_at < LINGER_SECONDS
        return lingering and bool(self.running) and not self.ending()

    def _write(self) -> None:
        while written := deliveries.write_deliveries(now(), WEBHOOKS_AT_ONCE):
            self.done += written
            if self.stop():
                return

    def _start(self, pool: ThreadPoolExecutor) -> None:
        busy = Counter(due.person_id for due in self.running.values())
        under_way = {due.id for due in self.running.values()}
        full = {person for person, calls in busy.items() if calls >= PLACES_EACH}
        for due in deliveries.due_deliveries(
            now(), PLACES + len(under_way), PLACES_EACH + 1, full | self.held_up
        ):
            if len(self.running) >= PLACES:
                return
            if due.id not in under_way and busy[due.person_id] < PLACES_EACH:
                busy[due.person_id] += 1
                self.running[pool.submit(self._call, due.id)] = due

    def _call(self, delivery_id: str) -> bool:
        with self.app.app_context():
            return deliveries.attempt(delivery_id, now()) is not None
