"""Deadlines for people's own calendars (RFC 5545): a private feed of all, or one as a file.

The address of a feed is the only thing that protects it. It holds a number that its owner can
count up, and then the old address is void.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta, tzinfo

from icalendar import Calendar, Event
from sqlalchemy import select

from engine.languages import known
from engine.registry import game_by_key
from service.accounts.absences import Absence, stored_absence
from service.core.config import Settings
from service.core.i18n import translations_for
from service.core.signing import BadSignature, read_signed_id, sign_id
from service.core.time_control import zone_named
from service.db.models import Decision, Game, Person
from service.db.session import AnyRow, db

CONTENT_TYPE = "text/calendar; charset=utf-8"
FOREVER = datetime(2199, 1, 1, tzinfo=UTC)  # the address is good until its owner wants another
ID_LENGTH = 16
REFRESH = timedelta(hours=1)
SHOWN_FOR = timedelta(minutes=15)  # an event without length is hardly to be seen in a calendar
PRODUCT = "-//Laguna//Deadlines//EN"


def calendar_link(settings: Settings, person: Person) -> str:
    """The private address of somebody's calendar."""
    sealed = sign_id(settings, _purpose(person), person.id, FOREVER)
    return f"{settings.public_url}/calendar/{sealed}.ics"


def _purpose(person: Person) -> str:
    return f"calendar:{person.calendar}"


def calendar_owner(settings: Settings, sealed: str, at: datetime) -> Person | None:
    """Whose calendar has this address; None if it is nobody's, or no longer."""
    if not (sealed.isascii() and sealed.isalnum()):
        return None
    person = db.session.get(Person, sealed[:ID_LENGTH].lower())  # a seal begins with what it names
    if person is None or person.deleted_at is not None or person.suspended_at is not None:
        return None
    try:
        read_signed_id(settings, _purpose(person), sealed, at)
    except BadSignature:
        return None
    return person


def new_calendar_link(settings: Settings, person: Person) -> str:
    """Make the address of somebody's calendar void, and give it another."""
    person.calendar += 1
    return calendar_link(settings, person)


def feed(settings: Settings, person: Person, at: datetime) -> bytes:
    """Every deadline of somebody, and when they will be away. It depends on nothing else, so that
    it stays the same, byte for byte, as long as they do."""
    language = known(person.language)
    zone = zone_named(person.time_zone)
    return _calendar(
        [
            *(_deadline_of(settings, row, language) for row in _open_decisions(person.id)),
            *(_absence(settings, person, found, zone, language) for found in _absences(person, at)),
        ],
        name="Laguna",
    )


def deadline_ics(
    uid: str, title: str, link: str, due_at: datetime, at: datetime, language: str
) -> bytes:
    """One deadline as a file, as it was at this instant."""
    return _calendar([_deadline(uid, title, link, due_at, at, _sequence(due_at), language)])


def uid_of(settings: Settings, game_id: str, decision: str) -> str:
    """The name of a deadline in all calendars; it stays when the deadline moves."""
    return f"{game_id}.{decision}@{settings.mail_domain}"


def _open_decisions(person_id: str) -> Iterable[AnyRow]:
    """What is asked of somebody with a time; where all clocks stand there is none."""
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


def _deadline_of(settings: Settings, row: AnyRow, language: str) -> Event:
    # Not when a pause put it off, which nobody noted, but later for each of them.
    changed = row.opened_at + timedelta(seconds=row.held)
    return _deadline(
        uid_of(settings, row.game_id, row.id),
        row.title or game_by_key(row.game, row.rules).meta.title,
        f"{settings.public_url}/games/{row.game_id}",
        row.due_at,
        changed,
        _sequence(row.due_at),
        language,
    )


def _sequence(due_at: datetime) -> int:
    """A deadline is only ever put off, so that the later of two is the newer."""
    return int(due_at.timestamp()) // 60


def _deadline(
    uid: str,
    title: str,
    link: str,
    due_at: datetime,
    changed: datetime,
    sequence: int,
    language: str,
) -> Event:
    say = translations_for(language).gettext
    event = _event(uid, say("Your turn: %(table)s") % {"table": title}, changed)
    event.add("dtstart", _utc(due_at - SHOWN_FOR))
    event.add("dtend", _utc(due_at))
    event.add("sequence", sequence)
    event.add("url", link)
    event.add("description", say("Your time ends at the end of this entry.") + f"\n{link}")
    return event


def _absences(person: Person, at: datetime) -> list[Absence]:
    found = [stored_absence(stored) for stored in person.absences]
    return [absence for absence in found if absence.end > at]


def _absence(
    settings: Settings, person: Person, absence: Absence, zone: tzinfo, language: str
) -> Event:
    """Whole days, as they are announced on the page; by the day of the person's own calendar."""
    first, last = absence.start.astimezone(zone), absence.end.astimezone(zone)
    end = last.date() if last.time() == time() else last.date() + timedelta(days=1)
    say = translations_for(language).gettext
    uid = f"{absence.id}.absence@{settings.mail_domain}"
    event = _event(uid, say("Away (Laguna)"), person.created_at)
    event.add("dtstart", first.date())
    event.add("dtend", max(end, first.date() + timedelta(days=1)))
    return event


def _event(uid: str, summary: str, changed: datetime) -> Event:
    event = Event()
    event.add("uid", uid)
    event.add("dtstamp", _utc(changed))
    event.add("last-modified", _utc(changed))
    event.add("summary", summary)
    event.add("transp", "TRANSPARENT")  # nobody is busy then
    return event


def _calendar(events: Iterable[Event], name: str | None = None) -> bytes:
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    if name is not None:  # programs ask for it again and again
        calendar.add("name", name)
        calendar.add("x-wr-calname", name)
        calendar.add("refresh-interval", REFRESH, {"VALUE": "DURATION"})
        calendar.add("x-published-ttl", "PT1H")
    for event in events:
        calendar.add_component(event)
    written: bytes = calendar.to_ical()
    return written


def _utc(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(microsecond=0)
