"""Reminders of what runs out: `Decision.remind_at` is the next instant of one.

They are counted from when the decision was last told, and by the habits the person has now. A
reminder is an event as well, from which `service.notify.planner` makes a letter.

A move locks its game, then its decisions, then its people. Reminding goes in that order.
"""

from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import bindparam, select, update

from service.core.time_control import reminder_times, sleep_of
from service.db.models import Decision, Event, Game, Person
from service.db.session import AnyRow, error_fields, execute, is_transient, reading, table, transact
from service.notify.event_log import Entry, record_events
from service.notify.preferences import preferences
from service.notify.rules import OPENED, REMINDER

log = structlog.get_logger()

_DECISION, _EVENT, _GAME, _PERSON = (table(model) for model in (Decision, Event, Game, Person))
_TOLD_LAST = (
    select(_EVENT.c.at)
    .where(
        _EVENT.c.person_id == bindparam("person"),
        _EVENT.c.game_id == bindparam("game"),
        _EVENT.c.type == OPENED,
    )
    .order_by(_EVENT.c.number.desc())
    .limit(1)
)
_RUNNING = (
    select(*_DECISION.c["game_id", "id", "due_at"])
    .where(
        _DECISION.c.person_id == bindparam("person"),
        _DECISION.c.closed_at.is_(None),
        _DECISION.c.due_at.is_not(None),
    )
    .order_by(_DECISION.c.game_id)
    .with_for_update(skip_locked=True, key_share=True)
)
_REMIND_AT = (
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
    return execute(_TOLD_LAST, {"person": person_id, "game": game_id}).scalar()


def times(habits: Any, told_at: datetime, due_at: datetime) -> list[datetime]:
    """When a person, or a row with their habits, is reminded of a decision they were told then."""
    return reminder_times(told_at, due_at, preferences(habits.mail).reminders, sleep_of(habits))


def set_next(
    habits: Any, game_id: str, decision: str, told_at: datetime, due_at: datetime, after: datetime
) -> None:
    """Set the next reminder of a decision after an instant, if it is still due then."""
    when = next((one for one in times(habits, told_at, due_at) if one > after), None)
    execute(_REMIND_AT, {"game": game_id, "decision": decision, "due": due_at, "when": when})


def set_anew(person: Any, at: datetime) -> None:
    """Set the next reminders of everything that waits for somebody whose habits were changed.

    Their row is locked, which a move locks last: a decision that somebody else is at is left
    alone, or the two would wait for each other. If it stays open, `remind` finds that it
    was set by old habits.
    """
    for decision in execute(_RUNNING, {"person": person.id}).all():
        told_at = told_last(person.id, decision.game_id)
        if told_at is not None:
            set_next(person, decision.game_id, decision.id, told_at, decision.due_at, at)


_TO_REMIND = (
    select(
        *_DECISION.c["game_id", "id", "seat", "person_id", "due_at", "remind_at"],
        *_PERSON.c["mail", "time_zone", "sleep_from", "sleep_to"],
    )
    .select_from(
        _DECISION.join(_GAME, _GAME.c.id == _DECISION.c.game_id).join(
            _PERSON, _PERSON.c.id == _DECISION.c.person_id
        )
    )
    .where(
        _DECISION.c.remind_at <= bindparam("at"),
        _DECISION.c.remind_at.is_not(None),
        _DECISION.c.closed_at.is_(None),
        _GAME.c.frozen_at.is_(None),
    )
    .order_by(_DECISION.c.remind_at)
    .limit(bindparam("most"))
)
_SHARE_GAME = (
    select(_GAME.c.id)
    .where(_GAME.c.id == bindparam("game"))
    .with_for_update(read=True, key_share=True, skip_locked=True)
)
_CLAIM = (
    update(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.id == bindparam("decision"),
        _DECISION.c.remind_at == bindparam("this"),
        _DECISION.c.person_id == bindparam("person"),
        _DECISION.c.closed_at.is_(None),
    )
    .values(remind_at=bindparam("next"))
    .returning(_DECISION.c.due_at)
)


def remind(at: datetime, most: int) -> int:
    """Tell people whose time runs out; for how many decisions that was done."""
    with reading():
        due = execute(_TO_REMIND, {"at": at, "most": most}).all()
    return sum(_reminded(decision, at) for decision in due)


def _reminded(decision: AnyRow, at: datetime) -> bool:
    """One decision that something is wrong with must not keep the others waiting."""
    try:
        return transact(lambda: _remind(decision, at))
    except Exception as error:
        if is_transient(error):
            raise
        log.error(
            "not_reminded", game=decision.game_id, decision=decision.id, **error_fields(error)
        )
        return False


def _remind(decision: AnyRow, at: datetime) -> bool:
    """Remind of one decision, unless it was changed by now or somebody is just at it."""
    person, game = decision.person_id, decision.game_id
    if execute(_SHARE_GAME, {"game": game}).first() is None:
        return False
    known = {"game": game, "decision": decision.id, "person": person}
    reminders = _reminders(decision)
    following = next((when for when in reminders if when > at), None)
    claimed = execute(_CLAIM, known | {"this": decision.remind_at, "next": following}).one_or_none()
    if claimed is None:
        return False
    if decision.remind_at in reminders and claimed.due_at > at:  # it is wanted, and of use
        told = {"decision": decision.id, "seat": decision.seat, "due_at": claimed.due_at}
        record_events([Entry(person, REMINDER, game, told)], at)
    return True


def _reminders(decision: AnyRow) -> list[datetime]:
    """All reminders of a decision, as its person wants them now."""
    told_at = told_last(decision.person_id, decision.game_id)
    if told_at is None or decision.due_at is None:
        return []
    return times(decision, told_at, decision.due_at)
