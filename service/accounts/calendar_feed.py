"""Private calendar feed of a person's deadlines and absences.

The address of a feed is its only credential. It is signed with a number that its owner can
increment, which voids the old address.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from icalendar import Event
from sqlalchemy import select

from engine.languages import nearest_language
from engine.registry import game_type_by_key
from service.accounts.absences import Absence, future_absences
from service.core.config import Settings
from service.core.ics import absence_event, calendar_ics, deadline_event, deadline_uid
from service.core.signing import BadSignature, read_signed_id, sign_id
from service.core.time_control import zone_named
from service.db.models import Decision, Game, Person
from service.db.session import db

FOREVER = datetime(2199, 1, 1, tzinfo=UTC)
ID_LENGTH = 16


def calendar_link(settings: Settings, person: Person) -> str:
    """The private address of a person's calendar."""
    signed = sign_id(settings, _purpose(person), person.id, FOREVER)
    return f"{settings.public_url}/calendar/{signed}.ics"


def _purpose(person: Person) -> str:
    return f"calendar:{person.calendar}"


def calendar_owner(settings: Settings, signed: str, at: datetime) -> Person | None:
    """The owner of the calendar with this address; None if the address is unknown or void."""
    if not (signed.isascii() and signed.isalnum()):
        return None
    person = db.session.get(Person, signed[:ID_LENGTH].lower())  # a signed id begins with the id
    if person is None or person.deleted_at is not None or person.suspended_at is not None:
        return None
    try:
        read_signed_id(settings, _purpose(person), signed, at)
    except BadSignature:
        return None
    return person


def new_calendar_link(settings: Settings, person: Person) -> str:
    """Void the address of a person's calendar, and make a new one."""
    person.calendar += 1
    return calendar_link(settings, person)


def feed(settings: Settings, person: Person, at: datetime) -> bytes:
    """The iCalendar file of a person's deadlines and future absences; the same bytes as long as
    those do not change."""
    language = nearest_language(person.language)
    zone = zone_named(person.time_zone)
    return calendar_ics(
        [
            *_deadlines(settings, person.id, language),
            *(
                _absence(settings, person, found, zone, language)
                for found in future_absences(person, at)
            ),
        ],
        name="Laguna",
    )


def _deadlines(settings: Settings, person_id: str, language: str) -> Iterator[Event]:
    """The deadlines of a person's open decisions; those in frozen games have none."""
    found = db.session.execute(
        select(Decision, Game)
        .join(Game, Game.id == Decision.game_id)
        .where(
            Decision.person_id == person_id,
            Decision.closed_at.is_(None),
            Decision.due_at.is_not(None),
            Game.frozen_at.is_(None),
        )
        .order_by(Decision.due_at, Decision.game_id, Decision.id)
    )
    for decision, game in found:
        assert decision.due_at is not None
        yield deadline_event(
            deadline_uid(settings.mail_domain, game.id, decision.id),
            game.title or game_type_by_key(game.game, game.rules).meta.title,
            f"{settings.public_url}/games/{game.id}",
            decision.due_at,
            # Each pause moves the deadline and adds to `held`.
            decision.opened_at + timedelta(seconds=decision.held),
            language,
        )


def _absence(
    settings: Settings, person: Person, absence: Absence, zone: tzinfo, language: str
) -> Event:
    """An absence in whole local days, as the page shows it."""
    first, last = absence.start.astimezone(zone), absence.end.astimezone(zone)
    end = last.date() if last.time() == time() else last.date() + timedelta(days=1)
    uid = f"{absence.id}.absence@{settings.mail_domain}"
    day_after = max(end, first.date() + timedelta(days=1))
    return absence_event(uid, first.date(), day_after, person.created_at, language)
