"""iCalendar files (RFC 5545): a deadline, an absence of whole days, and a calendar of both.

Pure functions of their values; the same values give the same bytes.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from icalendar import Calendar, Event

from service.core.i18n import translations_for

CONTENT_TYPE = "text/calendar; charset=utf-8"
PRODUCT = "-//Laguna//Deadlines//EN"
REFRESH = timedelta(hours=1)
SHOWN_FOR = timedelta(minutes=15)  # calendars hardly show an event without a length


def deadline_uid(mail_domain: str, game_id: str, decision: str) -> str:
    """The UID of a deadline in all calendars; it stays when the deadline moves."""
    return f"{game_id}.{decision}@{mail_domain}"


def deadline_event(
    uid: str, title: str, link: str, due_at: datetime, changed: datetime, language: str
) -> Event:
    """A deadline that ends with its entry."""
    say = translations_for(language).gettext
    event = _event(uid, say("Your turn: %(table)s") % {"table": title}, changed)
    event.add("dtstart", _utc(due_at - SHOWN_FOR))
    event.add("dtend", _utc(due_at))
    # A deadline only ever moves to a later time, so the later of two is the newer one.
    event.add("sequence", int(due_at.timestamp()) // 60)
    event.add("url", link)
    event.add("description", say("Your time ends at the end of this entry.") + f"\n{link}")
    return event


def absence_event(
    uid: str, first_day: date, day_after: date, changed: datetime, language: str
) -> Event:
    event = _event(uid, translations_for(language).gettext("Away (Laguna)"), changed)
    event.add("dtstart", first_day)
    event.add("dtend", day_after)
    return event


def deadline_ics(
    uid: str, title: str, link: str, due_at: datetime, at: datetime, language: str
) -> bytes:
    """One deadline as a file, as it was at this instant."""
    return calendar_ics([deadline_event(uid, title, link, due_at, at, language)])


def calendar_ics(events: Iterable[Event], name: str | None = None) -> bytes:
    """A calendar of these events; with a name it is a feed that programs fetch repeatedly."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    if name is not None:
        calendar.add("name", name)
        calendar.add("x-wr-calname", name)
        calendar.add("refresh-interval", REFRESH, {"VALUE": "DURATION"})
        calendar.add("x-published-ttl", "PT1H")
    for event in events:
        calendar.add_component(event)
    written: bytes = calendar.to_ical()
    return written


def _event(uid: str, summary: str, changed: datetime) -> Event:
    event = Event()
    event.add("uid", uid)
    event.add("dtstamp", _utc(changed))
    event.add("last-modified", _utc(changed))
    event.add("summary", summary)
    event.add("transp", "TRANSPARENT")  # the person stays free in other programs
    return event


def _utc(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(microsecond=0)
