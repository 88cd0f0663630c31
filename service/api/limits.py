"""How often somebody may ask, in windows that begin with the first request.

Counted in memory, or in Redis for all web processes together.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

import structlog
from cachetools import LRUCache
from flask import Flask, Response, current_app, g, request
from limits import RateLimitItem, parse
from limits.storage import RedisStorage

from service.access import STRANGER, Key
from service.api.reading import shown_key
from service.config import Settings
from service.keys import digest
from service.problems import Refused
from service.settings import settings

log = structlog.get_logger()
EXTENSION = "laguna_limits"
MOST_KEYS = 50_000
PATIENCE = 0.5  # seconds for Redis to answer
ALONE_FOR = 10.0  # seconds without asking it, when it did not
UNAUTHORIZED = 401
API = "/v1/"
# Mails come from one server, as many as there are; what is not signed costs next to nothing.
FREE = ("/healthz", "/readyz", "/metrics", "/static/", "/hooks/")


class Windows(Protocol):
    """Where requests are counted: each key in a window that begins with its first request."""

    def incr(self, key: str, expiry: int) -> int: ...

    def get_expiry(self, key: str) -> float: ...


class OwnWindows:
    """Counts of this process. (The memory storage of `limits` starts a timer thread for nearly
    every request.)"""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.counts: LRUCache[str, tuple[int, float]] = LRUCache(MOST_KEYS)
        self.lock = threading.Lock()

    def incr(self, key: str, expiry: int) -> int:
        present = self.clock()
        with self.lock:
            count, ends = self.counts.get(key, (0, 0.0))
            if ends <= present:
                count, ends = 0, present + expiry
            self.counts[key] = (count + 1, ends)
        return count + 1

    def count(self, key: str) -> int:
        with self.lock:
            count, ends = self.counts.get(key, (0, 0.0))
        return count if ends > self.clock() else 0

    def get_expiry(self, key: str) -> float:
        with self.lock:
            return self.counts.get(key, (0, self.clock()))[1]


class Counter:
    """Counts requests; when Redis is away each process counts for itself, nobody is stopped.

    Then it is left alone for a while: a silent one would keep every request waiting.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.alone_until = 0.0
        limits = settings.limits
        self.requests = parse(limits.requests)
        self.anonymous = parse(limits.anonymous_requests)
        self.sign_ins_per_client = parse(limits.sign_ins_per_client)
        self.here = OwnWindows()
        self.shared: Windows = self.here
        if settings.redis_url is not None:
            self.shared = RedisStorage(
                settings.redis_url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
            )

    def hit(self, item: RateLimitItem, *who: str) -> tuple[bool, int, int]:
        """Count one; whether it is allowed, how many are left, seconds until they are back."""
        key = item.key_for(*who)
        if self.clock() >= self.alone_until:
            try:
                return self._hit(self.shared, item, key)
            except Exception as error:  # whatever a client of Redis raises
                log.warning("limits_not_shared", error=type(error).__name__)
                self.alone_until = self.clock() + ALONE_FOR
        return self._hit(self.here, item, key)

    def note_guess(self, address: str) -> None:
        """Somebody there showed a token that is none; each invention would have a new count."""
        self.here.incr(f"guess/{address}", self.anonymous.get_expiry())

    def guesses_too_often(self, address: str) -> bool:
        return self.here.count(f"guess/{address}") > self.anonymous.amount

    def _hit(self, storage: Windows, item: RateLimitItem, key: str) -> tuple[bool, int, int]:
        count = storage.incr(key, item.get_expiry())
        allowed = count <= item.amount
        reset = 0 if allowed else max(1, round(storage.get_expiry(key) - time.time()))
        return allowed, max(0, item.amount - count), reset


def register_limits(app: Flask, settings: Settings) -> None:
    app.extensions[EXTENSION] = Counter(settings)
    app.before_request(_count_request)
    app.after_request(_tell_limits)


def _counter() -> Counter:
    counter: Counter = current_app.extensions[EXTENSION]
    return counter


def _count_request() -> None:
    if request.path.startswith(FREE) or request.method == "OPTIONS":
        return
    key = _counted_key()
    counter = _counter()
    item = counter.anonymous if key.digest is None else counter.requests
    who = key.digest or request.remote_addr or ""
    allowed, left, reset = counter.hit(item, "requests", who)
    g.rate = (item, left)
    if not allowed or counter.guesses_too_often(request.remote_addr or ""):
        raise _too_many("too_many_requests", "You ask too often", max(reset, 1))


def _counted_key() -> Key:
    """What to count by: the token, or the cookie of a page. A header that is no token is refused
    where one is needed, not here."""
    if not request.path.startswith(API):
        secret = request.cookies.get(settings().session_cookie)
        return Key(digest(secret)) if secret else STRANGER
    try:
        return shown_key()
    except Refused:
        return STRANGER


def _too_many(code: str, what: str, reset: int) -> Refused:
    return Refused(
        code, f"{what}; try again in {reset} seconds.", headers={"Retry-After": str(reset)}
    )


def note_guess() -> None:
    """The request showed a secret that is none."""
    _counter().note_guess(request.remote_addr or "")


def _tell_limits(response: Response) -> Response:
    if response.status_code == UNAUTHORIZED:
        note_guess()
    rate = g.get("rate")
    if rate is not None:
        item, left = rate
        policy = f'"requests";q={item.amount};w={item.get_expiry()}'
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", f'"requests";r={left}')
    return response


def count_sign_in() -> None:
    """Refuse to mail codes at the wish of one client too often; see also `ask_to_sign_in`."""
    counter = _counter()
    address = request.remote_addr or ""
    allowed, _, reset = counter.hit(counter.sign_ins_per_client, "sign-in", address)
    if not allowed:
        raise _too_many("too_many_sign_ins", "Too many codes were asked for", reset)
