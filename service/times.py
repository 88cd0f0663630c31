"""Instants as people read them: in their own time zone, and as time that is left."""

from datetime import datetime, timedelta, tzinfo
from typing import Any

from service.clocks import PATIENCE, Clock

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def local_words(instant: datetime, zone: tzinfo) -> str:
    """`Tue 3 Nov, 14:20 CET`."""
    there = instant.astimezone(zone)
    return f"{there:%a} {there.day} {there:%b}, {there:%H:%M %Z}"


def length_words(length: timedelta) -> str:
    """A length of time with the two figures that matter: `2 days 4 h`, `35 min`."""
    seconds = int(length.total_seconds())
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    if days:
        return _count(days, "day") + (f" {hours} h" if hours else "")
    if hours:
        return f"{hours} h" + (f" {minutes} min" if minutes else "")
    return f"{minutes} min" if minutes else "less than a minute"


def left_words(due: datetime | None, at: datetime) -> str:
    """How much time is left to decide."""
    if due is None:
        return "the clock stands still"
    if due <= at:
        return "time is up"
    return f"{length_words(due - at)} left"


def ago_words(instant: datetime, at: datetime) -> str:
    past = at - instant
    return "just now" if past < timedelta(minutes=1) else f"{length_words(past)} ago"


def clock_words(clock: Clock) -> str:
    """A clock for people."""
    if clock["kind"] == "flat":
        return f"{_hours(clock['hours'])} for each decision"
    if clock["kind"] == "bank":
        return (
            f"{_hours(clock['start_hours'])} in all, {_hours(clock['increment_hours'])} more for "
            f"each decision, at most {_hours(clock['cap_hours'])}"
        )
    return f"No clock; the house decides after {length_words(PATIENCE)}"


def _hours(hours: Any) -> str:
    return length_words(timedelta(hours=hours))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
