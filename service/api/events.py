"""Event log of a person: by polling, by long poll, or as a stream."""

from flask import Response, g, request

from engine.contract import Json
from service.access.credentials import Caller
from service.access.scopes import GAMES_READ
from service.api.authentication import request_caller
from service.api.blueprint import Blueprint
from service.api.decorators import problems, scope
from service.api.schemas.events import EventsQuery, EventsSchema
from service.core.current_settings import settings
from service.notify.event_log import events_after, newest_event
from service.notify.waiting import (
    EVENTS_PER_READ,
    HANDOVER,
    PLACES,
    Handover,
    Waiting,
    account_of,
    events_json,
    stream_lines,
)

blp = Blueprint("events", __name__, description="The numbered event log of a person")

STREAM_SECONDS = 300  # clients reconnect with the last number they have
STREAM_TYPE = "text/event-stream"
RETRY = b"retry: 2000\n\n"  # milliseconds until a client reconnects


@blp.route("/events", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(EventsQuery, location="query")
@blp.response(200, EventsSchema)
@blp.alt_response(  # type: ignore[untyped-decorator]
    200, schema={"type": "string"}, content_type=STREAM_TYPE, success=True
)
@problems("too_many_waiting")
def list_events(query: Json) -> Response:
    """List or follow events

    Events are numbered without gaps; `after` returns all later ones. With `wait` the response
    is delayed until there is an event, for at most that many seconds. With `Accept:
    text/event-stream` it is a stream that continues after `Last-Event-ID` or `after`. The
    number of waiting requests of an account, with its bots, is limited: further ones get 429
    with `Retry-After`."""
    caller = request_caller()
    if request.accept_mimetypes.best_match(["application/json", STREAM_TYPE]) == STREAM_TYPE:
        return _stream(caller, _last_event_id(query["after"]))
    found = events_after(caller.person_id, query["after"], query["limit"])
    last = query["after"] if found else min(query["after"], newest_event(caller.person_id))
    if not found and query["wait"]:
        _wait(caller, last, query["limit"], query["wait"], stream=False)
    return Response(events_json(found, last), content_type="application/json")


def _stream(caller: Caller, after: int) -> Response:
    """The events so far; the server continues with later ones."""
    g.pop("rate", None)
    found = events_after(caller.person_id, after, EVENTS_PER_READ)
    last = found[-1].number if found else after
    _wait(caller, last, EVENTS_PER_READ, STREAM_SECONDS, stream=True)
    response = Response(RETRY + stream_lines(found), content_type=f"{STREAM_TYPE}; charset=utf-8")
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _wait(caller: Caller, after: int, limit: int, seconds: float, stream: bool) -> None:
    """Let the server hold this request until there is an event. A server without this ability
    (the test client of Flask) responds at once."""
    handover: Handover | None = request.environ.get(HANDOVER)
    if handover is None:
        return
    account = account_of(caller)
    PLACES.take(account, settings().limits)
    handover.place_of = account
    handover.waiting = Waiting(
        caller.person_id, caller.credential_id, after, limit, seconds, stream
    )


def _last_event_id(after: int) -> int:
    header = request.headers.get("Last-Event-ID", "")
    return int(header) if header.isascii() and header.isdecimal() and len(header) < 16 else after
