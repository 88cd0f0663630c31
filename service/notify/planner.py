"""Notices: which letters follow from what people were told.

A person's log of events is the outbox: it is written in the transaction of the move. Up to
`Person.noticed` it was settled which letters follow from it, each exactly once; whoever settles
moves that mark in the transaction that writes the letters. What a letter says is not settled here:
it is written when it is sent (`service.mail.outgoing.compose`), if it is still true then.

A move locks its game, then its decisions, then its people. Everything here goes in that order.
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
from service.db.session import (
    AnyRow,
    error_fields,
    execute,
    is_transient,
    reading,
    table,
    transact,
)
from service.notify.event_log import events_after
from service.notify.preferences import BATCHED, DAILY, EVERY, preferences
from service.notify.reminders import set_next
from service.notify.rules import DIGEST, OPENED, REMINDER, STARTED, letter_for, unwanted

log = structlog.get_logger()

LETTERS = Counter(
    "laguna_letters_total", "Letters by kind and what became of them", ["kind", "state"]
)
EVENTS_AT_ONCE = 200  # of one person
MENTION = "mention"
JOINED = ("turn", DIGEST, MENTION)  # kinds of which one waits for each subject, see `_about`

_PERSON, _GAME, _DECISION, _LETTER, _SEAT, _MESSAGE, _PENDING = (
    table(model) for model in (Person, Game, Decision, Letter, Seat, Message, PendingNotice)
)
_HABITS = _PERSON.c["email", "mail", "time_zone", "sleep_from", "sleep_to"]
_BEHIND = (
    select(*_PERSON.c["id", "noticed", "last_event"])
    .select_from(_PENDING.join(_PERSON, _PERSON.c.id == _PENDING.c.person_id))
    .order_by(_PERSON.c.id)
    .limit(bindparam("most"))
)
_STILL_BEHIND = select(_PERSON.c.id, *_HABITS).where(
    _PERSON.c.id == bindparam("person"), _PERSON.c.noticed == bindparam("mark")
)
_LOOK = _STILL_BEHIND
_LOCK = _STILL_BEHIND.with_for_update(skip_locked=True, key_share=True)
_MARK = update(_PERSON).where(_PERSON.c.id == bindparam("person")).values(noticed=bindparam("upto"))
# The person's row is locked, as it is by who appends to their log: nothing comes in between.
_SETTLED = delete(_PENDING).where(
    _PENDING.c.person_id == bindparam("person"),
    select(_PERSON.c.id)
    .where(_PERSON.c.id == _PENDING.c.person_id, _PERSON.c.last_event <= _PERSON.c.noticed)
    .exists(),
)
_NOT_LISTED = select(_PERSON.c.id).where(
    _PERSON.c.last_event > _PERSON.c.noticed,
    ~select(_PENDING.c.person_id).where(_PENDING.c.person_id == _PERSON.c.id).exists(),
)
_MISSED = _NOT_LISTED.limit(1)
_LIST_MISSED = insert(_PENDING).from_select(
    ["person_id"], _NOT_LISTED.with_for_update(of=_PERSON, skip_locked=True, key_share=True)
)
_OPEN = select(*_DECISION.c["game_id", "id", "due_at"]).where(
    _DECISION.c.person_id == bindparam("person"), _DECISION.c.closed_at.is_(None)
)
_WAITING = (
    select(*_LETTER.c["id", "kind", "game_id", "decision", "next_try_at"])
    .where(
        _LETTER.c.person_id == bindparam("person"),
        or_(*(_LETTER.c.kind == kind for kind in JOINED)),
        _LETTER.c.next_try_at.is_not(None),
        # What is being sent at this moment may have been written without the latest turns.
        _LETTER.c.claim.is_(None) | (_LETTER.c.next_try_at <= bindparam("at")),
    )
    .order_by(_LETTER.c.next_try_at.desc())
)
_SEND_EARLIER = (
    update(_LETTER)
    .where(
        _LETTER.c.id == bindparam("letter"),
        _LETTER.c.claim.is_(None),
        _LETTER.c.next_try_at > bindparam("when"),
    )
    .values(next_try_at=bindparam("when"))
    .returning(_LETTER.c.id)
)
_TABLE = (
    select(_SEAT.c.number, _SEAT.c.person_id, _SEAT.c.name, _GAME.c.host_id)
    .select_from(_SEAT.join(_GAME, _GAME.c.id == _SEAT.c.game_id))
    .where(_SEAT.c.game_id == bindparam("game"))
)
_SAID = select(_MESSAGE.c.person_id, _MESSAGE.c.text).where(
    _MESSAGE.c.game_id == bindparam("game"), _MESSAGE.c.n == bindparam("number")
)
_WRITE = insert(_LETTER)


class _Elsewhere(Exception):
    """Somebody else is at it; what was begun is taken back."""


def settle(at: datetime, most: int) -> int:
    """Settle which letters follow from what people were told, for at most so many people.

    Returns for how many it was settled: call again until that is none.
    """
    with reading():
        behind = [(person, _read(person)) for person in execute(_BEHIND, {"most": most})]
    idle = [one for one in behind if not _mailed(one[1])]  # of most moves nobody needs a letter
    settled = transact(lambda: sum(_marked(*one) for one in idle)) if idle else 0
    return settled + sum(_settled(*one, at) for one in behind if _mailed(one[1]))


def list_missed() -> None:
    """List people with something to settle whom nobody listed: processes of release 0.1.0, which
    may still run while they are replaced, do not know the list."""
    with reading():
        missed = execute(_MISSED).first() is not None
    if missed:
        transact(lambda: execute(_LIST_MISSED))


def _read(person: AnyRow) -> Sequence[AnyRow]:
    return events_after(person.id, person.noticed, EVENTS_AT_ONCE)


def _mailed(events: Sequence[AnyRow]) -> list[AnyRow]:
    return [event for event in events if letter_for(event.type) is not None]


def _marked(person: AnyRow, events: Sequence[AnyRow]) -> bool:
    """Note that this is settled, unless somebody else does or is just telling them more."""
    if execute(_LOCK, {"person": person.id, "mark": person.noticed}).first() is None:
        return False
    upto = events[-1].number if events else person.last_event  # their events may be deleted
    execute(_MARK, {"person": person.id, "upto": upto})
    execute(_SETTLED, {"person": person.id})
    return True


def _settled(person: AnyRow, events: Sequence[AnyRow], at: datetime) -> bool:
    """One person that something is wrong with must not keep the others waiting."""
    try:
        written = transact(lambda: _settle(person, events, at))
    except _Elsewhere:
        return False
    except Exception as error:
        if is_transient(error):
            raise
        log.error("not_settled", person=person.id, **error_fields(error))
        return False
    for letter in written:
        LETTERS.labels(letter["kind"], letter["state"]).inc()
    return True


def _settle(person: AnyRow, events: Sequence[AnyRow], at: datetime) -> list[Json]:
    present = execute(_LOOK, {"person": person.id, "mark": person.noticed}).one_or_none()
    if present is None:
        raise _Elsewhere
    desk = _Desk(present, events, at)
    letters = [letter for event in events if (letter := desk.letter(event)) is not None]
    if letters:
        execute(_WRITE, sorted(letters, key=lambda letter: letter["game_id"] or ""))
    for event in events:
        if event.type == OPENED:
            desk.set_reminder(event)
    if not _marked(person, events):
        raise _Elsewhere
    return letters


class _Desk:
    """Where the letters to one person are settled."""

    def __init__(self, person: AnyRow, events: Sequence[AnyRow], at: datetime) -> None:
        self.person, self.events, self.at = person, events, at
        self.wanted = preferences(person.mail)
        known = {"person": person.id}
        self.open = {(row.game_id, row.id): row.due_at for row in execute(_OPEN, known)}
        # What letters that are still to be sent are about, and those that are written here.
        self.waiting = {
            _about(letter.kind, letter.game_id, letter.decision): letter
            for letter in execute(_WAITING, known | {"at": at})
        }
        self.coming: set[_About] = set()

    def letter(self, event: AnyRow) -> Json | None:
        """The letter that follows from an event, as a row; None if the event is not about them."""
        kind = letter_for(event.type)
        if kind is None or self.person.email is None or not self._concerned(event):
            return None
        reason = unwanted(kind, self.wanted) or self._needless(event)
        when = event.at
        if kind == "turn" and self.wanted.turns in (BATCHED, DAILY):
            kind, when = DIGEST, self._digest_at(event.at)
        elif kind in ("turn", MENTION):
            when = event.at + timedelta(seconds=settings().mail_delay)
        decision = event.data.get("decision")
        if kind in JOINED and reason is None:
            about = _about(kind, event.game_id, decision)
            if self._joins(about, when):
                reason = "joined"
            else:
                self.coming.add(about)
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

    def _joins(self, about: "_About", when: datetime) -> bool:
        """Whether a letter that waits will tell this as well, and not later than it should be
        told: one that is to be sent later is sent earlier, unless somebody has just taken it."""
        if about in self.coming:
            return True
        waiting = self.waiting.get(about)
        if waiting is None or waiting.next_try_at <= when:
            return waiting is not None
        return execute(_SEND_EARLIER, {"letter": waiting.id, "when": when}).first() is not None

    def _concerned(self, event: AnyRow) -> bool:
        """Whether what happened is for this person, and not only for everybody at the table."""
        if event.type == "seat.away":
            return any(
                seat.number == event.data["seat"] and seat.person_id == self.person.id
                for seat in _seats(event)
            )
        if event.type == "table.cancelled":
            return all(seat.host_id != self.person.id for seat in _seats(event))
        if event.type == "message.posted":
            said = execute(_SAID, {"game": event.game_id, "number": event.data["n"]}).one_or_none()
            return (
                said is not None
                and said.person_id != self.person.id
                and self.person.id in _named(said.text, _seats(event))
            )
        return True

    def _needless(self, event: AnyRow) -> str | None:
        """Why a letter need not even be written; None if it may have to be sent."""
        if event.type in (OPENED, REMINDER):
            asked = (event.game_id, event.data["decision"])
            return None if asked in self.open else "answered"
        if event.type == STARTED and any(
            other.type == OPENED and other.game_id == event.game_id for other in self.events
        ):
            return "told_with_turn"
        return None

    def _facts(self, event: AnyRow) -> Json:
        """What the letter cannot find out later. The first turn's letter also says that the game
        has begun."""
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

    def set_reminder(self, event: AnyRow) -> None:
        """Set when the person is first reminded of a decision that opened, or opened anew."""
        asked = (event.game_id, event.data["decision"])
        due = self.open.get(asked)
        if due is not None:
            # What should have come before anybody settled it would come with the turn's letter, but
            # not everybody gets one at once.
            soon = self.wanted.turns in (EVERY, BATCHED)
            set_next(self.person, *asked, event.at, due, self.at if soon else event.at)


_About = tuple[str, str | None, str | None]


def _about(kind: str, game_id: str | None, decision: str | None) -> _About:
    """The subject of a letter that others can join: everything that is open, one decision, or the
    chat of a game."""
    return (DIGEST, None, None) if kind == DIGEST else (kind, game_id, decision)


def next_at_hour(at: datetime, hour: int, zone_name: str) -> datetime:
    """The next instant after this one at which the clocks of a zone show this hour.

    Where they skip it, when they were put on; where they show it twice, the first time.
    """
    zone = zone_named(zone_name)
    day = at.astimezone(zone).date()
    while True:
        found = datetime.combine(day, time(hour), tzinfo=zone).astimezone(at.tzinfo)
        if found > at:
            return found
        day += timedelta(days=1)


def _seats(event: AnyRow) -> Sequence[AnyRow]:
    """The seats at the table that an event is about."""
    return execute(_TABLE, {"game": event.game_id}).all()


def _named(text: str, seats: Sequence[AnyRow]) -> set[str]:
    """The people at the table whom a text names as @name; the longest name that fits counts."""
    people = [(seat.name.casefold(), seat.person_id) for seat in seats if seat.person_id]
    names = "|".join(re.escape(name) for name, _ in sorted(people, key=lambda one: -len(one[0])))
    found = re.findall(rf"(?<!\w)@({names})(?!\w)", text.casefold()) if people else ()
    return {person for name, person in people if name in found}
