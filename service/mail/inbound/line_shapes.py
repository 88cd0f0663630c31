"""Shapes of lines that need no language: dates, times, addresses, bare numbers, broken lines."""

import re
import unicodedata

# A program breaks a line where the next word does not fit: both together have this length.
BROKEN_FROM = 55
_NUMERIC_DATE = re.compile(
    r"(?<!\d)\d{1,4}(?:[./-] ?| ?[年년] ?)\d{1,2}(?:[./-] ?| ?[月월] ?)\d{1,4}"
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_TIME = re.compile(
    r"(?<![\d.])(?:\d{1,2}(?:[:h]|[時时點点시] ?)\d{2}(?!\d)|[0-2]?\d\.[0-5]\d(?![\d.]))"
)
ADDRESS = re.compile(r"[^\s<>@\"'(),;:]{1,200}@[^\s<>@\"'(),;:]{1,200}")
_CONTROLS = dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)))
_BARE_NUMBER = re.compile(r"\W*(?:(?:nr|no|n)\W{1,3})?\d{1,3}\W*", re.IGNORECASE)


def shape_of(line: str) -> str:
    """The line with decimal digits of any script as ASCII, without marks of direction and
    bold."""
    line = line.translate(_CONTROLS).replace("*", "").strip()
    if line.isascii():
        return line
    return "".join(
        str(unicodedata.digit(sign)) if sign.isdecimal() and not sign.isascii() else sign
        for sign in line
    )


def has_date(shape: str) -> bool:
    """Whether there is a date with numbers alone, or a year and a day."""
    if _NUMERIC_DATE.search(shape):
        return True
    return _YEAR.search(shape) is not None and _DAY.search(shape) is not None


def has_time(shape: str) -> bool:
    return _TIME.search(shape) is not None


def has_address(shape: str) -> bool:
    return ADDRESS.search(shape) is not None


def is_bare_number(line: str) -> bool:
    """Whether the line is a number and nothing else, as an answer would be."""
    return len(line) <= 20 and _BARE_NUMBER.fullmatch(line) is not None


def may_be_broken(line: str, following: str) -> bool:
    """Whether a program may have broken a line before the following one."""
    first_word = following.partition(" ")[0]
    return len(line) + 1 + len(first_word) >= BROKEN_FROM
