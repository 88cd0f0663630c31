"""Watcher for events: one query for all waiting requests of a process.

A request has news when the last event number of its person is greater than its own. A commit in
this process makes the watcher query at once; commits of others are seen within `POLL_SECONDS`. No
event is missed: a query that comes too early is followed by the next one.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog

from service.db.session import is_transient
from service.notify.waiting import Waiting

log = structlog.get_logger()

POLL_SECONDS = 0.5
SHORTEST_PAUSE = 0.02  # seconds between two queries
BUSY_SHARE = 0.1  # of the time may be spent on queries
PAUSE_AFTER_ERROR = 2.0

Query = Callable[[list[str]], Awaitable[dict[str, int]]]


class Waiter:
    """A waiting request in the event loop."""

    def __init__(self, waiting: Waiting) -> None:
        self.waiting = waiting
        self.changed = asyncio.Event()
        self.ended = False  # credential no longer valid, client gone, or server stopping

    def end(self) -> None:
        self.ended = True
        self.changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for events or the end; False if the time is up."""
        try:
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        except TimeoutError:
            return False
        self.changed.clear()
        return True


class Watcher:
    """Wakes the waiting requests of this process."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.waiters: set[Waiter] = set()
        self.hint = asyncio.Event()
        self.stopped = False

    def add(self, waiter: Waiter) -> None:
        self.waiters.add(waiter)
        if self.stopped:
            waiter.end()
        self.hint.set()

    def remove(self, waiter: Waiter) -> None:
        self.waiters.discard(waiter)

    def check_soon(self) -> None:
        """Query soon: a transaction was committed."""
        self.hint.set()

    def stop(self) -> None:
        """End all waiting requests: the process stops."""
        self.stopped = True
        for waiter in self.waiters:
            waiter.end()

    async def run(self) -> None:
        """Query while requests wait, for ever."""
        while True:
            await self._hinted(POLL_SECONDS if self.waiters else None)
            if self.waiters:
                await asyncio.sleep(await self._check())

    async def _hinted(self, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.hint.wait()
        self.hint.clear()

    async def _check(self) -> float:
        """Wake requests with new events; the seconds before the next query."""
        waiters = list(self.waiters)
        began = time.monotonic()
        try:
            found = await self.query(list({one.waiting.credential_id for one in waiters}))
        except Exception as error:
            if not is_transient(error):
                log.exception("event_watch_failed")
            return PAUSE_AFTER_ERROR
        for waiter in waiters:
            last = found.get(waiter.waiting.credential_id)
            if last is None:
                waiter.end()
            elif last > waiter.waiting.after:
                waiter.changed.set()
        return max(SHORTEST_PAUSE, (time.monotonic() - began) / BUSY_SHARE)
