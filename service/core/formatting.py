"""Dates, times and durations in the time zone and language of a person."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo

from babel.dates import format_date, format_datetime

from engine.languages import ENGLISH, nearest_language
from service.core.i18n import translations_for
from service.core.time_control import PATIENCE, Clock

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_MOMENTS: Mapping[str, str] = {
    ENGLISH: "EEE d MMM, HH:mm",
    "de": "EEE, d. MMM, HH:mm",
    "es": "EEE d MMM, HH:mm",
}
_DAYS: Mapping[str, str] = {
    ENGLISH: "d MMMM yyyy",
    "de": "d. MMMM yyyy",
    "es": "d 'de' MMMM 'de' yyyy",
}
# Names of time zones that differ from the English ones.
_ZONES: Mapping[tuple[str, str], str] = {("de", "CET"): "MEZ", ("de", "CEST"): "MESZ"}


def local_words(instant: datetime, zone: tzinfo, language: str = ENGLISH) -> str:
    """`Tue 3 Nov, 14:20 CET`."""
    language, there = nearest_language(language), instant.astimezone(zone)
    moment = format_datetime(there, _MOMENTS[language], locale=language)
    return f"{moment} {_zone_words(there, language)}"


def clock_time(instant: datetime, zone: tzinfo, language: str = ENGLISH) -> str:
    """`14:20 CET`."""
    there = instant.astimezone(zone)
    return f"{there:%H:%M} {_zone_words(there, nearest_language(language))}"


def _zone_words(there: datetime, language: str) -> str:
    name = there.tzname() or "UTC"
    return f"UTC{name}" if name[0] in "+-" else _ZONES.get((language, name), name)


def day_words(instant: datetime, zone: tzinfo, language: str = ENGLISH) -> str:
    """`3 November 2026`."""
    return date_words(instant.astimezone(zone).date(), language)


def date_words(day: date, language: str = ENGLISH) -> str:
    """`3 November 2026`, of a date."""
    language = nearest_language(language)
    return format_date(day, _DAYS[language], locale=language)


def length_words(length: timedelta, language: str = ENGLISH) -> str:
    """A duration in at most two units: `2 days 4 h`, `35 min`."""
    say = translations_for(language)
    seconds = int(length.total_seconds())
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    if days:
        first = say.ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
        return first + (f" {_hours_words(hours, language)}" if hours else "")
    if hours:
        return _hours_words(hours, language) + (f" {minutes} min" if minutes else "")
    return f"{minutes} min" if minutes else say.gettext("less than a minute")


def _hours_words(hours: int, language: str) -> str:
    return translations_for(language).gettext("%(n)d h") % {"n": hours}


def left_words(due: datetime | None, at: datetime, language: str = ENGLISH) -> str:
    say = translations_for(language).gettext
    if due is None:
        return say("the clock stands still")
    if due <= at:
        return say("time is up")
    return say("%(time)s left") % {"time": length_words(due - at, language)}


def ago_words(instant: datetime, at: datetime, language: str = ENGLISH) -> str:
    say, past = translations_for(language).gettext, at - instant
    if past < timedelta(minutes=1):
        return say("just now")
    return say("%(time)s ago") % {"time": length_words(past, language)}


def clock_words(clock: Clock, language: str = ENGLISH) -> str:
    say = translations_for(language).gettext
    if clock["kind"] == "flat":
        return say("%(time)s for each decision") % {"time": _hours(clock["hours"], language)}
    if clock["kind"] == "bank":
        return say("%(start)s in all, %(more)s more for each decision, at most %(most)s") % {
            "start": _hours(clock["start_hours"], language),
            "more": _hours(clock["increment_hours"], language),
            "most": _hours(clock["cap_hours"], language),
        }
    return say("No clock; a bot decides after %(time)s") % {
        "time": length_words(PATIENCE, language)
    }


def _hours(hours: float, language: str) -> str:
    return length_words(timedelta(hours=hours), language)
