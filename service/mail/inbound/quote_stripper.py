"""Stage `quote`: tells the text of the writer from quotes of older mails.

A quote has signs (`>`), or is everything below our marker, an attribution, copied headers or a
separator. Doubtful text stays: the strict command parser refuses it. Text below or between quotes
belongs to the writer too, so that two different answers contradict each other.

The library mail-parser-reply splits a mail into replies for display. Its rule for doubt is the
opposite (text below a quote is another reply, unknown signatures are shown), and it does not know
our marker.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from service.mail.inbound.attributions import attribution_at
from service.mail.inbound.copied_heads import is_copied_head, is_separator
from service.mail.inbound.line_shapes import is_bare_number
from service.mail.inbound.plain_text import folded
from service.mail.inbound.quote_patterns import FIRST_SIGN, MARKER, PGP_SIGNATURE, PGP_SIGNED
from service.mail.inbound.taken_off import QUOTE, TakenOff, taken_off

# A quoted line of at least this length may be broken, with a remainder that has no `>`.
LONG_QUOTED_LINE = 55
_RULE_ABOVE_QUOTE = re.compile(r"_{5,}")
_SIGNS = re.compile(r"(?:[>|] ?)+")
_SENTENCE_ENDS = (".", "!", "?", ":", "]", ")")


class Split(NamedTuple):
    """The text above the first quote and those between and below the others; the quotes without
    their signs; and what was taken off."""

    pieces: list[list[str]]
    quote: list[str]
    taken: list[TakenOff]


def split_quotes(lines: Sequence[str], names: Sequence[str] = ()) -> Split:
    """Split the lines of a mail in the form of `plain`; `names` are those of the people who may be
    quoted, folded."""
    split = Split([[]], [], [])
    place = 0
    while place < len(lines):
        if count := _quoted_lines(lines, place):
            _take(split, "quote_signs", lines[place : place + count])
            split.pieces.append([])
            place += count
        elif why := _end(lines, place, written=_is_written(split)):
            _take(split, why, lines[place:])
            break
        elif attribution := attribution_at(lines, place, names):
            place += attribution.lines
            is_glued = attribution.rest != ""
            if not _is_quoted(_next_line(lines, place)) or is_glued:
                _take(split, "attribution", [*lines[place - attribution.lines :]])
                break
            split.taken.extend(
                taken_off(QUOTE, "attribution", lines[place - attribution.lines : place])
            )
        else:
            split.pieces[-1].append(lines[place])
            place += 1
    return split


def _take(split: Split, why: str, lines: Sequence[str]) -> None:
    split.quote.extend(
        _SIGNS.sub("", line, count=1) if _is_quoted(line) else line for line in lines
    )
    split.taken.extend(taken_off(QUOTE, why, lines))


def _is_written(split: Split) -> bool:
    return any(line for piece in split.pieces for line in piece)


def _is_quoted(line: str) -> bool:
    return line.startswith((">", "|"))


def _quoted_lines(lines: Sequence[str], place: int) -> int:
    """The number of lines of a quote that begins here, with remainders of broken lines."""
    count = 0
    while place + count < len(lines):
        if not _is_quoted(lines[place + count]) and not (
            count and _is_remainder(lines, place + count)
        ):
            break
        count += 1
    return count


def _is_remainder(lines: Sequence[str], place: int) -> bool:
    """Whether a line without a sign is the rest of the quoted line above it, which a program broke.
    Directly above another quoted line it is; else it must go on with a sentence, and must not be
    an answer."""
    line, above = lines[place], lines[place - 1]
    if not line or len(above) < LONG_QUOTED_LINE:
        return False
    if place + 1 < len(lines) and _is_quoted(lines[place + 1]):
        return True
    if not _is_quoted(above):
        return line[0].islower()
    in_brackets = line[0] in "[(" or above.count("[") > above.count("]")
    goes_on = (line[0].islower() and not above.endswith(_SENTENCE_ENDS)) or in_brackets
    return goes_on and not is_bare_number(line)


def _next_line(lines: Sequence[str], place: int) -> str:
    return next((line for line in lines[place:] if line), "")


def _end(lines: Sequence[str], place: int, written: bool) -> str:
    """The reason why everything from this line on is an older mail; "" if it is not."""
    line = folded(lines[place]).strip("* ")
    if line.startswith((FIRST_SIGN, MARKER)):
        return "marker"
    if is_separator(lines, place, written) or _RULE_ABOVE_QUOTE.fullmatch(line):
        return "separator"
    return "copied_head" if is_copied_head(lines, place) else ""


def without_pgp(lines: list[str]) -> list[str]:
    """The text inside of an inline PGP signature."""
    if not lines or folded(lines[0]) != PGP_SIGNED:
        return lines
    begin = lines.index("") + 1 if "" in lines else len(lines)
    signature = next(
        (place for place, line in enumerate(lines) if folded(line) == PGP_SIGNATURE), begin
    )
    return lines[begin:signature]
