"""Announced absences, during which the clocks of a person's decisions stand still.

An absence counts for decisions that open after the announcement, within a budget of each game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from engine.contract import Json
from service.access.accounts import access_own_account, access_own_habits
from service.access.credentials import Caller
from service.core.errors import Problem, invalid_field
from service.core.ids import new_id
from service.core.time_control import MOST_ABSENCE_DAYS, zone_named
from service.db.models import Person

ONE_DAY = timedelta(days=1)
MOST_AHEAD = timedelta(days=366)
LONGEST = timedelta(days=MOST_ABSENCE_DAYS)
MOST_ANNOUNCED = 20


@dataclass(frozen=True)
class Absence:
    """An announced absence, from one instant to another."""

    id: str
    start: datetime
    end: datetime

    def as_json(self) -> Json:
        return {"id": self.id, "from": self.start, "to": self.end}


def _stored_absence(stored: Mapping[str, str]) -> Absence:
    """An absence from the JSON of the person's row."""
    start, end = (datetime.fromisoformat(stored[name]) for name in ("from", "to"))
    return Absence(stored["id"], start, end)


def future_absences(person: Person, at: datetime) -> list[Absence]:
    """The present and future absences of a person, in the order of their announcement."""
    found = [_stored_absence(stored) for stored in person.absences]
    return [absence for absence in found if absence.end > at]


def absences_to_come(caller: Caller, at: datetime) -> list[Absence]:
    """The caller's present and future absences, in order."""
    found = future_absences(access_own_account(caller), at)
    return sorted(found, key=lambda absence: (absence.start, absence.id))


def announce_absence(caller: Caller, first: date, last: date, at: datetime) -> Absence:
    """Announce an absence on these days of the caller's time zone."""
    zone = _zone(caller)
    today = at.astimezone(zone).date()
    latest = today + 2 * MOST_AHEAD  # beyond the limit, and a valid date in every time zone
    first = min(max(first, today), latest)
    last = min(max(last, today - ONE_DAY), latest)
    start, end = (datetime.combine(day, time(), zone) for day in (first, last + ONE_DAY))
    return announce_span(caller, start, end, at)


def announce_span(caller: Caller, start: datetime, end: datetime, at: datetime) -> Absence:
    """Announce an absence between two instants; its past part does not count.

    Its length is measured in local time: a day of 25 hours is one day.
    """
    start, end = max(start, at), min(end, at + 2 * MOST_AHEAD)
    if end <= start:
        raise invalid_field("/to", "An absence ends after it begins, and not in the past.")
    zone = _zone(caller)
    until, since, today = (one.astimezone(zone).replace(tzinfo=None) for one in (end, start, at))
    if until - since > LONGEST:
        raise invalid_field("/to", f"An absence takes at most {MOST_ABSENCE_DAYS} days.")
    if until - today > MOST_AHEAD:
        raise invalid_field("/to", "An absence can be announced a year ahead.")
    person = access_own_habits(caller)
    kept = [stored for stored in person.absences if _stored_absence(stored).end > at]
    if len(kept) >= MOST_ANNOUNCED:
        raise Problem("too_many_absences", f"You have announced {len(kept)}; take one back first.")
    absence = Absence(new_id(), start.astimezone(UTC), end.astimezone(UTC))
    stored = {"id": absence.id, "from": absence.start.isoformat(), "to": absence.end.isoformat()}
    person.absences = [*kept, stored]
    return absence


def _zone(caller: Caller) -> tzinfo:
    return zone_named(access_own_account(caller).time_zone)


def take_back(caller: Caller, absence_id: str) -> None:
    """Withdraw an announcement. Open decisions keep their deadlines."""
    person = access_own_habits(caller)
    kept = [absence for absence in person.absences if absence["id"] != absence_id]
    if len(kept) == len(person.absences):
        raise Problem("not_found", "No such absence, or you have no access to it.")
    person.absences = kept
