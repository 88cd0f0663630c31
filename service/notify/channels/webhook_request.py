"""Calling a webhook: the signed request, what its answer means, and when to try again."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from zlib import crc32

import standardwebhooks

from service.core.http_client import Unreachable, post

BACK_OFF = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
JITTER = 0.1  # so much of a pause is added at most, lest all retries come at once
LONGEST_WISH = timedelta(days=1)  # of a Retry-After
GONE = 410
MAY_ASK_TO_WAIT = (429, 503)
LONGEST_ERROR = 300


class Call(NamedTuple):
    """One attempt to deliver something."""

    id: str  # the same at every attempt
    url: str
    body: str
    secrets: tuple[str, ...]  # while one is being replaced both sign
    attempt: int  # from one
    at: datetime


class Outcome(NamedTuple):
    """How an attempt ended."""

    status: int | None
    error: str | None  # None: it arrived
    wait: timedelta | None = None  # what the address asked for

    @property
    def arrived(self) -> bool:
        return self.error is None

    @property
    def gone(self) -> bool:
        """Whether the address wants no call ever again."""
        return self.status == GONE


def make_call(call: Call, open_to_all: bool) -> Outcome:
    """Send it. Takes a while: not inside a transaction."""
    try:
        reply = post(call.url, call.body.encode(), _headers(call), open_to_all)
    except Unreachable as problem:
        return Outcome(None, str(problem)[:LONGEST_ERROR])
    if 200 <= reply.status < 300:
        return Outcome(reply.status, None)
    hint = "; redirects are not followed" if 300 <= reply.status < 400 else ""
    wait = _wish(reply.retry_after, call.at) if reply.status in MAY_ASK_TO_WAIT else None
    return Outcome(reply.status, f"The answer was {reply.status}{hint}.", wait)


def _headers(call: Call) -> dict[str, str]:
    """Those of Standard Webhooks."""
    moment = call.at.astimezone(UTC)
    signatures = [
        standardwebhooks.Webhook(secret).sign(call.id, moment, call.body) for secret in call.secrets
    ]
    return {
        "Content-Type": "application/json",
        "User-Agent": "Laguna-Webhooks/1",
        "webhook-id": call.id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _wish(retry_after: str | None, at: datetime) -> timedelta | None:
    """How long a Retry-After asks to wait, in seconds or until a date; a day at most."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal():
        return LONGEST_WISH if len(text) > 6 else min(timedelta(seconds=int(text)), LONGEST_WISH)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return max(timedelta(0), min(then - at, LONGEST_WISH))


def next_try(call: Call, outcome: Outcome) -> datetime | None:
    """When to call again after a failure; None: never."""
    if call.attempt > len(BACK_OFF):
        return None
    share = crc32(f"{call.id}.{call.attempt}".encode()) / 2**32
    pause = BACK_OFF[call.attempt - 1] * (1 + JITTER * share)
    return call.at + max(pause, outcome.wait or pause)
