"""How long a decision may take: pure functions of a clock, a person's habits, and instants.

A clock is `{"kind": "none"}`, `{"kind": "flat", "hours": 48}` (that much for every decision) or
`{"kind": "bank", "start_hours": 72, "increment_hours": 12, "cap_hours": 120}`: a store of time,
to which every decision adds, up to the cap. `absence_days` says for how long in all a seat's
clock may stand still because its owner announced to be away.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

Clock = Mapping[str, Any]

HOUR = 3600
DAY = 24 * HOUR
# No clock at all would let a game wait for ever for somebody who never comes back.
PATIENCE = timedelta(days=60)
# The house waits a little longer than the players: what came in time may still be on its way.
GRACE = timedelta(seconds=60)
MOST_MISSES = 3  # in a row; then a bot keeps the seat
PAUSE_FOR = timedelta(days=30)
ABSENCE_DAYS = 14  # unless the table says otherwise
MOST_ABSENCE_DAYS = 60
MOST_SLEEP = timedelta(hours=12)
LONGEST_NIGHT = MOST_SLEEP + timedelta(hours=1)  # the one in which clocks are put back

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


def complete(clock: Clock) -> dict[str, Any]:
    """All values of a clock that was given by name, or without its budget of absence."""
    full = dict(PRESETS[clock["preset"]]) if "preset" in clock else {}
    full |= {key: value for key, value in clock.items() if key != "preset"}
    days = full.pop("absence_days", ABSENCE_DAYS)
    return {"kind": full["kind"], **full, "absence_days": days}  # tables are found by their kind


class Span(NamedTuple):
    """From one instant to another."""

    start: datetime
    end: datetime


class Sleep(NamedTuple):
    """When somebody sleeps, by the clocks on their wall."""

    zone: tzinfo
    begins: time
    ends: time

    def night(self, at: datetime) -> Span | None:
        """The night that this instant falls into; None: they are awake."""
        today = at.astimezone(self.zone).date()
        for days in (-1, 0):
            night = self._night_of(today + timedelta(days=days))
            if night.start <= at < night.end:
                return night
        return None

    def _night_of(self, evening: date) -> Span:
        """The night that begins on this day. In the night in which the clocks are put back, what
        they show twice counts from the first time to the second."""
        morning = evening if self.begins < self.ends else evening + timedelta(days=1)
        return Span(
            _shown_at(self.zone, evening, self.begins, again=False),
            _shown_at(self.zone, morning, self.ends, again=True),
        )

    def awake(self, at: datetime) -> datetime:
        """This instant, or the end of the sleep it falls into."""
        while (night := self.night(at)) is not None:
            at = night.end
        return at


MINUTE = timedelta(minutes=1)


def _shown_at(zone: tzinfo, day: date, wall: time, again: bool) -> datetime:
    """When the clocks of a zone show this; where they skip it, the first instant after that."""
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
    """The time zone; UTC if the machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def sleep_of(person: Any) -> Sleep | None:
    """The sleep of a person, or of a row with their `time_zone`, `sleep_from` and `sleep_to`."""
    begins, ends = person.sleep_from, person.sleep_to
    if begins is None or ends is None or begins == ends:
        return None
    return Sleep(zone_named(person.time_zone), time.fromisoformat(begins), time.fromisoformat(ends))


def absences_of(person: Any) -> list[Span]:
    """The announced absences of a person, or of a row with them: in order, without overlaps."""
    return merged(
        Span(datetime.fromisoformat(absence["from"]), datetime.fromisoformat(absence["to"]))
        for absence in person.absences or ()
    )


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same time in order, with no instant twice."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def first_bank(clock: Clock) -> int | None:
    """The seconds a seat begins with; None where nothing is stored up."""
    return _seconds(clock["start_hours"]) if clock["kind"] == "bank" else None


def bank_on_return(clock: Clock, bank: int | None) -> int | None:
    """The seconds of somebody who takes their seat back: what was left, but enough to play on."""
    first = first_bank(clock)
    return None if first is None else max(bank or 0, min(first, DAY))


def allowance(clock: Clock, bank: int | None) -> int:
    """The seconds that a decision which opens now may take."""
    if clock["kind"] == "flat":
        return _seconds(clock["hours"])
    if clock["kind"] == "bank":
        return min((bank or 0) + _seconds(clock["increment_hours"]), _seconds(clock["cap_hours"]))
    return round(PATIENCE.total_seconds())


def _seconds(hours: float) -> int:
    return round(hours * HOUR)


def absence_left(clock: Clock, used: int) -> int:
    """The seconds for which a seat's clock may still stand because of absences."""
    return max(0, int(clock["absence_days"]) * DAY - used)


class Term(NamedTuple):
    """The time somebody gets: until when, and when their clock stands still before that."""

    due_at: datetime
    stands: tuple[Span, ...]


def term(
    seconds: int,
    opened_at: datetime,
    sleep: Sleep | None = None,
    absences: Sequence[Span] = (),
    budget: int = 0,
) -> Term:
    """Until when somebody may take who has so many seconds from now on.

    Their clock stands during their absences, which are in order, as long as the budget of seconds
    lasts. An end that falls into their sleep moves to its end.
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
    """How many seconds these are."""
    return round(
        sum((span.end - span.start for span in merged(spans)), timedelta()).total_seconds()
    )


def stood(stands: Iterable[Span], until: datetime) -> int:
    """For how many seconds a clock with these stands stood before this instant."""
    return length(before(stands, until))


def before(stands: Iterable[Span], until: datetime) -> list[Span]:
    """The parts of these stands before this instant."""
    return [Span(span.start, min(span.end, until)) for span in stands if span.start < until]


def unused(
    allowed: int, opened_at: datetime, until: datetime, stands: Iterable[Span], held: int = 0
) -> int:
    """The seconds that a decision's clock has left at an instant: it ran since it opened, but for
    its stands and for as long as all clocks were held. That a due instant waits for the morning is
    no time of the clock."""
    passed = int(max(until - opened_at, timedelta()).total_seconds())
    return max(0, allowed - max(0, passed - stood(stands, until) - held))


def bank_after(clock: Clock, left: int) -> int | None:
    """What is stored up after an answer that left so many seconds; None where nothing is."""
    return left if clock["kind"] == "bank" else None


def longest_wait(clock: Clock) -> timedelta:
    """What everybody can count on: no decision of this game takes longer, unless somebody
    announced an absence or all agreed on a pause."""
    if clock["kind"] == "bank":
        return timedelta(hours=clock["cap_hours"]) + LONGEST_NIGHT
    return timedelta(seconds=allowance(clock, None)) + LONGEST_NIGHT


# What part of the time is left when a reminder comes; one of them is told in hours.
REMINDERS = ("half", "fifth", "two_hours")
DEFAULT_REMINDERS = ("fifth",)
TWO_HOURS = timedelta(hours=2)
WORTH_WAKING = timedelta(minutes=30)  # less than this after waking is too short to answer


def reminder_times(
    opened_at: datetime, due_at: datetime, choice: Iterable[str], sleep: Sleep | None
) -> list[datetime]:
    """When somebody is reminded of a decision: in order, after it opened and before it is due.

    Nobody is woken, unless that is the last chance.
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
