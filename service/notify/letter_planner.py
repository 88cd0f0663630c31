"""Planner of letters: queue the letters that follow from the events of a person's log.

The log is written in the transaction of a move. Events up to `Person.noticed` are planned; the
transaction that queues their letters moves that mark, so that each event is planned exactly once.
A letter is composed when it is sent (`service.mail.outgoing.compose`), if it is still true then.

Locks are taken in the order of a move: game, decisions, people.
"""

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

import structlog
from prometheus_client import Counter
from sqlalchemy import bindparam, delete, insert, or_, select, update

from engine.contract import Json
from service.core.current_settings import settings
from service.core.ids import new_id
from service.core.time_control import zone_named
from service.db.models import (
    Decision,
    Game,
    Letter,
    LetterState,
    Message,
    PendingNotice,
    Person,
    Seat,
)
from service.db.session import db, error_fields, execute, is_transient, reading, transact
from service.notify.event_log import EventRow, events_after
from service.notify.notification_rules import (
    DIGEST,
    OPENED,
    REMINDER,
    STARTED,
    letter_for,
    reason_not_to_send,
)
from service.notify.preferences import BATCHED, DAILY, EVERY, preferences
from service.notify.reminders import set_next

log = structlog.get_logger()

LETTERS = Counter("laguna_letters_total", "Letters by kind and state", ["kind", "state"])
EVENTS_AT_ONCE = 200  # of one person
MENTION = "mention"
JOINED = ("turn", DIGEST, MENTION)  # kinds with one waiting letter for each subject

_BEHIND = (
    select(Person)
    .join(PendingNotice, PendingNotice.person_id == Person.id)
    .order_by(Person.id)
    .limit(bindparam("most"))
)
_STILL_BEHIND = (Person.id == bindparam("person"), Person.noticed == bindparam("mark"))
_RELOAD = select(Person).where(*_STILL_BEHIND)
_LOCK = select(Person.id).where(*_STILL_BEHIND).with_for_update(skip_locked=True, key_share=True)
_MARK = update(Person).where(Person.id == bindparam("person")).values(noticed=bindparam("upto"))
# Every writer of a person's log locks the person's row.
_DELETE_PENDING = delete(PendingNotice).where(
    PendingNotice.person_id == bindparam("person"),
    select(Person.id)
    .where(Person.id == PendingNotice.person_id, Person.last_event <= Person.noticed)
    .exists(),
)
_NOT_LISTED = select(Person.id).where(
    Person.last_event > Person.noticed,
    ~select(PendingNotice.person_id).where(PendingNotice.person_id == Person.id).exists(),
)
_MISSED = _NOT_LISTED.limit(1)
_LIST_MISSED = insert(PendingNotice).from_select(
    ["person_id"], _NOT_LISTED.with_for_update(of=Person, skip_locked=True, key_share=True)
)
_OPEN = select(Decision.game_id, Decision.id, Decision.due_at).where(
    Decision.person_id == bindparam("person"), Decision.closed_at.is_(None)
)
_WAITING = (
    select(Letter.id, Letter.kind, Letter.game_id, Letter.decision, Letter.next_try_at)
    .where(
        Letter.person_id == bindparam("person"),
        or_(*(Letter.kind == kind for kind in JOINED)),
        Letter.next_try_at.is_not(None),
        # A letter that is being sent may be composed already.
        Letter.claim.is_(None) | (Letter.next_try_at <= bindparam("at")),
    )
    .order_by(Letter.next_try_at.desc())
)
_SEND_EARLIER = (
    update(Letter)
    .where(
        Letter.id == bindparam("letter"),
        Letter.claim.is_(None),
        Letter.next_try_at > bindparam("when"),
    )
    .values(next_try_at=bindparam("when"))
    .returning(Letter.id)
)


class _Elsewhere(Exception):
    """Another process plans for this person; roll back."""


def plan_letters(at: datetime, most: int) -> int:
    """Plan the letters of at most so many people; the number of people: call again until it is
    0."""
    with reading():
        people = db.session.scalars(_BEHIND, {"most": most}).all()
        behind = [(one, events_after(one.id, one.noticed, EVENTS_AT_ONCE)) for one in people]
    idle = [one for one in behind if not _has_letters(one[1])]  # most events have no letter
    settled = transact(lambda: sum(_mark_planned(*one) for one in idle)) if idle else 0
    return settled + sum(_plan_person(*one, at) for one in behind if _has_letters(one[1]))


def list_missed() -> None:
    """List people with unplanned events who are not in the list: processes of release 0.1.0, which
    may still run during an upgrade, do not know it."""
    with reading():
        missed = execute(_MISSED).first() is not None
    if missed:
        transact(lambda: execute(_LIST_MISSED))


def _has_letters(events: Sequence[EventRow]) -> bool:
    return any(letter_for(event.type) is not None for event in events)


def _mark_planned(person: Person, events: Sequence[EventRow]) -> bool:
    """Mark events as planned; False if the person is locked or another process did."""
    if execute(_LOCK, {"person": person.id, "mark": person.noticed}).first() is None:
        return False
    upto = events[-1].number if events else person.last_event  # the events may be deleted
    execute(_MARK, {"person": person.id, "upto": upto})
    execute(_DELETE_PENDING, {"person": person.id})
    return True


def _plan_person(person: Person, events: Sequence[EventRow], at: datetime) -> bool:
    """Plan the letters of one person; a failure must not delay the others."""
    try:
        written = transact(lambda: _plan_events(person, events, at))
    except _Elsewhere:
        return False
    except Exception as error:
        if is_transient(error):
            raise
        log.error("letters_not_planned", person=person.id, **error_fields(error))
        return False
    for letter in written:
        LETTERS.labels(letter["kind"], letter["state"]).inc()
    return True


def _plan_events(person: Person, events: Sequence[EventRow], at: datetime) -> list[Json]:
    known = {"person": person.id, "mark": person.noticed}
    current = db.session.scalars(_RELOAD, known).one_or_none()
    if current is None:
        raise _Elsewhere
    plan = _Plan(current, events, at)
    letters = [letter for event in events if (letter := plan.letter(event)) is not None]
    if letters:
        execute(insert(Letter), sorted(letters, key=lambda letter: letter["game_id"] or ""))
    for event in events:
        if event.type == OPENED:
            plan.set_reminder(event)
    if not _mark_planned(person, events):
        raise _Elsewhere
    return letters


class _Plan:
    """Letters to one person that follow from these events."""

    def __init__(self, person: Person, events: Sequence[EventRow], at: datetime) -> None:
        self.person, self.events, self.at = person, events, at
        self.wanted = preferences(person.mail)
        known = {"person": person.id}
        self.open = {(game, decision): due for game, decision, due in execute(_OPEN, known)}
        # Subjects of the queued letters, with their ids and instants, and of the new ones.
        self.waiting = {
            _subject(kind, game_id, decision): (letter_id, when)
            for letter_id, kind, game_id, decision, when in execute(_WAITING, known | {"at": at})
        }
        self.coming: set[_Subject] = set()

    def letter(self, event: EventRow) -> Json | None:
        """The row of the letter that follows from an event; None if there is none."""
        kind = letter_for(event.type)
        if kind is None or self.person.email is None or not self._concerned(event):
            return None
        reason = reason_not_to_send(kind, self.wanted) or self._needless(event)
        when = event.at
        if kind == "turn" and self.wanted.turns in (BATCHED, DAILY):
            kind, when = DIGEST, self._digest_at(event.at)
        elif kind in ("turn", MENTION):
            when = event.at + timedelta(seconds=settings().mail_delay)
        decision = event.data.get("decision")
        if kind in JOINED and reason is None:
            subject = _subject(kind, event.game_id, decision)
            if self._joins(subject, when):
                reason = "joined"
            else:
                self.coming.add(subject)
        return {
            "id": new_id(),
            "kind": kind,
            "to": self.person.email,
            "person_id": self.person.id,
            "number": event.number,
            "game_id": None if kind == DIGEST else event.game_id,
            "decision": None if kind == DIGEST else decision,
            "facts": self._facts(event),
            "state": LetterState.pending if reason is None else LetterState.skipped,
            "reason": reason,
            "attempts": 0,
            "created_at": self.at,
            "next_try_at": when if reason is None else None,
        }

    def _joins(self, subject: "_Subject", when: datetime) -> bool:
        """Whether a queued letter with the same subject is sent by then; a later one is sent
        earlier, unless another process has claimed it."""
        if subject in self.coming:
            return True
        if subject not in self.waiting:
            return False
        letter, queued_for = self.waiting[subject]
        if queued_for is None or queued_for <= when:
            return True
        return execute(_SEND_EARLIER, {"letter": letter, "when": when}).first() is not None

    def _concerned(self, event: EventRow) -> bool:
        """Whether an event that goes to everybody at a table concerns this person."""
        if event.type == "seat.away":
            seat = db.session.get(Seat, (event.game_id, event.data["seat"]))
            return seat is not None and seat.person_id == self.person.id
        if event.type == "table.cancelled":
            game = db.session.get(Game, event.game_id)
            return game is None or game.host_id != self.person.id
        if event.type == "message.posted":
            message = db.session.get(Message, (event.game_id, event.data["n"]))
            if message is None or message.person_id == self.person.id:
                return False
            seats = db.session.scalars(select(Seat).where(Seat.game_id == event.game_id)).all()
            return self.person.id in _named(message.text, seats)
        return True

    def _needless(self, event: EventRow) -> str | None:
        """The reason why no letter is needed; None if one may be."""
        if event.type in (OPENED, REMINDER):
            asked = (event.game_id, event.data["decision"])
            return None if asked in self.open else "answered"
        if event.type == STARTED and any(
            other.type == OPENED and other.game_id == event.game_id for other in self.events
        ):
            return "told_with_turn"
        return None

    def _facts(self, event: EventRow) -> Json:
        """Facts for composing the letter. The letter about the first turn also tells of the start
        of the game."""
        if event.type == OPENED:
            began = any(
                other.type == STARTED and other.game_id == event.game_id for other in self.events
            )
            return {"began": True} if began else {}
        names = ("n", "webhook", "reason", "by", "of")
        return {name: event.data[name] for name in names if name in event.data}

    def _digest_at(self, at: datetime) -> datetime:
        if self.wanted.turns == BATCHED:
            return at + timedelta(minutes=self.wanted.delay_minutes)
        return next_at_hour(at, self.wanted.daily_hour, self.person.time_zone)

    def set_reminder(self, event: EventRow) -> None:
        """Set the first reminder of a decision that opened, or opened anew."""
        assert event.game_id is not None
        asked = (event.game_id, event.data["decision"])
        due = self.open.get(asked)
        if due is not None:
            # A reminder that would be due before the letter about the turn is sent is skipped.
            soon = self.wanted.turns in (EVERY, BATCHED)
            set_next(self.person, *asked, event.at, due, self.at if soon else event.at)


_Subject = tuple[str, str | None, str | None]


def _subject(kind: str, game_id: str | None, decision: str | None) -> _Subject:
    """The subject that letters have in common: all open decisions, one decision, or a chat."""
    return (DIGEST, None, None) if kind == DIGEST else (kind, game_id, decision)


def next_at_hour(at: datetime, hour: int, zone_name: str) -> datetime:
    """The next instant after this one at this local hour.

    An hour that is skipped begins when the clocks are changed; of two equal hours the first counts.
    """
    zone = zone_named(zone_name)
    day = at.astimezone(zone).date()
    while True:
        found = datetime.combine(day, time(hour), tzinfo=zone).astimezone(at.tzinfo)
        if found > at:
            return found
        day += timedelta(days=1)


def _named(text: str, seats: Sequence[Seat]) -> set[str]:
    """The people at a table whom a text mentions as @name; the longest matching name counts."""
    people = [(seat.name.casefold(), seat.person_id) for seat in seats if seat.person_id]
    names = "|".join(re.escape(name) for name, _ in sorted(people, key=lambda one: -len(one[0])))
    found = re.findall(rf"(?<!\w)@({names})(?!\w)", text.casefold()) if people else ()
    return {person for name, person in people if name in found}
