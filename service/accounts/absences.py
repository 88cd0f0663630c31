"""Announced absences: while somebody is away, the clocks of what they are asked stand still.

Only decisions that open after the announcement know of it, and each game has a budget.
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


def stored_absence(stored: Mapping[str, str]) -> Absence:
    """An absence as the person's row has it."""
    start, end = (datetime.fromisoformat(stored[name]) for name in ("from", "to"))
    return Absence(stored["id"], start, end)


def absences_to_come(caller: Caller, at: datetime) -> list[Absence]:
    """The caller's absences that are not over, in order."""
    found = [stored_absence(stored) for stored in access_own_account(caller).absences]
    return sorted(
        (absence for absence in found if absence.end > at),
        key=lambda absence: (absence.start, absence.id),
    )


def announce_absence(caller: Caller, first: date, last: date, at: datetime) -> Absence:
    """Announce that the caller is away on these days, by the clocks of their time zone."""
    zone = _zone(caller)
    today = at.astimezone(zone).date()
    latest = today + 2 * MOST_AHEAD  # refused in any case, and still a date
    first = min(max(first, today), latest)
    last = min(max(last, today - ONE_DAY), latest)
    start, end = (datetime.combine(day, time(), zone) for day in (first, last + ONE_DAY))
    return announce_span(caller, start, end, at)


def announce_span(caller: Caller, start: datetime, end: datetime, at: datetime) -> Absence:
    """Announce an absence between two instants; what has passed of it does not count.

    It is measured by the caller's clocks: a day on which they are put back is one day, too.
    """
    start, end = max(start, at), min(end, at + 2 * MOST_AHEAD)  # dates in every time zone
    if end <= start:
        raise invalid_field("/to", "An absence ends after it begins, and not in the past.")
    zone = _zone(caller)
    until, since, today = (one.astimezone(zone).replace(tzinfo=None) for one in (end, start, at))
    if until - since > LONGEST:
        raise invalid_field("/to", f"An absence takes at most {MOST_ABSENCE_DAYS} days.")
    if until - today > MOST_AHEAD:
        raise invalid_field("/to", "An absence can be announced a year ahead.")
    person = access_own_habits(caller)
    kept = [stored for stored in person.absences if stored_absence(stored).end > at]
    if len(kept) >= MOST_ANNOUNCED:
        raise Problem("too_many_absences", f"You have announced {len(kept)}; take one back first.")
    absence = Absence(new_id(), start.astimezone(UTC), end.astimezone(UTC))
    stored = {"id": absence.id, "from": absence.start.isoformat(), "to": absence.end.isoformat()}
    person.absences = [*kept, stored]
    return absence


def _zone(caller: Caller) -> tzinfo:
    return zone_named(access_own_account(caller).time_zone)


def take_back(caller: Caller, absence_id: str) -> None:
    """Take an announcement back. What was already asked keeps the time it was given."""
    person = access_own_habits(caller)
    kept = [absence for absence in person.absences if absence["id"] != absence_id]
    if len(kept) == len(person.absences):
        raise Problem("not_found", "No such absence, or you have no access to it.")
    person.absences = kept
