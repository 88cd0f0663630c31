"""Reminders of deadlines: `Decision.remind_at` is the instant of the next one.

Reminders count from the last notice of the decision, by the person's current settings. A reminder
is an event, of which `service.notify.letter_planner` makes a letter.

Locks are taken in the order of a move: game, decisions, people.
"""

from datetime import datetime

import structlog
from sqlalchemy import bindparam, select, update

from service.core.time_control import reminder_times, sleep_of
from service.db.models import Decision, Event, Game, Person
from service.db.session import db, error_fields, execute, is_transient, reading, transact
from service.notify.event_log import Entry, record_events
from service.notify.notification_rules import OPENED, REMINDER
from service.notify.preferences import preferences

log = structlog.get_logger()

_REMIND_AT = (
    update(Decision)
    .where(
        Decision.game_id == bindparam("game"),
        Decision.id == bindparam("decision"),
        Decision.due_at == bindparam("due"),
        Decision.closed_at.is_(None),
    )
    .values(remind_at=bindparam("when"))
)


def noticed_at(person_id: str, game_id: str) -> datetime | None:
    """The instant of the last event that told a person of a decision in a game."""
    opened = select(Event.at).where(
        Event.person_id == person_id, Event.game_id == game_id, Event.type == OPENED
    )
    return execute(opened.order_by(Event.number.desc()).limit(1)).scalar()


def times(person: Person, noticed: datetime, due_at: datetime) -> list[datetime]:
    """All reminders of a decision that a person was told of at an instant."""
    return reminder_times(noticed, due_at, preferences(person.mail).reminders, sleep_of(person))


def set_next(
    person: Person,
    game_id: str,
    decision: str,
    noticed: datetime,
    due_at: datetime,
    after: datetime,
) -> None:
    """Set the next reminder of a decision after an instant, unless its deadline has changed."""
    when = next((one for one in times(person, noticed, due_at) if one > after), None)
    execute(_REMIND_AT, {"game": game_id, "decision": decision, "due": due_at, "when": when})


def set_anew(person: Person, at: datetime) -> None:
    """Set the next reminders of all open decisions after a change of settings.

    The person's row is locked, which a move locks last: decisions that are locked are skipped, to
    avoid a deadlock. If one of them stays open, `remind` notices the change.
    """
    running = (
        select(Decision.game_id, Decision.id, Decision.due_at)
        .where(
            Decision.person_id == person.id,
            Decision.closed_at.is_(None),
            Decision.due_at.is_not(None),
        )
        .order_by(Decision.game_id)
        .with_for_update(skip_locked=True, key_share=True)
    )
    for game_id, decision, due_at in execute(running).all():
        noticed = noticed_at(person.id, game_id)
        if noticed is not None and due_at is not None:
            set_next(person, game_id, decision, noticed, due_at, at)


def remind(at: datetime, most: int) -> int:
    """Record reminders that are due; the number of decisions."""
    to_remind = (
        select(Decision, Person)
        .join(Game, Game.id == Decision.game_id)
        .join(Person, Person.id == Decision.person_id)
        .where(Decision.remind_at <= at, Decision.closed_at.is_(None), Game.frozen_at.is_(None))
        .order_by(Decision.remind_at)
        .limit(most)
    )
    with reading():
        due = db.session.execute(to_remind).all()
    return sum(_reminded(decision, person, at) for decision, person in due)


def _reminded(decision: Decision, person: Person, at: datetime) -> bool:
    """Remind of one decision; its failure must not delay the others."""
    try:
        return transact(lambda: _remind(decision, person, at))
    except Exception as error:
        if is_transient(error):
            raise
        log.error(
            "not_reminded", game=decision.game_id, decision=decision.id, **error_fields(error)
        )
        return False


def _remind(decision: Decision, person: Person, at: datetime) -> bool:
    """Remind of one decision, unless its game is locked or the decision was changed meanwhile."""
    game = select(Game.id).where(Game.id == decision.game_id)
    unlocked = game.with_for_update(read=True, key_share=True, skip_locked=True)
    if execute(unlocked).first() is None:
        return False
    noticed, due_at = noticed_at(person.id, decision.game_id), decision.due_at
    reminders = [] if noticed is None or due_at is None else times(person, noticed, due_at)
    claim = (
        update(Decision)
        .where(
            Decision.game_id == decision.game_id,
            Decision.id == decision.id,
            Decision.remind_at == decision.remind_at,
            Decision.person_id == person.id,
            Decision.closed_at.is_(None),
        )
        .values(remind_at=next((when for when in reminders if when > at), None))
        .returning(Decision.due_at)
    )
    claimed = execute(claim).one_or_none()
    if claimed is None:
        return False
    (deadline,) = claimed
    if decision.remind_at in reminders and deadline is not None and deadline > at:
        data = {"decision": decision.id, "seat": decision.seat, "due_at": deadline}
        record_events([Entry(person.id, REMINDER, decision.game_id, data)], at)
    return True
