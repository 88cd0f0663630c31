"""Announced absences: while somebody is away, the clocks of what they are asked stand still.

Only decisions that open after the announcement know of it, and each game has a budget.
"""

from datetime import UTC, datetime, timedelta

from engine.contract import Json
from service.access import Caller, access_own_account, access_own_habits
from service.clocks import MOST_ABSENCE_DAYS
from service.keys import new_id
from service.problems import Refused, wrong

MOST_AHEAD = timedelta(days=366)
LONGEST = timedelta(days=MOST_ABSENCE_DAYS)
MOST_ANNOUNCED = 20


def absence_json(absence: dict[str, str]) -> Json:
    return {
        "id": absence["id"],
        "from": datetime.fromisoformat(absence["from"]),
        "to": datetime.fromisoformat(absence["to"]),
    }


def absences_to_come(caller: Caller, at: datetime) -> list[Json]:
    """The caller's absences that are not over, in order."""
    found = [absence_json(absence) for absence in access_own_account(caller).absences]
    return sorted(
        (absence for absence in found if absence["to"] > at),
        key=lambda absence: (absence["from"], absence["id"]),
    )


def announce(caller: Caller, start: datetime, end: datetime, at: datetime) -> Json:
    """Announce an absence; what has passed of it does not count."""
    if end <= max(start, at):
        raise wrong("/to", "An absence ends after it begins, and not in the past.")
    start = max(start, at)
    if end - start > LONGEST:
        raise wrong("/to", f"An absence takes at most {MOST_ABSENCE_DAYS} days.")
    if end - at > MOST_AHEAD:
        raise wrong("/to", "An absence can be announced a year ahead.")
    person = access_own_habits(caller)
    kept = [absence for absence in person.absences if datetime.fromisoformat(absence["to"]) > at]
    if len(kept) >= MOST_ANNOUNCED:
        raise Refused("too_many_absences", f"You have announced {len(kept)}; take one back first.")
    new = {"id": new_id(), "from": _written(start), "to": _written(end)}
    person.absences = [*kept, new]
    return absence_json(new)


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


def take_back(caller: Caller, absence_id: str) -> None:
    """Take an announcement back. What was already asked keeps the time it was given."""
    person = access_own_habits(caller)
    kept = [absence for absence in person.absences if absence["id"] != absence_id]
    if len(kept) == len(person.absences):
        raise Refused("not_found", "There is no such absence, or not for you.")
    person.absences = kept
