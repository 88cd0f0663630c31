"""Parser of dates in a reply: "24 Dec - 2 Jan", "24.12. bis 2.1.", "del 24 al 28 de diciembre",
"2025-12-24", "until 2 January", "until Friday", "for a week", "next week".

Years may be left out: then the last day is the next date with that day and month, and the first
day the nearest one before it, so that an absence that has begun is not one of next year. With
slashes, day or month may come first; a line with two readings is unclear, as "next Friday" is.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from service.mail.inbound.command_types import Away, Unclear
from service.mail.inbound.number_words import MONTHS, NUMBER_WORDS, TODAY, TOMORROW, WEEKDAYS
from service.mail.inbound.plain_text import folded
from service.mail.inbound.vocabulary import UNTIL
from service.mail.inbound.word_forms import any_of

LONGEST = 80
BEGUN_BEFORE = timedelta(days=366)  # at most; an earlier year is a mistake
_UNTIL = sorted(UNTIL, key=len, reverse=True)
_TO = re.compile(r"\s*(?:\b(?:to|until|till|through|bis zum|bis|hasta el|hasta|al|a)\b|-)\s*")
_LEADING = re.compile(r"(?:from|on|von|vom|am|ab|the|desde el|desde|del|el|de|den)\s+")
_OPEN_END = re.compile(r"(?:from|von|vom|ab|desde|del|de)\s")  # needs a last day
_NAMED = re.compile(
    r"([0-9]{1,2})(?:st|nd|rd|th)?\.?\s*(?:de\s+|of\s+)?([a-z]{3,10})\.?,?\s*(?:del?\s+)?([0-9]{4})?"
)
_MONTH_FIRST = re.compile(r"([a-z]{3,10})\.?\s*([0-9]{1,2})(?:st|nd|rd|th)?,?\s*([0-9]{4})?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_DOTTED = re.compile(r"([0-9]{1,2})\.\s*([0-9]{1,2})\.?\s*([0-9]{4}|[0-9]{2})?")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}|[0-9]{2}))?")
_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?\.?")
_NEXT_WEEKDAY = re.compile(
    rf".*\b(?:next|naechste[nrsm]?|kommende[nrsm]?|proximo) ({any_of(WEEKDAYS)})\b.*"
)
_LENGTH = re.compile(
    rf"(?:for |fuer |um |por |durante )?(?:the next |die naechsten |los proximos )?"
    rf"(a|an|one|ein|eine|einen|una|un|[0-9]{{1,2}}|{any_of(NUMBER_WORDS)}) "
    r"(days?|weeks?|tage?|wochen?|dias?|semanas?)(?: lang)?"
)
_THIS_WEEK = ("this week", "diese woche", "esta semana")
_NEXT_WEEK = ("next week", "all next week", "naechste woche", "kommende woche", "la proxima semana")
_WEEKEND = (
    *("this weekend", "the weekend", "at the weekend", "over the weekend", "am wochenende"),
    *("dieses wochenende", "uebers wochenende", "das wochenende", "ueber das wochenende"),
    *("este fin de semana", "el fin de semana"),
)


class _Day(NamedTuple):
    day: int
    month: int | None = None
    year: int | None = None
    weekday: int | None = None  # instead of a date


class _NoDate(Exception):
    """A text that is not a date."""


def read_days(text: str, line: str, today: date) -> Away:
    """The absence in a text of this line; raises Unclear."""
    if match := _NEXT_WEEKDAY.fullmatch(folded(text)):
        near = _next(_Day(0, weekday=WEEKDAYS[match[1]]), today + timedelta(days=1))
        far = near + timedelta(days=7)
        raise Unclear("ambiguous", line=line, first=near.isoformat(), second=far.isoformat())
    found: dict[Away, None] = {}
    for day_first in (True, False):
        try:
            absence = _absence(folded(text)[:LONGEST], today, day_first)
        except (_NoDate, OverflowError):
            continue
        found[absence] = None
    if not found or len(text) > LONGEST:
        raise Unclear("bad_dates", line=line)
    first, *others = found
    if others:
        raise Unclear("ambiguous", line=line, first=_iso(first), second=_iso(others[0]))
    return first


def _iso(absence: Away) -> str:
    return f"{absence.first.isoformat()} - {absence.last.isoformat()}"


def _absence(text: str, today: date, day_first: bool) -> Away:
    if (span := _span(text, today)) is not None:
        return span
    for until in _UNTIL:
        if text.startswith(f"{until} "):
            day = _day(text[len(until) :], today, day_first)
            if day.weekday == today.weekday():  # today, or in a week
                raise _NoDate
            return _checked(today, _next(day, today), today)
    for first_text, last_text in _halves(text):
        try:
            first = _day(first_text, today, day_first)
            last_day = _day(last_text, today, day_first)
        except _NoDate:
            continue
        return _between(first, last_day, today)
    if _OPEN_END.match(text):
        raise _NoDate
    only = _next(_day(text, today, day_first), today)
    return _checked(only, only, today)


def _span(text: str, today: date) -> Away | None:
    """Days that are told by their number, or as a week."""
    monday = today - timedelta(days=today.weekday())
    if text in _THIS_WEEK:
        return Away(today, monday + timedelta(days=6))
    if text in _NEXT_WEEK:
        return Away(monday + timedelta(days=7), monday + timedelta(days=13))
    if text in _WEEKEND:
        return Away(max(today, monday + timedelta(days=5)), monday + timedelta(days=6))
    if match := _LENGTH.fullmatch(text):
        count = int(match[1]) if match[1].isdecimal() else NUMBER_WORDS.get(match[1], 1)
        days = count * (1 if match[2].startswith(("d", "t")) else 7)
        if days < 1:
            raise _NoDate
        return Away(today, today + timedelta(days=days - 1))
    return None


def _halves(text: str) -> Iterable[tuple[str, str]]:
    """Every way to split the text at a word or sign between two days."""
    for cut in _TO.finditer(text):
        if cut.start() > 0 and cut.end() < len(text):
            yield text[: cut.start()], text[cut.end() :]


def _day(text: str, today: date, day_first: bool) -> _Day:
    """One day; raises _NoDate."""
    text = text.strip(" ,;!")
    while leading := _LEADING.match(text):
        text = text[leading.end() :]
    if text in TODAY or text in TOMORROW:
        meant = today if text in TODAY else today + timedelta(days=1)
        return _Day(meant.day, meant.month, meant.year)
    if text in WEEKDAYS:
        return _Day(0, weekday=WEEKDAYS[text])
    if match := _ISO.fullmatch(text):
        return _Day(int(match[3]), int(match[2]), int(match[1]))
    if match := _NAMED.fullmatch(text):
        return _Day(int(match[1]), _month(match[2]), _year(match[3]))
    if match := _MONTH_FIRST.fullmatch(text):
        return _Day(int(match[2]), _month(match[1]), _year(match[3]))
    if match := _DOTTED.fullmatch(text):
        return _Day(int(match[1]), int(match[2]), _year(match[3]))
    if match := _SLASHED.fullmatch(text):
        day, month = (match[1], match[2]) if day_first else (match[2], match[1])
        return _Day(int(day), int(month), _year(match[3]))
    if match := _DAY.fullmatch(text):
        return _Day(int(match[1]))
    raise _NoDate


def _month(word: str) -> int:
    if word not in MONTHS:
        raise _NoDate
    return MONTHS[word]


def _year(digits: str | None) -> int | None:
    if digits is None:
        return None
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _between(first: _Day, last: _Day, today: date) -> Away:
    """The absence between two days; each completes the month and year of the other."""
    if first.weekday is not None or last.weekday is not None:
        begin = _next(first, today)
        return _checked(begin, _next(last, begin), today)
    if first.month is None and last.month is None:
        raise _NoDate
    if first.month is None:
        first = first._replace(month=last.month)
    if last.month is None:
        last = last._replace(month=first.month, year=last.year or first.year)
    if first.year is not None:
        begin = _next(first, today)
        return _checked(begin, _next(last, begin), today)
    end = _next(last, today)
    return _checked(_latest(first, end), end, today)


def _next(day: _Day, since: date) -> date:
    """The date of this day; without a year, the next one."""
    if day.weekday is not None:
        return since + timedelta(days=(day.weekday - since.weekday()) % 7)
    if day.month is None:
        raise _NoDate
    years = range(since.year, since.year + 9) if day.year is None else (day.year,)
    for year in years:
        found = _date(year, day.month, day.day)
        if found is not None and (found >= since or day.year is not None):
            return found
    raise _NoDate


def _latest(day: _Day, until: date) -> date:
    if day.month is None:
        raise _NoDate
    for year in range(until.year, until.year - 9, -1):
        found = _date(year, day.month, day.day)
        if found is not None and found <= until:
            return found
    raise _NoDate


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _checked(first: date, last: date, today: date) -> Away:
    if last < first or last < today or first < today - BEGUN_BEFORE:
        raise _NoDate
    return Away(first, last)
