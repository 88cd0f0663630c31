"""The numbered log of events that each person, and each program of theirs, is told.

Numbers are given out under the lock of the person's row, so that they have no gaps and the
order of numbers is the order of commits: who asks for what came after N misses nothing.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Insert, bindparam, case, insert, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from engine.contract import Json
from service.core.worker_signal import wake
from service.db.models import Event, PendingNotice, Person
from service.db.session import AnyRow, db, execute, table

# What can be told, for the reference and for webhooks that want only some of it.
EVENT_TYPES = {
    "decision.opened": "You have something to decide (`decision`, `seat`, `due_at`). It is told "
    "again when its time begins anew: after a pause, and when you take your seat back.",
    "decision.reminder": "Your time to decide runs out (`decision`, `seat`, `due_at`).",
    "game.moved": "Moves were made in a game of yours: `from` and `to` number the log "
    "(`version`, `waiting_for`).",
    "pick.changed": "You changed a pick that is still secret (`n`, its line in the log).",
    "game.finished": "A game of yours is over (`outcome`).",
    "table.joined": "Somebody took a seat at your table (`seat`, `name`).",
    "table.left": "Somebody left your table (`seat`, `name`).",
    "table.invited": "You were invited to a table (`by`).",
    "table.cancelled": "A table of yours was cancelled.",
    "table.rematch": "Somebody offers a rematch (`by`, `of`: the old game).",
    "game.started": "A game of yours began (`commitment`).",
    "seat.away": "Somebody's time was up three times in a row; a bot keeps the seat until they "
    "come back (`seat`, `name`).",
    "seat.unreachable": "Mails to somebody came back, so that none are sent at the moment; what "
    "they are asked now may wait a little longer (`seat`, `name`).",
    "seat.reachable": "Somebody can be reached by mail again (`seat`, `name`).",
    "seat.back": "Somebody took their seat back (`seat`, `name`).",
    "seat.resigned": "Somebody resigned (`seat`). A bot plays on if two or more people are left; "
    "otherwise the game is over.",
    "game.played_on": "The winner of a game that ended by resignation plays on against bots "
    "(`seat`).",
    "end.offered": "Somebody offers to end the game as it stands (`seat`).",
    "end.withdrawn": "An offer to end the game was withdrawn (`seat`).",
    "pause.offered": "Somebody would like a pause (`seat`).",
    "pause.withdrawn": "Somebody no longer wants a pause (`seat`).",
    "game.paused": "All want a pause: the clocks of a game of yours stand still (`until`).",
    "game.resumed": "The clocks of a game of yours run again.",
    "game.frozen": "Something is wrong with what we stored of a game of yours; nothing can be "
    "played until we have looked at it.",
    "game.thawed": "A game of yours that was frozen goes on.",
    "message.posted": "Somebody said something at a table of yours (`n`, `seat`).",
    "mail.stopped": "Mails to you came back (`reason` is `bounced`), or you told your provider "
    "that you do not want them (`complained`): none are sent until you sign in by mail or answer "
    "one.",
    "webhook.disabled": "One of your webhooks failed too often and was switched off.",
}


class Entry(NamedTuple):
    """Something a person is to be told."""

    person_id: str
    type: str
    game_id: str | None
    data: dict[str, Any]


_EVENT, _PENDING, _PERSON = table(Event), table(PendingNotice), table(Person)
_INSERT = insert(_EVENT)


@cache
def _give_out(people: int) -> ReturningUpdate[str, int]:
    """Give so many people their next numbers, each as many as they need."""
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
def _to_settle(people: int) -> Insert:
    """Note that so many people have something to settle, unless it is noted. Their rows are locked
    by the numbers that were given out, as they are while something is settled."""
    ids: list[BindParameter[str]] = [bindparam(f"person_{n}") for n in range(people)]
    noted = select(_PENDING.c.person_id).where(_PENDING.c.person_id == _PERSON.c.id)
    return insert(_PENDING).from_select(
        ["person_id"],
        select(_PERSON.c.id).where(_PERSON.c.id.in_(ids), ~noted.exists()).order_by(_PERSON.c.id),
    )


def record_events(entries: Sequence[Entry], at: datetime) -> None:
    """Append to the logs of the people concerned, in this transaction."""
    if not entries:
        return
    counts = Counter(entry.person_id for entry in entries)
    wanted: dict[str, Any] = {}
    for n, (person, count) in enumerate(sorted(counts.items())):
        wanted |= {f"person_{n}": person, f"count_{n}": count}
    numbers = {
        row.id: row.last_event - counts[row.id]
        for row in execute(_give_out(len(counts)), wanted).all()
    }
    rows = []
    for entry in entries:
        numbers[entry.person_id] += 1
        rows.append({**entry._asdict(), "number": numbers[entry.person_id], "at": at})
    execute(_INSERT, rows)
    execute(_to_settle(len(counts)), wanted)
    wake("mail", "webhooks")


_AFTER = (
    select(_EVENT)
    .where(_EVENT.c.person_id == bindparam("person"), _EVENT.c.number > bindparam("after"))
    .order_by(_EVENT.c.number)
    .limit(bindparam("limit"))
)


def events_after(person_id: str, after: int, limit: int) -> list[AnyRow]:
    """What this person was told after event number `after`."""
    return list(execute(_AFTER, {"person": person_id, "after": after, "limit": limit}))


def event_json(event: AnyRow) -> Json:
    """An event as it is told everywhere: in answers, streams and to webhooks."""
    return {
        "number": event.number,
        "type": event.type,
        "game": event.game_id,
        "at": event.at,
        "data": event.data,
    }


def newest_event(person_id: str) -> int:
    """The number of the last thing this person was told."""
    return db.session.execute(select(Person.last_event).where(Person.id == person_id)).scalar_one()
