"""Numbered log of the events of each person.

Numbers are assigned under the lock of the person's row, so that they have no gaps and follow the
order of commits: a client that asks for the events after N misses none.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy import BindParameter, Insert, bindparam, case, insert, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from engine.contract import Json
from service.core.worker_signal import wake
from service.db.models import Event, PendingNotice, Person
from service.db.session import db, execute, table

EVENT_TYPES = {
    "decision.opened": "You have a decision to make (`decision`, `seat`, `due_at`). The event "
    "comes again when its time begins anew (after a pause, and when you take your seat back), and "
    "when you take your answer back.",
    "decision.reminder": "Your time for a decision is running out (`decision`, `seat`, `due_at`).",
    "game.moved": "Moves were made in one of your games: `from` and `to` number the log "
    "(`version`, `waiting_for`).",
    "move.undone": "A player took back their last moves: `from` and `to` number the lines that "
    "are no longer in the log (`version`, `seat`).",
    "pick.changed": "You changed a pick that is still secret (`n`, its line in the log).",
    "game.finished": "One of your games is over (`outcome`).",
    "table.joined": "A player took a seat at your table (`seat`, `name`).",
    "table.left": "A player left your table (`seat`, `name`).",
    "table.invited": "You were invited to a table (`by`).",
    "table.cancelled": "One of your tables was cancelled.",
    "table.rematch": "A player offers a rematch (`by`, `of`: the old game).",
    "game.started": "One of your games began (`commitment`).",
    "seat.away": "A player missed three deadlines in a row; a bot keeps the seat until they come "
    "back (`seat`, `name`).",
    "seat.unreachable": "Mails to a player came back, so none are sent for now; their open "
    "decisions may get more time (`seat`, `name`).",
    "seat.reachable": "A player can be reached by mail again (`seat`, `name`).",
    "seat.back": "A player took their seat back (`seat`, `name`).",
    "seat.resigned": "A player resigned (`seat`). A bot plays on if two or more people are left; "
    "otherwise the game is over.",
    "game.played_on": "The winner of a game that ended by resignation plays on against bots "
    "(`seat`).",
    "end.offered": "A player offers to end the game as it stands (`seat`).",
    "end.withdrawn": "An offer to end the game was withdrawn (`seat`).",
    "pause.offered": "A player requests a pause (`seat`).",
    "pause.withdrawn": "A player withdrew the request for a pause (`seat`).",
    "game.paused": "All players agreed to a pause: the clocks of one of your games stand still "
    "(`until`).",
    "game.resumed": "The clocks of one of your games run again.",
    "game.frozen": "The stored data of one of your games is inconsistent; no move is accepted "
    "until the operator has checked it.",
    "game.thawed": "One of your games that was frozen goes on.",
    "message.posted": "A player posted a chat message at one of your tables (`n`, `seat`).",
    "mail.stopped": "Mails to you came back (`reason` is `bounced`), or you reported one to your "
    "provider (`complained`): none are sent until you sign in by mail or answer one.",
    "webhook.disabled": "One of your webhooks failed too often and was switched off.",
}


class Entry(NamedTuple):
    """A new event for a person's log."""

    person_id: str
    type: str
    game_id: str | None
    data: Json


class EventRow(NamedTuple):
    """An event of a person's log."""

    person_id: str
    number: int
    type: str
    game_id: str | None
    data: Json
    at: datetime


_EVENT, _PENDING, _PERSON = table(Event), table(PendingNotice), table(Person)
_INSERT = insert(_EVENT)


@cache
def _numbering(people: int) -> ReturningUpdate[str, int]:
    """Statement that assigns the next event numbers of so many people."""
    ids: list[BindParameter[str]] = [bindparam(f"person_{n}") for n in range(people)]
    more = case(
        *[(_PERSON.c.id == person, bindparam(f"count_{n}")) for n, person in enumerate(ids)]
    )
    return (
        update(_PERSON)
        .where(_PERSON.c.id.in_(ids))
        .values(last_event=_PERSON.c.last_event + more)
        .returning(_PERSON.c.id, _PERSON.c.last_event)
    )


@cache
def _listing(people: int) -> Insert:
    """Statement that lists so many people for the planner, unless they are listed. Their rows are
    locked."""
    ids: list[BindParameter[str]] = [bindparam(f"person_{n}") for n in range(people)]
    noted = select(_PENDING.c.person_id).where(_PENDING.c.person_id == _PERSON.c.id)
    return insert(_PENDING).from_select(
        ["person_id"],
        select(_PERSON.c.id).where(_PERSON.c.id.in_(ids), ~noted.exists()).order_by(_PERSON.c.id),
    )


def record_events(entries: Sequence[Entry], at: datetime) -> None:
    """Append events to the logs of their people, in this transaction."""
    if not entries:
        return
    counts = Counter(entry.person_id for entry in entries)
    wanted: dict[str, str | int] = {}
    for n, (person, count) in enumerate(sorted(counts.items())):
        wanted |= {f"person_{n}": person, f"count_{n}": count}
    numbers = {
        row.id: row.last_event - counts[row.id]
        for row in execute(_numbering(len(counts)), wanted).all()
    }
    rows = []
    for entry in entries:
        numbers[entry.person_id] += 1
        rows.append({**entry._asdict(), "number": numbers[entry.person_id], "at": at})
    execute(_INSERT, rows)
    execute(_listing(len(counts)), wanted)
    wake("mail", "webhooks")


_AFTER = (
    select(*_EVENT.c[EventRow._fields])
    .where(_EVENT.c.person_id == bindparam("person"), _EVENT.c.number > bindparam("after"))
    .order_by(_EVENT.c.number)
    .limit(bindparam("limit"))
)


def events_after(person_id: str, after: int, limit: int) -> list[EventRow]:
    """The events of a person after number `after`."""
    found = execute(_AFTER, {"person": person_id, "after": after, "limit": limit})
    return [EventRow._make(row) for row in found.all()]


def event_json(event: EventRow) -> Json:
    """The JSON of an event, for the API, streams and webhooks."""
    return {
        "number": event.number,
        "type": event.type,
        "game": event.game_id,
        "at": event.at,
        "data": event.data,
    }


def newest_event(person_id: str) -> int:
    """The number of a person's last event."""
    return db.session.execute(select(Person.last_event).where(Person.id == person_id)).scalar_one()
