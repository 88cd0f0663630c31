"""Rate limits: events counted in fixed windows, in memory or in Redis for all processes.

A window begins with the first event that is counted in it.
"""

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import structlog
from cachetools import LRUCache
from flask import Flask, current_app
from limits import RateLimitItem, parse
from limits.storage import RedisStorage

from service.core.config import Settings
from service.core.errors import Problem

log = structlog.get_logger()

EXTENSION = "laguna_rate_limits"
MOST_KEYS = 50_000  # kept in memory for each kind of limit
REDIS_TIMEOUT = 0.5  # seconds
REDIS_PAUSE = 10.0  # seconds without asking Redis after it did not answer


class MemoryWindows:
    """Counts of this process, with the least recently used evicted first. (The memory storage of
    `limits` keeps every key and starts a timer thread for nearly every request.)"""

    def __init__(self, most_keys: int = MOST_KEYS, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.counts: LRUCache[str, tuple[int, float]] = LRUCache(most_keys)
        self.lock = threading.Lock()

    def incr(self, key: str, expiry: int) -> int:
        present = self.clock()
        with self.lock:
            count, ends = self.counts.get(key, (0, 0.0))
            if ends <= present:
                count, ends = 0, present + expiry
            self.counts[key] = (count + 1, ends)
        return count + 1

    def get_expiry(self, key: str) -> float:
        with self.lock:
            return self.counts.get(key, (0, self.clock()))[1]


class Usage(NamedTuple):
    """The state of a limit after an event was counted."""

    allowed: bool
    left: int
    reset: int  # seconds until the window ends, if the event was not allowed


class RateLimiter:
    """Counter of events by kind and key.

    Each kind has its own store in memory, so that a flood of keys of one kind evicts no counts
    of another. While Redis is unavailable each process counts for itself and leaves Redis alone
    for a while, because a silent one would delay every request.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        most_keys: int = MOST_KEYS,
    ) -> None:
        self.clock, self.most_keys = clock, most_keys
        self.alone_until = 0.0
        self.memory: dict[str, MemoryWindows] = {}
        self.shared: RedisStorage | None = None
        if settings.redis_url is not None:
            self.shared = RedisStorage(
                settings.redis_url,
                socket_timeout=REDIS_TIMEOUT,
                socket_connect_timeout=REDIS_TIMEOUT,
            )

    def hit(self, rate: str, kind: str, key: str) -> Usage:
        """Count one event against a rate such as `600 per minute`."""
        item = rate_item(rate)
        name = item.key_for(kind, key)
        if self.shared is not None and self.clock() >= self.alone_until:
            try:
                return _hit(self.shared, item, name)
            except Exception as error:  # any error of the Redis client
                log.warning("limits_not_shared", error=type(error).__name__)
                self.alone_until = self.clock() + REDIS_PAUSE
        windows = self.memory.get(kind)
        if windows is None:
            windows = self.memory.setdefault(kind, MemoryWindows(self.most_keys))
        return _hit(windows, item, name)


def _hit(windows: MemoryWindows | RedisStorage, item: RateLimitItem, name: str) -> Usage:
    count = windows.incr(name, item.get_expiry())
    allowed = count <= item.amount
    reset = 0 if allowed else max(1, round(windows.get_expiry(name) - time.time()))
    return Usage(allowed, max(0, item.amount - count), reset)


@cache
def rate_item(rate: str) -> RateLimitItem:
    return parse(rate)


def register_rate_limits(app: Flask, settings: Settings) -> None:
    app.extensions[EXTENSION] = RateLimiter(settings)


def rate_limiter() -> RateLimiter:
    found: RateLimiter = current_app.extensions[EXTENSION]
    return found


def check_rate(rate: str, kind: str, key: str, code: str, sentence: str) -> None:
    """Count one event; raises a problem with this code and sentence above the rate."""
    usage = rate_limiter().hit(rate, kind, key)
    if not usage.allowed:
        raise too_often(code, sentence, usage.reset)


def too_often(code: str, sentence: str, reset: int) -> Problem:
    return Problem(
        code, f"{sentence}; try again in {reset} seconds.", headers={"Retry-After": str(reset)}
    )
