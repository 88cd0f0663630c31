"""Webhook calls of one job run: several at a time, few of them for one person.

An address that does not answer occupies its slot until the call times out. A person has only some
of the slots, and free ones are filled as soon as something is due, so that it delays deliveries of
no other person.
"""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from flask import Flask, current_app

from service.core.clock import now
from service.notify.channels import deliveries
from worker.job_run import RunLimit, StopCheck

SLOTS = 8  # calls at a time
SLOTS_PER_PERSON = 2  # bots included
POLL_SECONDS = 0.5  # between queries for due deliveries while calls are under way
LINGER_SECONDS = 20.0  # for deliveries of others, while a run that should end waits for calls
WEBHOOK_BATCH = 50  # for which deliveries are written in one transaction


class WebhookCalls:
    """The calls of one run. `stop` says that the run should end, `stopping` that the worker has
    to."""

    def __init__(self, stop: StopCheck, clock: Callable[[], float] = time.monotonic) -> None:
        self.stop, self.clock = stop, clock
        self.stopping = stop.stopping if isinstance(stop, RunLimit) else stop
        self.app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
        self.running: dict[Future[bool], deliveries.Due] = {}
        self.done = 0
        self.stopped_at: float | None = None
        self.excluded: set[str] = set()  # people whose calls were under way when it should end

    def run(self) -> int:
        """Write and send deliveries until nothing is due; the number of both."""
        with ThreadPoolExecutor(SLOTS, "call") as pool:
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
        """Whether calls may be started. A run that should end waits for those under way; meanwhile
        it still sends the deliveries of other people."""
        if self.stopped_at is None and self.stop():
            self.stopped_at = self.clock()
            self.excluded = {due.person_id for due in self.running.values()}
        if self.stopped_at is None:
            return True
        lingering = self.clock() - self.stopped_at < LINGER_SECONDS
        return lingering and bool(self.running) and not self.stopping()

    def _write(self) -> None:
        while written := deliveries.write_deliveries(now(), WEBHOOK_BATCH):
            self.done += written
            if self.stop():
                return

    def _start(self, pool: ThreadPoolExecutor) -> None:
        busy = Counter(due.person_id for due in self.running.values())
        under_way = {due.id for due in self.running.values()}
        full = {person for person, calls in busy.items() if calls >= SLOTS_PER_PERSON}
        for due in deliveries.due_deliveries(
            now(), SLOTS + len(under_way), SLOTS_PER_PERSON + 1, full | self.excluded
        ):
            if len(self.running) >= SLOTS:
                return
            if due.id not in under_way and busy[due.person_id] < SLOTS_PER_PERSON:
                busy[due.person_id] += 1
                self.running[pool.submit(self._call, due.id)] = due

    def _call(self, delivery_id: str) -> bool:
        with self.app.app_context():
            return deliveries.attempt(delivery_id, now()) is not None
