"""Attributions of quotes, "On <date>, <name> wrote:", on one to four lines.

They are known by shape in any language: they end with a colon, or stand between dashes, and have a
date or time together with an address, a name of ours or a known verb. A shape that is less certain
counts only directly above a quote. Yahoo on Android writes the quote behind the colon.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from service.mail.inbound.line_shapes import (
    has_address,
    has_date,
    has_time,
    may_be_broken,
    shape_of,
)
from service.mail.inbound.plain_text import folded
from service.mail.inbound.quote_patterns import (
    ATTRIBUTION_BEGINS,
    ATTRIBUTION_VERBS,
    MARKER,
    QUOTING_BEGINS,
)

MOST_LINES, LONGEST = 4, 600
DATE_WITHIN = 60  # characters from the beginning, if the quote is on the same line
_COLON = re.compile(r":(?![0-9/])")


class Attribution(NamedTuple):
    lines: int
    rest: str = ""  # text of the quote behind the colon


def attribution_at(
    lines: Sequence[str], place: int, names: Sequence[str] = ()
) -> Attribution | None:
    """The attribution that begins at this line. `names` are those of the people who may be quoted,
    folded."""
    if not lines[place]:
        return None
    together = ""
    for count, line in enumerate(lines[place : place + MOST_LINES], start=1):
        if not line or line[0] in ">|" or len(together) + len(line) > LONGEST:
            return None
        together = f"{together} {line}".strip()
        text = _Text(together, names, _next_line(lines, place + count))
        rest = text.behind_colon()
        if (text.is_attribution() or rest) and not _begins_later(lines, place, count, names):
            return Attribution(count, rest or "")
        if not _goes_on(lines, place, place + count, names):
            return None
    return None


def _goes_on(lines: Sequence[str], first: int, following: int, names: Sequence[str]) -> bool:
    """Whether an attribution may go on at the following line: the first says when or whose, and
    the last is long enough to have been broken, unless the words are known."""
    text = _Text(lines[first], names, "")
    if text.begins or "@" in lines[first]:
        return True
    if following >= len(lines) or not (text.says_when() or text.named):
        return False
    return may_be_broken(lines[following - 1], lines[following])


def _begins_later(lines: Sequence[str], place: int, count: int, names: Sequence[str]) -> bool:
    """Whether the last of these lines is a whole attribution without the first ones, which are
    then text of the writer."""
    following = _next_line(lines, place + count)
    return any(
        (text.begins and text.is_attribution())
        or (text.is_whole() and not may_be_broken(lines[later - 1], lines[later]))
        for later in range(place + 1, place + count)
        for text in [_Text(" ".join(lines[later : place + count]), names, following)]
    )


def _next_line(lines: Sequence[str], place: int) -> str:
    return next((line for line in lines[place:] if line), "")


class _Text:
    """Text that may be an attribution, above the line `following`."""

    def __init__(self, text: str, names: Sequence[str], following: str) -> None:
        self.shape = shape_of(text)
        self.dashed = self.shape.startswith("---") and self.shape.endswith("---")
        if self.dashed:
            self.shape = f"{self.shape.strip('- ')}:"
        self.words = folded(self.shape)
        self.begins = self.words.lstrip("- ").startswith(ATTRIBUTION_BEGINS)
        self.above_quote = following.startswith((">", "|", MARKER))
        self.named = any(name in self.words for name in names if len(name) > 2)
        self.addressed = has_address(self.shape)

    def says_when(self) -> bool:
        return has_date(self.shape) or has_time(self.shape)

    def is_attribution(self) -> bool:
        if not self.shape.endswith(":"):
            return False
        if self.is_whole() or self._has_known_words():
            return True
        return self.above_quote and (
            (has_date(self.shape) and has_time(self.shape))
            or (self.named and (self.says_when() or self._says_wrote()))
        )

    def is_whole(self) -> bool:
        """Whether the text says when and whose, in any language."""
        if not self.shape.endswith(":"):
            return False
        dated, timed = has_date(self.shape), has_time(self.shape)
        return ((dated or timed) and self.addressed) or (dated and timed and self.named)

    def _has_known_words(self) -> bool:
        if self.words.startswith(QUOTING_BEGINS) and self.addressed:
            return True
        has_digit = any(sign.isdigit() for sign in self.words)
        return self._says_wrote() and (self.begins or self.addressed or has_digit)

    def _says_wrote(self) -> bool:
        spoken = self.words.rstrip(": ") + " "
        return any(f" {verb} " in spoken for verb in ATTRIBUTION_VERBS)

    def behind_colon(self) -> str | None:
        """The text behind a whole attribution on the same line; None if there is none."""
        for match in _COLON.finditer(self.shape):
            head, rest = self.shape[: match.end()], self.shape[match.end() :].strip("> ")
            if rest and has_date(head[:DATE_WITHIN]) and has_address(head):
                return rest
        return None
