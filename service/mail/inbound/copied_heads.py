"""Headers of an older mail that are copied into the text ("From: ..", "Sent: .."), and separators
above an older mail ("-----Original Message-----").

Both are known by their words in some languages, and by shape in all: three or more short labels
with a colon one below the other, one of them with an address or a date with a time; words without
numbers between dashes.
"""

import re
from collections.abc import Sequence
from itertools import islice

from service.mail.inbound.footer_patterns import TALK_BEGINS
from service.mail.inbound.line_shapes import has_address, has_date, has_time, shape_of
from service.mail.inbound.plain_text import folded
from service.mail.inbound.quote_patterns import HEAD_BEGINS, HEAD_FIELDS, OLD_MESSAGE

FEWEST_LABELS, LINES_LOOKED_AT = 3, 6
LONGEST_LABEL = 24
_LABEL = re.compile(rf"([^\W\d_][^\d:@<>\n]{{0,{LONGEST_LABEL}}}?) ?:(?: .*|)")
_SEPARATOR = re.compile(r"[-_=*]{3,} ?[^\W\d_][^\d]{2,60}?[^\W_] ?[-_=*]{3,}")


def is_copied_head(lines: Sequence[str], place: int) -> bool:
    return _is_known_head(lines, place) or _has_shape_of_head(lines, place)


def _is_known_head(lines: Sequence[str], place: int) -> bool:
    if _field(lines[place]) not in HEAD_BEGINS:
        return False
    return any(_field(other) in HEAD_FIELDS for other in lines[place + 1 : place + 5])


def _field(line: str) -> str | None:
    name, colon, _ = folded(line).strip("* ").partition(":")
    return name.strip("* ") if colon and len(name) < 20 else None


def _has_shape_of_head(lines: Sequence[str], place: int) -> bool:
    if ":" not in lines[place] or TALK_BEGINS.match(folded(lines[place])):
        return False
    written = (shape_of(line) for line in lines[place : place + 2 * LINES_LOOKED_AT] if line)
    block = list(islice(written, LINES_LOOKED_AT))
    labels = [line for line in block if _LABEL.fullmatch(line)]
    if len(labels) < FEWEST_LABELS or block[:2] != labels[:2]:
        return False
    return any(has_address(line) or (has_date(line) and has_time(line)) for line in labels)


def is_separator(lines: Sequence[str], place: int, written: bool) -> bool:
    """Whether everything below this line is an older mail. Words that are not known count only
    below something `written`, or above copied headers."""
    line = folded(lines[place]).strip("* ")
    if line.strip("-_=+* :>").rstrip(".") in OLD_MESSAGE and line[-1:] in "-_=:*":
        return True
    following = next((later for later in range(place + 1, len(lines)) if lines[later]), None)
    above_head = following is not None and is_copied_head(lines, following)
    if _SEPARATOR.fullmatch(line) and not line.startswith("-----begin pgp"):
        return written or above_head
    is_lead = line.endswith(":") and len(line) <= 60 and not any(map(str.isdigit, line))
    return is_lead and above_head
