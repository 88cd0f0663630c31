"""Quote stage: a choice that was marked in the quoted mail, or is the only one left there.

It runs where the writer has no words of their own, or only "see below". A mark is an X, a tick, an
arrow or an asterisk at one line of the list. If all other choices were deleted, text before and
after the list must still be there, and no other line of the quote may have a number.
"""

import re
from typing import NamedTuple

from service.mail.inbound.choice_reader import NamedChoice
from service.mail.inbound.copied_choice import copied_choices, line_forms, normal
from service.mail.inbound.move_parser import Asked
from service.mail.inbound.plain_text import plain

_QUOTE_SIGNS = re.compile(r"^(?:[>|]\s?)+")
# A blank follows: "*2. this*" is bold type, and no mark.
_TICKS = r"\[[xX\u2713\u2714]\]|\([xX]\)|[xX\u2713\u2714\u2705\u2611]"
_MARKED = re.compile(
    rf"(?P<before>(?:{_TICKS}|[-=]+>+|\u2192|\*)(?=\s))?\s*(?P<line>.*?)"
    rf"(?P<after>\s+(?:<[-=]+|\u2190|{_TICKS}))?"
)
_NUMBERED = re.compile(r"(?:#\s?)?([0-9]{1,3})(?:\s?[.):])?\s+(\S.*)")


class _Line(NamedTuple):
    """A line of the quote; `place` is that of its choice."""

    place: int | None
    marked: bool
    numbered: bool
    empty: bool


def choice_in_quote(quote: str, asked: Asked) -> NamedChoice | None:
    """The choice that the quote shows to be meant; None if it shows none."""
    if not quote or len(asked.choices) < 2:
        return None
    lines = [_line(line, asked) for line in plain(quote).split("\n")]
    offered = [line for line in lines if line.place is not None]
    places = {line.place for line in offered}
    marked = {line.place for line in offered if line.marked}
    if len(marked) == 1 and len(places) > 1:
        return _choice(marked.pop(), asked, clear=True)
    if marked or len(offered) != 1:
        return None
    return _only_one_left(lines, asked)


def _choice(place: int | None, asked: Asked, clear: bool) -> NamedChoice:
    assert place is not None
    return NamedChoice(asked.choices[place], clear)


def _only_one_left(lines: list[_Line], asked: Asked) -> NamedChoice | None:
    """The only choice in the quote; clear if the rest of the mail is around it."""
    [at] = [number for number, line in enumerate(lines) if line.place is not None]
    if any(line.numbered for line in lines if line.place is None):
        return None  # lines that a mail program broke, perhaps
    is_around = all(any(not line.empty for line in part) for part in (lines[:at], lines[at + 1 :]))
    return _choice(lines[at].place, asked, clear=is_around and lines[at].numbered)


def _line(text: str, asked: Asked) -> _Line:
    text = _QUOTE_SIGNS.sub("", text).strip()
    match = _MARKED.fullmatch(text)
    assert match is not None
    marked = bool(match["before"] or match["after"])
    numbered = _NUMBERED.fullmatch(match["line"])
    if numbered is None:
        found = copied_choices(match["line"], asked.choices, asked.labels)
        place = found[0] if len(found) == 1 and _is_whole(match["line"], found[0], asked) else None
        return _Line(place, marked, False, not text)
    number = int(numbered[1])
    is_choice = 0 < number <= len(asked.choices) and _is_whole(numbered[2], number - 1, asked)
    return _Line(number - 1 if is_choice else None, marked, True, False)


def _is_whole(text: str, place: int, asked: Asked) -> bool:
    """Whether a text is the line of this choice, or begins with it."""
    written = normal(text)
    label = asked.labels[place] if place < len(asked.labels) else asked.choices[place]
    return any(
        written == form or written.startswith(f"{form} ")
        for form in (*line_forms(asked.choices[place], label), normal(asked.choices[place]))
    )
