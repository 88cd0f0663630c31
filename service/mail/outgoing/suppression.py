"""Mails of ours that came back, and people whom no mail reaches any more.

Only what comes to the address that a letter had for this (`bounce+..`) counts, and each letter
once: who has seen a letter's other addresses can do no harm with them. When too many came back
within days, no mail is sent to that address, the person and their tables are told, and what they
are asked waits a little longer. It is over when the address is proven again.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import bindparam, func, insert, select, update

from service.access.games import access_decided_game
from service.core.ids import new_id
from service.core.storable_text import storable
from service.core.time_control import sleep_of
from service.core.worker_signal import wake
from service.db.models import Bounce, Decision, Event, Game, Letter, Person, Seat, Status
from service.db.session import AnyRow, db, execute, table, transact
from service.games.loaded_game import LoadedGame, load_game
from service.games.persistence import entries_for_all, touch_game
from service.notify.event_log import Entry, record_events
from service.notify.preferences import preferences
from service.notify.reminders import set_anew
from service.notify.rules import DIGEST, unwanted

log = structlog.get_logger()

WITHIN = timedelta(days=7)
MOST_HARD, MOST_SOFT = 2, 5
# What somebody is asked when mails stop waits for them at least so long, but not again and again.
GRACE = timedelta(days=3)
GRACE_ONCE_IN = timedelta(days=30)
BOUNCED, COMPLAINED = "bounced", "complained"
STOPPED, UNREACHABLE, REACHABLE = "mail.stopped", "seat.unreachable", "seat.reachable"
LONGEST_SAID = 300
LONGEST_STATUS = 16

_PERSON, _GAME, _SEAT, _DECISION, _BOUNCE, _EVENT = (
    table(model) for model in (Person, Game, Seat, Decision, Bounce, Event)
)
_OWNER = select(_PERSON.c.id).where(
    _PERSON.c.email == bindparam("address"), _PERSON.c.deleted_at.is_(None)
)
_GAMES = (
    select(_GAME.c.id)
    .select_from(_GAME.join(_SEAT, _SEAT.c.game_id == _GAME.c.id))
    .where(
        _SEAT.c.person_id == bindparam("person"),
        _SEAT.c.resigned_at.is_(None),
        (_GAME.c.status == Status.open) | (_GAME.c.status == Status.running),
    )
    .order_by(_GAME.c.id)
    .with_for_update(of=_GAME)
)
_LOCKED = (
    select(
        *_PERSON.c["id", "email", "unreachable_since"],
        *_PERSON.c["mail", "time_zone", "sleep_from", "sleep_to"],
    )
    .where(_PERSON.c.id == bindparam("person"))
    .with_for_update(key_share=True)
)
_SET_SINCE = (
    update(_PERSON)
    .where(_PERSON.c.id == bindparam("person"))
    .values(unreachable_since=bindparam("since"), version=_PERSON.c.version + 1)
)
_OF_LETTER = select(_BOUNCE.c.id).where(_BOUNCE.c.letter_id == bindparam("letter"))
_NOTE = insert(_BOUNCE)
_LATELY = select(
    func.count().filter(_BOUNCE.c.hard).label("hard"),
    func.count().filter(~_BOUNCE.c.hard).label("soft"),
).where(_BOUNCE.c.address == bindparam("address"), _BOUNCE.c.at > bindparam("since"))
# They stay as what the letters were returned for, and count for no address any more.
_FORGET = update(_BOUNCE).where(_BOUNCE.c.address == bindparam("of_address")).values(address="")
_STOPPED_LATELY = (
    select(_EVENT.c.number)
    .where(
        _EVENT.c.person_id == bindparam("person"),
        _EVENT.c.type == STOPPED,
        _EVENT.c.at > bindparam("since"),
    )
    .limit(1)
)
_DUE_SOONER = select(*_DECISION.c["game_id", "id", "due_at", "held"]).where(
    _DECISION.c.person_id == bindparam("person"),
    _DECISION.c.closed_at.is_(None),
    _DECISION.c.due_at < bindparam("due"),
)
_ASKED = (
    select(_DECISION.c.id)
    .where(_DECISION.c.person_id == bindparam("person"), _DECISION.c.closed_at.is_(None))
    .limit(1)
)
_POSTPONE = (
    update(_DECISION)
    .where(_DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision"))
    .values(due_at=bindparam("due"), held=bindparam("longer"))
)


def note_bounce(letter: AnyRow, hard: bool, status: str, said: str, at: datetime) -> bool:
    """A letter came back, in this transaction; whether it counts: once for each letter."""
    owner = _owner(letter)
    if owner is not None:
        _lock(owner)  # two that come back at once are counted one after the other
    if not _noted(letter, hard, status, said, at):
        return False
    if owner is not None:
        lately = execute(_LATELY, {"address": letter.to, "since": at - WITHIN}).one()
        if lately.hard >= MOST_HARD or lately.soft >= MOST_SOFT:
            _stop(owner, BOUNCED, at)
    return True


def note_complaint(letter: AnyRow, said: str, at: datetime) -> bool:
    """Somebody told their mail provider that they do not want this, in this transaction."""
    owner = _owner(letter)
    if not _noted(letter, False, COMPLAINED, said, at):
        return False
    if owner is not None:
        _stop(owner, COMPLAINED, at)
    return True


_REFUSAL = re.compile(r"(5\d\d)[ -](5\.\d{1,3}\.\d{1,3})?")
NO_MAILBOX = ("550", "551", "553")  # where servers say no more than that


def note_refusal(letter: AnyRow, reason: str, at: datetime) -> None:
    """A server did not take a letter for good. What it has against the recipient counts as if the
    letter had come back; what it has against us or the letter does not."""
    found = _REFUSAL.match(reason)
    if found is None:
        return
    code, status = found.groups()
    if status is None:
        counts = code in NO_MAILBOX
    else:
        counts = status.startswith("5.1.") or status == "5.2.1"
    if counts:
        transact(lambda: note_bounce(letter, True, status or code, reason, at))


def reachable(person_id: str, at: datetime) -> None:
    """An address was proven to be read, in this transaction: what came back before counts no more,
    and mails are sent again."""
    games = execute(_GAMES, {"person": person_id}).scalars().all()
    person = execute(_LOCKED, {"person": person_id}).one()
    execute(_FORGET, {"of_address": person.email})
    if person.unreachable_since is None:
        return
    execute(_SET_SINCE, {"person": person_id, "since": None})
    record_events(_told_tables(games, person_id, REACHABLE), at)
    _write_what_is_open(person, at)
    log.info("mail_goes_on", person=person_id)


def _write_what_is_open(person: AnyRow, at: datetime) -> None:
    """Nothing was mailed meanwhile, and what was mailed before came back: one letter tells it."""
    if unwanted(DIGEST, preferences(person.mail)) is not None:
        return
    if execute(_ASKED, {"person": person.id}).first() is not None:
        letter = Letter(
            id=new_id(),
            kind=DIGEST,
            to=person.email,
            person_id=person.id,
            created_at=at,
            next_try_at=at,
        )
        db.session.add(letter)
        wake("mail")


def _owner(letter: AnyRow) -> str | None:
    """Whose address a letter went to; it may be that of nobody here, or not any more."""
    return execute(_OWNER, {"address": letter.to}).scalar_one_or_none()


def _lock(person_id: str) -> AnyRow:
    """Games before people, as everybody does."""
    execute(_GAMES, {"person": person_id})
    return execute(_LOCKED, {"person": person_id}).one()


def _noted(letter: AnyRow, hard: bool, status: str, said: str, at: datetime) -> bool:
    if execute(_OF_LETTER, {"letter": letter.id}).first() is not None:
        return False
    noted: dict[str, Any] = {
        "id": new_id(),
        "address": letter.to,
        "letter_id": letter.id,
        "hard": hard,
        "status": storable(status, LONGEST_STATUS),
        "said": storable(said, LONGEST_SAID),
        "at": at,
    }
    execute(_NOTE, noted)
    log.info("letter_came_back", letter=letter.id, hard=hard, status=noted["status"])
    return True


def _stop(person_id: str, reason: str, at: datetime) -> None:
    """No mail to this person from now on; they and their tables are told."""
    games = execute(_GAMES, {"person": person_id}).scalars().all()
    person = execute(_LOCKED, {"person": person_id}).one()
    if person.unreachable_since is not None:
        return
    lately = {"person": person_id, "since": at - GRACE_ONCE_IN}
    if execute(_STOPPED_LATELY, lately).first() is None:
        _give_time(person, at)
    execute(_SET_SINCE, {"person": person_id, "since": at})
    told = _told_tables(games, person_id, UNREACHABLE)
    record_events([Entry(person_id, STOPPED, None, {"reason": reason}), *told], at)
    log.warning("mail_stopped", person=person_id, reason=reason)


def _told_tables(games: Sequence[str], person_id: str, kind: str) -> list[Entry]:
    """What is told at all tables of somebody, which others see differently from now on."""
    entries: list[Entry] = []
    for game_id in games:
        touch_game(game_id)
        loaded = load_game(access_decided_game(game_id))
        seat = _seat_of(loaded, person_id)
        entries += entries_for_all(loaded, kind, {"seat": seat.number, "name": seat.name})
    return entries


def _seat_of(loaded: LoadedGame, person_id: str) -> AnyRow:
    return next(seat for seat in loaded.seats if seat.person_id == person_id)


def _give_time(person: AnyRow, at: datetime) -> None:
    """Let what somebody is asked now wait: they may not even know of it. Their clock stands
    meanwhile, so that they have stored up as much time as before."""
    due = at + GRACE
    sleep = sleep_of(person)
    if sleep is not None:
        due = sleep.awake(due)
    for decision in execute(_DUE_SOONER, {"person": person.id, "due": due}).all():
        longer = decision.held + round((due - decision.due_at).total_seconds())
        execute(
            _POSTPONE,
            {"game": decision.game_id, "decision": decision.id, "due": due, "longer": longer},
        )
    set_anew(person, at)
