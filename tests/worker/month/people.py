"""Those who play this month: where they live, when they sleep, how they are told, what they do."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.worker.month.reckoning import DAY, HOUR, MINUTE, Night, Span

BEGIN = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)  # before Lord Howe puts its clocks half an hour on
MONTH = 33 * DAY  # past the nights in which Europe and America put theirs back
END = BEGIN + MONTH

ZONES = (
    "Europe/Rome",
    "America/New_York",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "Europe/London",
    "America/Los_Angeles",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Pacific/Auckland",
    "UTC",
)
# Some end or begin in the hour that is shown twice, or not at all.
NIGHTS = (
    ("23:00", "07:00"),
    ("22:30", "06:15"),
    ("00:30", "08:00"),
    ("21:00", "02:30"),
    None,
    ("02:15", "09:45"),
    ("13:00", "17:00"),
    ("01:30", "01:45"),
)
REMINDERS = (
    None,  # nothing chosen: as it comes
    (),
    ("half",),
    ("fifth",),
    ("two_hours",),
    ("half", "fifth"),
    ("half", "fifth", "two_hours"),
)
TURNS = ("every", "batched", "daily", "urgent", "off", None)
HABITS = (
    "prompt",
    "comes back",
    "slow",
    "late",
    "last second",
    "twice",
    "changes",
    "never",
    "comes back",
    "resigns",
    "by post",
    "moody",
)


@dataclass(frozen=True)
class Absence:
    """Days away, and when they were announced."""

    announced: datetime
    span: Span


@dataclass(frozen=True)
class Somebody:
    """One of the people."""

    name: str
    zone: str
    sleep: tuple[str, str] | None
    mail: dict[str, Any]
    habit: str
    absences: tuple[Absence, ...]
    leaves: datetime | None = None  # when they delete their account

    @property
    def email(self) -> str:
        return f"{self.name.lower()}@example.org"

    @property
    def night(self) -> Night | None:
        return None if self.sleep is None else Night(self.zone, *self.sleep)


def everybody(rng: Random, count: int) -> list[Somebody]:
    """People of every habit, with all kinds of settings, in no particular combination."""
    shuffled = {
        name: _again(rng, choices, count)
        for name, choices in (("zone", ZONES), ("sleep", NIGHTS), ("turns", TURNS))
    }
    return [
        Somebody(
            name=f"Person{n:02}",
            zone=shuffled["zone"][n],
            sleep=shuffled["sleep"][n],
            mail=_mail(rng, shuffled["turns"][n]),
            habit=HABITS[n % len(HABITS)],
            absences=tuple(_absences(rng)) if n % 3 == 0 else (),
            leaves=BEGIN + 12 * DAY + n * HOUR if n % 29 == 17 else None,
        )
        for n in range(count)
    ]


def _again(rng: Random, choices: tuple[Any, ...], count: int) -> list[Any]:
    """Each of these about equally often, in any order."""
    found = [choices[n % len(choices)] for n in range(count)]
    rng.shuffle(found)
    return found


def _mail(rng: Random, turns: str | None) -> dict[str, Any]:
    """Choices about mail; what was not chosen is missing."""
    chosen: dict[str, Any] = {"turns": turns} if turns is not None else {}
    if turns in ("every", "batched") and rng.random() < 0.8:
        chosen["delay_minutes"] = rng.choice((0, 5, 30, 120))
    if turns == "daily":
        chosen["daily_hour"] = rng.choice((0, 2, 7, 18, 23))
    reminders = rng.choice(REMINDERS)
    if reminders is not None:
        chosen["reminders"] = list(reminders)
    if rng.random() < 0.3:
        chosen["news"] = rng.random() < 0.5
    return chosen


def _absences(rng: Random) -> Iterator[Absence]:
    """One or two journeys, announced well before or when they begin."""
    start = BEGIN + rng.uniform(2, 20) * DAY
    for _ in range(rng.choice((1, 1, 2))):
        start = start.replace(minute=0, second=0, microsecond=0)
        end = start + rng.choice((1, 3, 6, 10)) * DAY
        announced = max(
            BEGIN + HOUR, start - rng.choice((0, 1, 4)) * DAY + 7 * MINUTE + timedelta(seconds=17)
        )
        yield Absence(announced, Span(start, end))
        start = end + rng.uniform(1, 6) * DAY


@dataclass(frozen=True)
class Answer:
    """When somebody answers a decision, and what else they do about it."""

    at: datetime
    arrives: timedelta = timedelta()  # how long the answer is on its way
    again: timedelta | None = None  # how long after it they send it once more
    changed: bool = False  # then with another move, if they still can


def answers(
    rng: Random, who: Somebody, opened: datetime, due: datetime | None, misses: bool
) -> Answer | None:
    """How this person will answer a decision that just opened; None: not at all.

    When the month is over, everybody is in a hurry to finish or has lost interest.
    """
    soon = opened + rng.choice((3, 3, 8, 20)) * MINUTE
    habit = "prompt" if opened > END and who.habit not in ("never", "comes back") else who.habit
    if habit == "moody":
        habit = rng.choice(("prompt", "slow", "late", "last second", "twice", "never"))
    until = due or opened + 2 * DAY  # clocks that stand leave time
    whole = until - opened
    if habit == "never" or (habit == "comes back" and misses):
        return None
    if habit == "slow":
        return Answer(_awake(who, _whole(opened + rng.uniform(0.02, 0.3) * min(whole, DAY))))
    if habit == "late":
        return Answer(_whole(opened + rng.uniform(0.6, 1.06) * whole))
    if habit == "last second" and due is not None:
        return Answer(due + rng.choice((-1, 0, 0, 45, 59)) * timedelta(seconds=1))
    if habit == "by post" and due is not None:
        sent = opened + rng.uniform(0.1, 0.4) * min(whole, DAY)
        if rng.random() < 0.3:
            sent = due - timedelta(seconds=rng.choice((0, 1, 5)))
        return Answer(_second(sent), arrives=timedelta(seconds=rng.choice((30, 55))))
    again = rng.choice((0, 1, 600)) * timedelta(seconds=1) if habit == "twice" else None
    if habit == "changes":
        return Answer(_awake(who, soon), again=MINUTE, changed=True)
    return Answer(_awake(who, soon), again=again)


def _awake(who: Somebody, at: datetime) -> datetime:
    return at if who.night is None else who.night.waking(at)


def _whole(at: datetime) -> datetime:
    """People look at full tens of minutes, which lets many things happen at one instant."""
    return _second(at).replace(second=0) + (10 - at.minute % 10) * MINUTE


def _second(at: datetime) -> datetime:
    return at.replace(microsecond=0)
