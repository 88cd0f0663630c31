"""Watcher for events: one query for all waiting requests of a process.

Every waiting request compares the last event number of its person with the number it has. Nothing
is missed: a look that comes too early is followed by the next one. A commit in this process makes
the watcher look at once, others are seen within `LOOK_SECONDS`.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog

from service.db.session import is_transient
from service.notify.waiting import Waiting

log = structlog.get_logger()

LOOK_SECONDS = 0.5
SHORTEST_PAUSE = 0.02  # seconds between two looks
BUSY_SHARE = 0.1  # of the time may be spent looking
PAUSE_AFTER_ERROR = 2.0

Look = Callable[[list[str]], Awaitable[dict[str, int]]]


class Waiter:
    """A waiting request in the event loop."""

    def __init__(self, waiting: Waiting) -> None:
        self.waiting = waiting
        self.changed = asyncio.Event()
        self.ended = False  # the credential is no longer good, the client or the server has gone

    def end(self) -> None:
        self.ended = True
        self.changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for news or the end; False if the time is up."""
        try:
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        except TimeoutError:
            return False
        self.changed.clear()
        return True


class Watcher:
    """Wakes the waiting requests of this process."""

    def __init__(self, look: Look) -> None:
        self.look = look
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

    def look_soon(self) -> None:
        """Something was committed; it may concern a waiting request."""
        self.hint.set()

    def stop(self) -> None:
        """End all waiting requests: the process is about to end."""
        self.stopped = True
        for waiter in self.waiters:
            waiter.end()

    async def run(self) -> None:
        """Look while somebody waits, for ever."""
        while True:
            await self._hinted(LOOK_SECONDS if self.waiters else None)
            if self.waiters:
                await asyncio.sleep(await self._look())

    async def _hinted(self, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.hint.wait()
        self.hint.clear()

    async def _look(self) -> float:
        """Wake everybody who has news; how long to pause before the next look."""
        looked_for = list(self.waiters)
        began = time.monotonic()
        try:
            found = await self.look(list({one.waiting.credential_id for one in looked_for}))
        except Exception as error:
            if not is_transient(error):
                log.exception("event_watch_failed")
            return PAUSE_AFTER_ERROR
        for waiter in looked_for:
            last = found.get(waiter.waiting.credential_id)
            if last is None:
                waiter.end()
            elif last > waiter.waiting.after:
                waiter.changed.set()
        return max(SHORTEST_PAUSE, (time.monotonic() - began) / BUSY_SHARE)
