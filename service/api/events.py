"""Following: the numbered log of what a person is told, by asking, by waiting, or as a stream."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import orjson
from flask import Response, g, request, stream_with_context

from engine.contract import Json
from service.access import Key, access_caller
from service.api.operations import Noun
from service.api.reading import shown_key
from service.api.schemas.log import EventsQuery, EventsSchema
from service.database import AnyRow, db
from service.problems import Refused
from service.scopes import GAMES_READ
from service.settings import settings
from service.telling import event_json, events_after, newest_event

events = Noun("events", __name__, description="What you are told, in order")

LOOK_EVERY = 0.5  # seconds
STREAM_FOR = 300  # seconds; clients come back by themselves, with the last number they have
QUIET_FOR = 15  # seconds after which a stream says that it is still there
STREAM_TYPE = "text/event-stream"


@events.operation(
    "GET",
    "/events",
    scope=GAMES_READ,
    query=EventsQuery,
    content={"application/json": EventsSchema, STREAM_TYPE: {"type": "string"}},
    waits=True,
)
def list_events(query: Json) -> Response:
    """Follow what you are told

    Numbered without gaps: `after` brings everything since. With `wait` the answer comes when
    there is something, at the latest after so many seconds. With `Accept: text/event-stream` it
    is a stream that goes on where `Last-Event-ID` or `after` says. While very many are waiting
    the answer may come at once and be empty: ask again."""
    key = shown_key()
    caller = access_caller(key, GAMES_READ)
    if request.accept_mimetypes.best_match(["application/json", STREAM_TYPE]) == STREAM_TYPE:
        return _stream(key, caller.person_id, _last_event_id(query["after"]))
    found = _awaited(caller.person_id, query)
    items = [event_json(event) for event in found]
    last = items[-1]["number"] if items else min(query["after"], newest_event(caller.person_id))
    body = {"items": items, "last": last}
    return Response(orjson.dumps(body), content_type="application/json")


def _awaited(person_id: str, query: Json) -> list[AnyRow]:
    """The events after a number, waiting for the first of them if there is room to wait."""
    found = events_after(person_id, query["after"], query["limit"])
    if found or not query["wait"]:
        return found
    with _place_to_wait(person_id) as granted:
        until = time.monotonic() + (query["wait"] if granted else 0)
        while not found and time.monotonic() < until:
            _rest()
            found = events_after(person_id, query["after"], query["limit"])
    return found


def _rest() -> None:
    """Sleep without holding a connection."""
    db.session.close()
    time.sleep(LOOK_EVERY)


def _stream(key: Key, person_id: str, after: int) -> Response:
    g.pop("rate", None)
    client: socket.socket | None = request.environ.get("gunicorn.socket")

    def lines() -> Iterator[str]:
        nonlocal after
        with _place_to_wait(person_id) as granted:
            if not granted:
                yield "retry: 10000\n\n"
                return
            yield "retry: 2000\n\n"
            ends = time.monotonic() + STREAM_FOR
            spoke = time.monotonic()
            while time.monotonic() < ends and not _has_gone(client):
                try:
                    access_caller(key, GAMES_READ)
                except Refused:
                    return  # the token was revoked or has expired
                for event in events_after(person_id, after, 100):
                    after = event.number
                    spoke = time.monotonic()
                    data = orjson.dumps(event_json(event)).decode()
                    yield f"id: {after}\nevent: {event.type}\ndata: {data}\n\n"
                if time.monotonic() - spoke > QUIET_FOR:
                    spoke = time.monotonic()
                    yield ": still here\n\n"
                _rest()

    response = Response(stream_with_context(lines()), content_type=f"{STREAM_TYPE}; charset=utf-8")
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _has_gone(client: socket.socket | None) -> bool:
    """Whether whoever read a stream has hung up; only writing, which is rare, would tell.

    Every page that somebody opens begins a stream of its own, and places are few."""
    try:
        return client is not None and client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _last_event_id(after: int) -> int:
    header = request.headers.get("Last-Event-ID", "")
    return int(header) if header.isascii() and header.isdecimal() and len(header) < 16 else after


_waiting: Counter[str] = Counter()
_waiting_lock = threading.Lock()


@contextmanager
def _place_to_wait(person_id: str) -> Iterator[bool]:
    """A waiting request keeps a thread: so many may, and so many of one person, that others are
    always served."""
    most = settings().limits
    with _waiting_lock:
        granted = (
            _waiting.total() < most.waiting_requests
            and _waiting[person_id] < most.waiting_requests_per_person
        )
        _waiting[person_id] += granted
    try:
        yield granted
    finally:
        with _waiting_lock:
            _waiting[person_id] -= granted
            if not _waiting[person_id]:
                del _waiting[person_id]
