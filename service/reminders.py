"""When somebody is reminded of a decision: `Decision.remind_at` is the next of these instants.

They are counted from when the decision was last told, and by the habits the person has now.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from service.channels import OPENED
from service.clocks import reminder_times, sleep_of
from service.database import run, table
from service.models import Decision, Event
from service.preferences import preferences
from service.statements import Prepared

_DECISION, _EVENT = table(Decision), table(Event)
_TOLD_LAST = Prepared(
    select(_EVENT.c.at)
    .where(
        _EVENT.c.person_id == bindparam("person"),
        _EVENT.c.game_id == bindparam("game"),
        _EVENT.c.type == OPENED,
    )
    .order_by(_EVENT.c.number.desc())
    .limit(1)
)
_RUNNING = Prepared(
    select(*_DECISION.c["game_id", "id", "due_at"])
    .where(
        _DECISION.c.person_id == bindparam("person"),
        _DECISION.c.closed_at.is_(None),
        _DECISION.c.due_at.is_not(None),
    )
    .order_by(_DECISION.c.game_id)
    .with_for_update(skip_locked=True, key_share=True)
)
_REMIND_AT = Prepared(
    update(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.id == bindparam("decision"),
        _DECISION.c.due_at == bindparam("due"),
        _DECISION.c.closed_at.is_(None),
    )
    .values(remind_at=bindparam("when"))
)


def told_last(person_id: str, game_id: str) -> datetime | None:
    """When this person was last told that they have something to decide in this game."""
    found = run(_TOLD_LAST, {"person": person_id, "game": game_id})
    return next((event.at for event in found), None)


def times(habits: Any, told_at: datetime, due_at: datetime) -> list[datetime]:
    """When a person, or a row with their habits, is reminded of a decision they were told then."""
    return reminder_times(told_at, due_at, preferences(habits.mail).reminders, sleep_of(habits))


def set_next(
    habits: Any, game_id: str, decision: str, told_at: datetime, due_at: datetime, after: datetime
) -> None:
    """Set the next reminder of a decision after an instant, if it is still due then."""
    when = next((one for one in times(habits, told_at, due_at) if one > after), None)
    run(_REMIND_AT, {"game": game_id, "decision": decision, "due": due_at, "when": when})


def set_anew(person: Any, at: datetime) -> None:
    """Set the next reminders of everything that waits for somebody whose habits were changed.

    Their row is locked, which a move locks last: a decision that somebody else is at is left
    alone, or the two would wait for each other. If it stays open, `notices.remind` finds that it
    was set by old habits.
    """
    for decision in run(_RUNNING, {"person": person.id}):
        told_at = told_last(person.id, decision.game_id)
        if told_at is not None:
            set_next(person, decision.game_id, decision.id, told_at, decision.due_at, at)
