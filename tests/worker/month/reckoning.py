"""When things are due: the rules of clocks, written a second time and in the simplest way.

Nothing here is shared with the service. Nights are found by trying what the clock on the wall says;
time that a clock runs is counted off in pieces. Slow, and easy to check by reading.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
GRACE = MINUTE
PATIENCE = 60 * DAY
MISSES = 3
SHORTEST_MORNING = timedelta(minutes=30)  # less than this after waking is too late to be reminded

# What the tables of this month can be told by name; start, increment and cap in hours.
PRESETS = {
    "few_moves_a_day": (24, 6, 36),
    "move_a_day": (72, 24, 120),
    "relaxed": (168, 72, 336),
}


class Span(NamedTuple):
    start: datetime
    end: datetime


class Night(NamedTuple):
    """Sleep by the clocks on the wall, as "22:30" to "07:00" in a zone."""

    zone: str
    begins: str
    ends: str

    def around(self, at: datetime) -> Span | None:
        """The night this instant is in, if it is in one."""
        day = at.astimezone(ZoneInfo(self.zone)).date()
        for evening in (day - DAY, day):
            span = _night(self, evening)
            if span.start <= at < span.end:
                return span
        return None

    def waking(self, at: datetime) -> datetime:
        """This instant, or the end of the night it is in."""
        night = self.around(at)
        return at if night is None else night.end


@cache
def _night(night: Night, evening: date) -> Span:
    """The night that begins on this day: from the first time the wall shows its beginning to the
    last time it shows its end. Where it skips one of them, what it shows next counts."""
    morning = evening if night.begins < night.ends else evening + DAY
    return Span(
        _minutes_showing(night.zone, evening, night.begins)[0],
        _minutes_showing(night.zone, morning, night.ends)[-1],
    )


@cache
def _minutes_showing(zone: str, day: date, wall: str) -> list[datetime]:
    """When the clocks of a zone show this time of day: once, or twice when they are put back."""
    hours, minutes = (int(part) for part in wall.split(":"))
    wanted = datetime(day.year, day.month, day.day, hours, minutes)  # noqa: DTZ001 - on the wall
    about, zone_info = wanted.replace(tzinfo=UTC), ZoneInfo(zone)
    offsets = {(about + n * HOUR).astimezone(zone_info).utcoffset() for n in range(-30, 31)}
    possible = sorted(about - offset for offset in offsets if offset is not None)
    while not (exactly := [at for at in possible if _on_the_wall(at, zone_info) == wanted]):
        wanted += MINUTE  # the clocks were put on, past what we look for
        possible = [at + MINUTE for at in possible]
    return exactly


def _on_the_wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None)


def next_showing(zone: str, wall: str, after: datetime) -> datetime:
    """The first instant after this one at which the clocks of a zone show this time of day."""
    day = after.astimezone(ZoneInfo(zone)).date()
    shown = (_minutes_showing(zone, day + n * DAY, wall)[0] for n in range(3))
    return next(instant for instant in shown if instant > after)


class Bank(NamedTuple):
    """A clock with a store of time, in hours."""

    start: float
    increment: float
    cap: float


class Control(NamedTuple):
    """How the table measures time: flat hours, a bank, or neither; and days to be away."""

    flat: float | None
    bank: Bank | None
    absence_days: int

    def first_store(self) -> timedelta:
        return timedelta() if self.bank is None else self.bank.start * HOUR

    def allows(self, store: timedelta) -> timedelta:
        """The time for a decision that opens now, with so much in store."""
        if self.flat is not None:
            return self.flat * HOUR
        if self.bank is None:
            return PATIENCE
        return min(store + self.bank.increment * HOUR, self.bank.cap * HOUR)

    def store_on_return(self, store: timedelta) -> timedelta:
        """Who comes back finds a day in store, or what a new player gets if that is less."""
        return max(store, min(self.first_store(), DAY))


def control_of(clock: dict[str, Any]) -> Control:
    """The time control of a table, from what it was asked for."""
    days = clock.get("absence_days", 14)
    if "preset" in clock:
        return Control(None, Bank(*PRESETS[clock["preset"]]), days)
    if clock["kind"] == "bank":
        hours = (clock[f"{name}_hours"] for name in ("start", "increment", "cap"))
        return Control(None, Bank(*hours), days)
    return Control(clock.get("hours"), None, days)


class Running(NamedTuple):
    """A decision's clock: until when, when it stands, and whether sleep made it longer."""

    due: datetime
    stands: tuple[Span, ...]
    slept: bool


def runs_out(
    time: timedelta, opened: datetime, night: Night | None, away: Sequence[Span], budget: timedelta
) -> Running:
    """When so much time has run since the decision opened, not counting absences.

    The line of time is cut where absences begin and end; in every piece the clock runs or stands.
    """
    cuts = sorted({opened, *(cut for span in away for cut in span if cut > opened)})
    stands: list[Span] = []
    for start, end in zip(cuts, [*cuts[1:], datetime.max.replace(tzinfo=UTC)]):
        standing = any(span.start <= start < span.end for span in away)
        if standing and budget:
            stand = min(end - start, budget)
            budget -= stand
            stands.append(Span(start, start + stand))
            start += stand
        if end - start >= time:
            due = start + time
            break
        time -= end - start
    waking = due if night is None else night.waking(due)
    return Running(waking, _joined(stands), waking > due)


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].end == span.start:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def time_used(opened: datetime, until: datetime, stands: Iterable[Span]) -> timedelta:
    """The time that ran between two instants, without the stands between them."""
    stood = [min(span.end, until) - max(span.start, opened) for span in stands]
    return until - opened - sum((part for part in stood if part > timedelta()), timedelta())


def reminders(
    opened: datetime, due: datetime, wanted: Iterable[str], night: Night | None
) -> list[datetime]:
    """When somebody is reminded of a decision they have until then."""
    whole = due - opened
    early = {"half": whole / 2, "fifth": whole / 5, "two_hours": 2 * HOUR}
    instants = set()
    for name in wanted:
        at = due - early[name]
        asleep = None if night is None else night.around(at)
        if asleep is not None:
            if due - asleep.end >= SHORTEST_MORNING:
                at = asleep.end
            elif asleep.start - MINUTE > opened:
                at = asleep.start - MINUTE
        if opened < at < due:
            instants.add(at)
    return sorted(instants)
