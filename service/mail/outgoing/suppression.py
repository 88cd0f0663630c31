"""Suppression of mail to addresses that bounce or complain.

Only mails to the `bounce+..` address of a letter count, once for each letter: a letter's other
addresses are known to more people. After several bounces within days, no mail is sent to that
address, the person and their tables are informed, and their open decisions get more time. The
suppression is lifted when the address is proved again.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import func, select, update

from service.access.games import lock_game
from service.core.ids import new_id
from service.core.storable_text import storable
from service.core.time_control import sleep_of
from service.db.models import Bounce, Decision, Event, Game, Person, Seat, Status
from service.db.session import db, execute, transact
from service.games.loaded_game import load_game
from service.games.persistence import entries_for_all, touch_game
from service.mail.outgoing.queue import AnyLetter
from service.notify.event_log import Entry, record_events
from service.notify.letters import queue_letter
from service.notify.notification_rules import DIGEST, reason_not_to_send
from service.notify.preferences import preferences
from service.notify.reminders import set_anew

log = structlog.get_logger()

WITHIN = timedelta(days=7)
MOST_HARD, MOST_SOFT = 2, 5
# Least time for open decisions when mails stop, once in a while.
GRACE = timedelta(days=3)
GRACE_ONCE_IN = timedelta(days=30)
BOUNCED, COMPLAINED = "bounced", "complained"
STOPPED, UNREACHABLE, REACHABLE = "mail.stopped", "seat.unreachable", "seat.reachable"
LONGEST_SAID = 300
LONGEST_STATUS = 16


def note_bounce(letter: AnyLetter, hard: bool, status: str, said: str, at: datetime) -> bool:
    """Count a bounce, in this transaction; False if one of the letter was counted before."""
    owner = _owner(letter)
    if owner is not None:
        _lock(owner)  # bounces that arrive together are counted one after the other
    if not _record_once(letter, hard, status, said, at):
        return False
    if owner is not None:
        hard_lately, soft_lately = execute(
            select(func.count().filter(Bounce.hard), func.count().filter(~Bounce.hard)).where(
                Bounce.address == letter.to, Bounce.at > at - WITHIN
            )
        ).one()
        if hard_lately >= MOST_HARD or soft_lately >= MOST_SOFT:
            _stop(owner, BOUNCED, at)
    return True


def note_complaint(letter: AnyLetter, said: str, at: datetime) -> bool:
    """Count a complaint to a mail provider, in this transaction; False if it was counted before."""
    owner = _owner(letter)
    if not _record_once(letter, False, COMPLAINED, said, at):
        return False
    if owner is not None:
        _stop(owner, COMPLAINED, at)
    return True


_REFUSAL = re.compile(r"(5\d\d)[ -](5\.\d{1,3}\.\d{1,3})?")
NO_MAILBOX = ("550", "551", "553")  # codes without an enhanced status


def note_refusal(letter: AnyLetter, reason: str, at: datetime) -> None:
    """Count a permanent refusal of the recipient as a bounce; refusals of the sender or of the
    content do not count."""
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


def lift_suppression(person_id: str, at: datetime) -> None:
    """Lift the suppression of an address that was proved, in this transaction, and forget its
    bounces."""
    games, person = _lock(person_id)
    # The bounces of its letters stay, and count for no address.
    execute(update(Bounce).where(Bounce.address == person.email).values(address=""))
    if person.unreachable_since is None:
        return
    _set_unreachable(person, None)
    record_events(_table_entries(games, person_id, REACHABLE), at)
    _queue_digest(person, at)
    log.info("suppression_lifted", person=person_id)


def _queue_digest(person: Person, at: datetime) -> None:
    """Queue one letter with all open decisions: the letters before came back or were not sent."""
    assert person.email is not None
    asked = select(Decision.id).where(Decision.person_id == person.id, Decision.closed_at.is_(None))
    wanted = reason_not_to_send(DIGEST, preferences(person.mail)) is None
    if wanted and execute(asked.limit(1)).first() is not None:
        queue_letter(DIGEST, person.email, {}, at, person_id=person.id)


def _owner(letter: AnyLetter) -> str | None:
    """The id of the account with the address of a letter."""
    owner = select(Person.id).where(Person.email == letter.to, Person.deleted_at.is_(None))
    return execute(owner).scalar_one_or_none()


def _lock(person_id: str) -> tuple[Sequence[str], Person]:
    """Lock the games of a person and then the person, in the order of all writers."""
    found = execute(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(
            Seat.person_id == person_id,
            Seat.resigned_at.is_(None),
            Game.status.in_((Status.open, Status.running)),
        )
        .order_by(Game.id)
        .with_for_update(of=Game)
    )
    games = found.scalars().all()
    lock = {"key_share": True}
    person = db.session.get_one(Person, person_id, with_for_update=lock, populate_existing=True)
    return games, person


def _record_once(letter: AnyLetter, hard: bool, status: str, said: str, at: datetime) -> bool:
    """Record a bounce or complaint; False if there is one of the letter."""
    if execute(select(Bounce.id).where(Bounce.letter_id == letter.id)).first() is not None:
        return False
    bounce = Bounce(
        id=new_id(),
        address=letter.to,
        letter_id=letter.id,
        hard=hard,
        status=storable(status, LONGEST_STATUS),
        said=storable(said, LONGEST_SAID),
        at=at,
    )
    db.session.add(bounce)
    db.session.flush()
    log.info("letter_bounced", letter=letter.id, hard=hard, status=bounce.status)
    return True


def _stop(person_id: str, reason: str, at: datetime) -> None:
    """Suppress mail to a person, and inform them and their tables."""
    games, person = _lock(person_id)
    if person.unreachable_since is not None:
        return
    stopped_lately = select(Event.number).where(
        Event.person_id == person_id, Event.type == STOPPED, Event.at > at - GRACE_ONCE_IN
    )
    if execute(stopped_lately.limit(1)).first() is None:
        _give_time(person, at)
    _set_unreachable(person, at)
    entries = _table_entries(games, person_id, UNREACHABLE)
    record_events([Entry(person_id, STOPPED, None, {"reason": reason}), *entries], at)
    log.warning("mail_stopped", person=person_id, reason=reason)


def _set_unreachable(person: Person, since: datetime | None) -> None:
    person.unreachable_since = since
    person.version += 1
    db.session.flush()


def _table_entries(games: Sequence[str], person_id: str, kind: str) -> list[Entry]:
    """Events about a person for all their tables, whose views change."""
    entries: list[Entry] = []
    for game_id in games:
        touch_game(game_id)
        loaded = load_game(lock_game(game_id))
        seat = next(seat for seat in loaded.seats if seat.person_id == person_id)
        entries += entries_for_all(loaded, kind, {"seat": seat.number, "name": seat.name})
    return entries


def _give_time(person: Person, at: datetime) -> None:
    """Postpone the open decisions of a person, who may not know of them. Their clocks stand still
    meanwhile."""
    due = at + GRACE
    sleep = sleep_of(person)
    if sleep is not None:
        due = sleep.awake(due)
    sooner = select(Decision).where(
        Decision.person_id == person.id, Decision.closed_at.is_(None), Decision.due_at < due
    )
    for decision in db.session.scalars(sooner).all():
        assert decision.due_at is not None
        decision.held += round((due - decision.due_at).total_seconds())
        decision.due_at = due
    db.session.flush()
    set_anew(person, at)
