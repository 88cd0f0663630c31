"""Time control: pure functions of a clock, a person's sleep and absences, and instants.

A clock is `{"kind": "none"}`, `{"kind": "flat", "hours": 48}` (for every decision) or
`{"kind": "bank", "start_hours": 72, "increment_hours": 12, "cap_hours": 120}`: a time bank with an
increment for every decision, up to the cap. `absence_days` limits the total for which absences of
its player stop a seat's clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from engine.contract import Json

Clock = Mapping[str, Any]

HOUR = 3600
DAY = 24 * HOUR
# Time for a decision without a clock, so that no game waits for ever.
PATIENCE = timedelta(days=60)
# A decision is answered a little after its deadline: an answer in time may still be on its way.
GRACE = timedelta(seconds=60)
MOST_MISSES = 3  # in a row; then a bot keeps the seat
PAUSE_FOR = timedelta(days=30)
ABSENCE_DAYS = 14  # unless the table says otherwise
MOST_ABSENCE_DAYS = 60
MOST_SLEEP = timedelta(hours=12)
LONGEST_NIGHT = MOST_SLEEP + timedelta(hours=1)  # at the end of daylight saving time

DEFAULT_CLOCK: Clock = {"kind": "flat", "hours": 48, "absence_days": ABSENCE_DAYS}


def _bank(start: float, increment: float, cap: float) -> Clock:
    return {
        "kind": "bank",
        "start_hours": start,
        "increment_hours": increment,
        "cap_hours": cap,
        "absence_days": ABSENCE_DAYS,
    }


PRESETS: Mapping[str, Clock] = {
    "few_moves_a_day": _bank(24, 6, 36),
    "move_a_day": _bank(72, 24, 120),
    "relaxed": _bank(168, 72, 336),
}
PRESET_TITLES = {
    "few_moves_a_day": "A few moves a day",
    "move_a_day": "A move a day",
    "relaxed": "Relaxed",
}


def complete(clock: Clock) -> Json:
    """The clock with the values of its preset and its default `absence_days`."""
    full = dict(PRESETS[clock["preset"]]) if "preset" in clock else {}
    full |= {key: value for key, value in clock.items() if key != "preset"}
    days = full.pop("absence_days", ABSENCE_DAYS)
    return {"kind": full["kind"], **full, "absence_days": days}  # tables are found by their kind


class Span(NamedTuple):
    """A period between two instants."""

    start: datetime
    end: datetime


class Sleep(NamedTuple):
    """Sleep hours of a person, in local time."""

    zone: tzinfo
    begins: time
    ends: time

    def night(self, at: datetime) -> Span | None:
        """The night that contains this instant; None if the person is awake."""
        today = at.astimezone(self.zone).date()
        for days in (-1, 0):
            night = self._night_of(today + timedelta(days=days))
            if night.start <= at < night.end:
                return night
        return None

    def _night_of(self, evening: date) -> Span:
        """The night that begins on this day. At the end of daylight saving time it begins at the
        first of two equal local times and ends at the second."""
        morning = evening if self.begins < self.ends else evening + timedelta(days=1)
        return Span(
            _shown_at(self.zone, evening, self.begins, again=False),
            _shown_at(self.zone, morning, self.ends, again=True),
        )

    def awake(self, at: datetime) -> datetime:
        """This instant, or the end of the night that contains it."""
        while (night := self.night(at)) is not None:
            at = night.end
        return at


MINUTE = timedelta(minutes=1)


def _shown_at(zone: tzinfo, day: date, wall: time, again: bool) -> datetime:
    """The instant of a local time; if daylight saving time skips it, the first instant after it."""
    shown = datetime.combine(day, wall)
    while True:
        instant = shown.replace(tzinfo=zone, fold=int(again)).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None) == shown:
            return instant
        shown += MINUTE


def is_time_zone(name: str) -> bool:
    """Whether a time zone has this name, such as Europe/Rome."""
    return name in available_timezones()


def zone_named(name: str) -> tzinfo:
    """The time zone; UTC if it is not known."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


class Sleeper(Protocol):
    """A person, or a row with the columns that say when they sleep."""

    @property
    def time_zone(self) -> str | None: ...
    @property
    def sleep_from(self) -> str | None: ...
    @property
    def sleep_to(self) -> str | None: ...


def sleep_of(person: Sleeper) -> Sleep | None:
    """The hours in which a person sleeps, if they have set some."""
    zone, begins, ends = person.time_zone, person.sleep_from, person.sleep_to
    if zone is None or begins is None or ends is None or begins == ends:
        return None
    return Sleep(zone_named(zone), time.fromisoformat(begins), time.fromisoformat(ends))


def absence_spans(absences: Iterable[Mapping[str, str]] | None) -> list[Span]:
    """Announced absences as spans: in order, without overlaps."""
    return merged(
        Span(datetime.fromisoformat(absence["from"]), datetime.fromisoformat(absence["to"]))
        for absence in absences or ()
    )


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping ones joined."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def first_bank(clock: Clock) -> int | None:
    """Seconds in the bank of a seat at the start; None without a bank."""
    return _seconds(clock["start_hours"]) if clock["kind"] == "bank" else None


def bank_on_return(clock: Clock, bank: int | None) -> int | None:
    """Seconds in the bank of a player who takes their seat back: the rest, but at least a day."""
    first = first_bank(clock)
    return None if first is None else max(bank or 0, min(first, DAY))


def allowance(clock: Clock, bank: int | None) -> int:
    """Seconds for a decision that opens now."""
    if clock["kind"] == "flat":
        return _seconds(clock["hours"])
    if clock["kind"] == "bank":
        return min((bank or 0) + _seconds(clock["increment_hours"]), _seconds(clock["cap_hours"]))
    return round(PATIENCE.total_seconds())


def _seconds(hours: float) -> int:
    return round(hours * HOUR)


def absence_left(clock: Clock, used: int) -> int:
    """Seconds for which absences may still stop a seat's clock."""
    return max(0, int(clock["absence_days"]) * DAY - used)


class Term(NamedTuple):
    """Deadline of a decision, and the spans before it in which its clock stands still."""

    due_at: datetime
    stands: tuple[Span, ...]


def term(
    seconds: int,
    opened_at: datetime,
    sleep: Sleep | None = None,
    absences: Sequence[Span] = (),
    budget: int = 0,
) -> Term:
    """The term of a decision with so many seconds.

    Absences, which are in order, stop the clock as long as the budget of seconds lasts. A deadline
    inside the sleep hours moves to the end of them.
    """
    at, left, budgeted = opened_at, timedelta(seconds=seconds), timedelta(seconds=budget)
    stands: list[Span] = []
    for absence in absences:
        start = max(absence.start, at)
        if absence.end <= start:
            continue
        if start - at >= left or not budgeted:
            break
        left -= start - at
        at = min(absence.end, start + budgeted)
        budgeted -= at - start
        stands.append(Span(start, at))
    due = at + left
    return Term(due if sleep is None else sleep.awake(due), tuple(stands))


def length(spans: Iterable[Span]) -> int:
    """Total seconds of the spans."""
    return round(
        sum((span.end - span.start for span in merged(spans)), timedelta()).total_seconds()
    )


def stood(stands: Iterable[Span], until: datetime) -> int:
    """Seconds for which a clock with these stands has stood still before an instant."""
    return length(before(stands, until))


def before(stands: Iterable[Span], until: datetime) -> list[Span]:
    """The parts of these spans before an instant."""
    return [Span(span.start, min(span.end, until)) for span in stands if span.start < until]


def unused(
    allowed: int, opened_at: datetime, until: datetime, stands: Iterable[Span], held: int = 0
) -> int:
    """Seconds left on a decision's clock: it ran since the decision opened, except for its stands
    and for pauses (`held`). The delay of a deadline by sleep hours is not part of the clock."""
    passed = int(max(until - opened_at, timedelta()).total_seconds())
    return max(0, allowed - max(0, passed - stood(stands, until) - held))


def bank_after(clock: Clock, left: int) -> int | None:
    """Seconds in the bank after an answer that left so many; None without a bank."""
    return left if clock["kind"] == "bank" else None


def longest_wait(clock: Clock) -> timedelta:
    """The longest time of a decision without absences and pauses."""
    if clock["kind"] == "bank":
        return timedelta(hours=clock["cap_hours"]) + LONGEST_NIGHT
    return timedelta(seconds=allowance(clock, None)) + LONGEST_NIGHT


# Time left at a reminder: a part of the total, or two hours.
REMINDERS = ("half", "fifth", "two_hours")
DEFAULT_REMINDERS = ("fifth",)
TWO_HOURS = timedelta(hours=2)
WORTH_WAKING = timedelta(minutes=30)  # less after the end of the night is too short to answer


def reminder_times(
    opened_at: datetime, due_at: datetime, choice: Iterable[str], sleep: Sleep | None
) -> list[datetime]:
    """Times of the reminders of a decision, in order, between its opening and its deadline.

    A reminder during sleep hours moves to their end, or to the evening before.
    """
    total = due_at - opened_at
    wanted = {
        "half": due_at - total / 2,
        "fifth": due_at - total / 5,
        "two_hours": due_at - TWO_HOURS,
    }
    moved = {_outside_sleep(wanted[name], opened_at, due_at, sleep) for name in choice}
    return sorted(at for at in moved if opened_at < at < due_at)


def _outside_sleep(
    at: datetime, opened_at: datetime, due_at: datetime, sleep: Sleep | None
) -> datetime:
    night = None if sleep is None else sleep.night(at)
    if night is None:
        return at
    if due_at - night.end >= WORTH_WAKING:
        return night.end
    evening = night.start - MINUTE
    return evening if evening > opened_at else at
