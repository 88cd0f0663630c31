"""Private calendar feed of a person's deadlines and absences.

The address of a feed is the only thing that protects it. It holds a number that its owner can
count up, and then the old address is void.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta, tzinfo

from icalendar import Event
from sqlalchemy import select

from engine.languages import nearest_language
from engine.registry import game_type_by_key
from service.accounts.absences import Absence, stored_absence
from service.core.config import Settings
from service.core.ics import absence_event, calendar_ics, deadline_event, deadline_uid
from service.core.signing import BadSignature, read_signed_id, sign_id
from service.core.time_control import zone_named
from service.db.models import Decision, Game, Person
from service.db.session import AnyRow, db

FOREVER = datetime(2199, 1, 1, tzinfo=UTC)  # the address is good until its owner wants another
ID_LENGTH = 16


def calendar_link(settings: Settings, person: Person) -> str:
    """The private address of a person's calendar."""
    sealed = sign_id(settings, _purpose(person), person.id, FOREVER)
    return f"{settings.public_url}/calendar/{sealed}.ics"


def _purpose(person: Person) -> str:
    return f"calendar:{person.calendar}"


def calendar_owner(settings: Settings, sealed: str, at: datetime) -> Person | None:
    """The owner of the calendar with this address; None if the address is unknown or void."""
    if not (sealed.isascii() and sealed.isalnum()):
        return None
    person = db.session.get(Person, sealed[:ID_LENGTH].lower())  # a signed id begins with it
    if person is None or person.deleted_at is not None or person.suspended_at is not None:
        return None
    try:
        read_signed_id(settings, _purpose(person), sealed, at)
    except BadSignature:
        return None
    return person


def new_calendar_link(settings: Settings, person: Person) -> str:
    """Make the address of a person's calendar void, and give it another."""
    person.calendar += 1
    return calendar_link(settings, person)


def feed(settings: Settings, person: Person, at: datetime) -> bytes:
    """Every deadline of a person and their absences to come. The bytes depend on nothing else, so
    they stay the same as long as those do."""
    language = nearest_language(person.language)
    zone = zone_named(person.time_zone)
    return calendar_ics(
        [
            *(_deadline(settings, row, language) for row in _open_decisions(person.id)),
            *(_absence(settings, person, found, zone, language) for found in _absences(person, at)),
        ],
        name="Laguna",
    )


def _open_decisions(person_id: str) -> Iterable[AnyRow]:
    """The open decisions of a person that have a deadline; in a frozen game none has."""
    return db.session.execute(
        select(
            Decision.game_id,
            Decision.id,
            Decision.due_at,
            Decision.opened_at,
            Decision.held,
            Game.title,
            Game.game,
            Game.rules,
        )
        .join(Game, Game.id == Decision.game_id)
        .where(
            Decision.person_id == person_id,
            Decision.closed_at.is_(None),
            Decision.due_at.is_not(None),
            Game.frozen_at.is_(None),
        )
        .order_by(Decision.due_at, Decision.game_id, Decision.id)
    ).all()


def _deadline(settings: Settings, row: AnyRow, language: str) -> Event:
    # The instant of a pause that moved the deadline is not stored, but each one adds to `held`.
    changed = row.opened_at + timedelta(seconds=row.held)
    return deadline_event(
        deadline_uid(settings.mail_domain, row.game_id, row.id),
        row.title or game_type_by_key(row.game, row.rules).meta.title,
        f"{settings.public_url}/games/{row.game_id}",
        row.due_at,
        changed,
        language,
    )


def _absences(person: Person, at: datetime) -> list[Absence]:
    found = [stored_absence(stored) for stored in person.absences]
    return [absence for absence in found if absence.end > at]


def _absence(
    settings: Settings, person: Person, absence: Absence, zone: tzinfo, language: str
) -> Event:
    """An absence as whole days of the person's own calendar, as the page announces it."""
    first, last = absence.start.astimezone(zone), absence.end.astimezone(zone)
    end = last.date() if last.time() == time() else last.date() + timedelta(days=1)
    uid = f"{absence.id}.absence@{settings.mail_domain}"
    day_after = max(end, first.date() + timedelta(days=1))
    return absence_event(uid, first.date(), day_after, person.created_at, language)
