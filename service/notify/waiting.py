"""Requests that wait for events, and their limits.

A view hands a `Waiting` to the web server (`service.ops.asgi`) and returns; the server holds the
connection in its event loop, without a thread and without a database connection.
"""

import threading
from collections import Counter
from dataclasses import dataclass, field

import orjson

from engine.contract import Json
from service.access.credentials import Caller, last_events
from service.access.scopes import GAMES_READ
from service.core.config import Limits
from service.core.errors import Problem
from service.db.session import reading
from service.notify.event_log import EventRow, event_json, events_after

HANDOVER = "laguna.handover"  # key in the WSGI environment of a server that holds connections
RETRY_AFTER = 5  # seconds
EVENTS_PER_READ = 100


@dataclass(eq=False)
class Waiting:
    """A long poll or a stream of a person's events."""

    person_id: str
    credential_id: str
    after: int
    limit: int
    seconds: float
    stream: bool


@dataclass
class Handover:
    """Result of a view for the web server."""

    waiting: Waiting | None = None
    place_of: str | None = None


@dataclass
class Places:
    """Count of waiting requests in this process, limited in all and for each account."""

    taken: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, account_id: str, most: Limits) -> None:
        """Take a place; raises `too_many_waiting`."""
        with self.lock:
            if (
                self.taken.total() >= most.waiting_requests
                or self.taken[account_id] >= most.waiting_requests_per_person
            ):
                raise Problem(
                    "too_many_waiting",
                    f"Too many requests of yours wait for events; try again in {RETRY_AFTER} "
                    "seconds, or ask without waiting.",
                    headers={"Retry-After": str(RETRY_AFTER)},
                )
            self.taken[account_id] += 1

    def leave(self, account_id: str) -> None:
        with self.lock:
            self.taken[account_id] -= 1
            if not self.taken[account_id]:
                del self.taken[account_id]


PLACES = Places()


def account_of(caller: Caller) -> str:
    """The account that limits count for: of a bot, its owner."""
    return caller.owner_id or caller.person_id


def newest(credential_ids: list[str]) -> dict[str, int]:
    """The last event number for each valid one of these credentials."""
    with reading():
        return last_events(credential_ids, GAMES_READ)


def events_json(found: list[EventRow], last: int) -> bytes:
    """The response of a long poll."""
    items: list[Json] = [event_json(event) for event in found]
    return orjson.dumps({"items": items, "last": items[-1]["number"] if items else last})


def stream_lines(found: list[EventRow]) -> bytes:
    """Events in the form of a stream."""
    return b"".join(
        b"id: %d\nevent: %s\ndata: %s\n\n"
        % (event.number, event.type.encode(), orjson.dumps(event_json(event)))
        for event in found
    )


def poll_response(waiting: Waiting) -> bytes | None:
    """The response of a long poll; None if there are no events yet."""
    with reading():
        found = events_after(waiting.person_id, waiting.after, waiting.limit)
    return events_json(found, waiting.after) if found else None


def stream_chunk(waiting: Waiting) -> tuple[bytes, bool]:
    """The next lines of a stream, and whether there are more."""
    with reading():
        found = events_after(waiting.person_id, waiting.after, EVENTS_PER_READ)
    if found:
        waiting.after = found[-1].number
    return stream_lines(found), len(found) == EVENTS_PER_READ
