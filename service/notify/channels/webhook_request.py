"""HTTP request of a webhook delivery: signature, meaning of the answer, next attempt."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zlib import crc32

import standardwebhooks
from werkzeug.http import parse_date

from service.core.http_client import Unreachable, post
from service.db.lease_queue import pause_after

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
JITTER = 0.1  # share of a pause that is added at most, so that retries spread
LONGEST_RETRY_AFTER = timedelta(days=1)
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
    """Result of an attempt."""

    status: int | None
    error: str | None  # None: it arrived
    wait: timedelta | None = None  # from Retry-After

    @property
    def arrived(self) -> bool:
        return self.error is None

    @property
    def gone(self) -> bool:
        """Whether the address refuses all further requests."""
        return self.status == GONE


def make_call(call: Call, open_to_all: bool) -> Outcome:
    """Send the request. It may take long: call it outside any transaction."""
    try:
        reply = post(call.url, call.body.encode(), _headers(call), open_to_all)
    except Unreachable as problem:
        return Outcome(None, str(problem)[:LONGEST_ERROR])
    if 200 <= reply.status < 300:
        return Outcome(reply.status, None)
    hint = "; redirects are not followed" if 300 <= reply.status < 400 else ""
    wait = _retry_after(reply.retry_after, call.at) if reply.status in MAY_ASK_TO_WAIT else None
    return Outcome(reply.status, f"The answer was {reply.status}{hint}.", wait)


def _headers(call: Call) -> dict[str, str]:
    """The headers of Standard Webhooks."""
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


def _retry_after(retry_after: str | None, at: datetime) -> timedelta | None:
    """The pause of a Retry-After, which is in seconds or a date; a day at most."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal():
        return min(timedelta(seconds=int(text[:6])), LONGEST_RETRY_AFTER)
    then = parse_date(text)
    return None if then is None else max(timedelta(0), min(then - at, LONGEST_RETRY_AFTER))


def next_try(call: Call, outcome: Outcome) -> datetime | None:
    """The time of the next attempt after a failure; None: give up."""
    pause = pause_after(call.attempt, BACK_OFF)
    if pause is None:
        return None
    share = crc32(f"{call.id}.{call.attempt}".encode()) / 2**32
    pause *= 1 + JITTER * share
    return call.at + max(pause, outcome.wait or pause)
