"""Text of the writer of a mail, without quotes and signatures.

Nothing quoted and nothing of a signature may pass for text of the writer. Doubtful text stays: the
strict command parser refuses it. Text below or between quotes belongs to the writer too, together
with the text above them, so that two different answers contradict each other.

The library mail-parser-reply splits a mail into replies for display. Its rule for doubt is the
opposite (text below a quote is another reply, unknown signatures are shown), and it does not know
our marker.
"""

import re
from collections.abc import Sequence

from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.quote_patterns import (
    ATTRIBUTION_BEGINS,
    ATTRIBUTION_VERBS,
    DISCLAIMER_BEGINS,
    HEAD_BEGINS,
    HEAD_FIELDS,
    MARKER,
    OLD_MESSAGE,
    PGP_SIGNATURE,
    PGP_SIGNED,
    QUOTING_BEGINS,
    SIGNATURE_BEGINS,
)

MOST_LINES = 6000
# Lines and characters of an attribution at most.
ATTRIBUTION_LINES, LONGEST_ATTRIBUTION = 4, 600
# A quoted line of at least this length may be broken, with a remainder that has no `>`.
LONG_QUOTED_LINE = 55
_DATE_FIRST = re.compile(
    r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{2,4},? [^@]{0,200}<[^<>]{0,200}@[^<>]{0,200}>:"
)
_RULE = re.compile(r"(?:_{5,}|-{5,}|={5,}|\*{5,}|~{5,})")
_DELIMITER = re.compile(r"(?:--|__|- -)")


class TooManyLines(Exception):
    """More lines than a person writes."""


def own_words(text: str, name: str = "") -> str:
    """The text of the writer, who is called `name`; "" if there is none. Raises TooManyLines."""
    lines = _without_pgp(plain(text).split("\n"))
    if len(lines) > MOST_LINES:
        raise TooManyLines
    return "\n\n".join(piece for piece in _pieces(lines, _words_of(name)) if piece)


def _pieces(lines: Sequence[str], name: frozenset[str]) -> list[str]:
    """The text above the first quote, then the texts between and below the others."""
    pieces: list[list[str]] = [[]]
    in_signature = False
    place = 0
    while place < len(lines):
        line = lines[place]
        if quoted := _quoted_lines(lines, place):
            place += quoted
            in_signature = False
            pieces.append([])
        elif _is_end(lines, place):
            break
        elif length := _attribution(lines, place):
            if not _is_quoted(_next_line(lines, place + length)):
                break  # a quote without signs
            place += length
        else:
            in_signature = in_signature or _begins_signature(line, pieces, name)
            if not in_signature:
                pieces[-1].append(line)
            place += 1
    return ["\n".join(piece).strip("\n") for piece in pieces]


def _is_quoted(line: str) -> bool:
    return line.startswith((">", "|"))


def _quoted_lines(lines: Sequence[str], place: int) -> int:
    """The number of lines of a quote that begins here, with remainders of broken lines."""
    count = 0
    while place + count < len(lines):
        line = lines[place + count]
        broken_off = count and line and len(lines[place + count - 1]) >= LONG_QUOTED_LINE
        if not _is_quoted(line) and not broken_off:
            break
        count += 1
    return count


def _next_line(lines: Sequence[str], place: int) -> str:
    return next((line for line in lines[place:] if line), "")


def _is_end(lines: Sequence[str], place: int) -> bool:
    """Whether everything from this line on is an older message."""
    line = folded(lines[place]).strip("* ")
    if line.startswith(MARKER):
        return True
    if line.strip("-_=+* :>").rstrip(".") in OLD_MESSAGE and line[-1:] in "-_=:*":
        return True
    if line.startswith("____") and _RULE.fullmatch(line):
        return True
    return _is_head(lines, place, line)


def _is_head(lines: Sequence[str], place: int, line: str) -> bool:
    """Whether two or more headers of a mail are copied into the text here."""
    if _field(line) not in HEAD_BEGINS:
        return False
    following = [folded(other).strip("* ") for other in lines[place + 1 : place + 5]]
    return any(_field(other) in HEAD_FIELDS for other in following)


def _field(line: str) -> str | None:
    name, colon, _ = line.partition(":")
    return name.strip("* ") if colon and len(name) < 20 else None


def _attribution(lines: Sequence[str], place: int) -> int:
    """The number of lines of "On .., .. wrote:" that begins here; 0 if none does. Some programs
    have it between dashes, without the colon."""
    if not lines[place]:
        return 0
    dashed = lines[place].startswith("---")
    begins = folded(lines[place]).lstrip("- ").startswith(ATTRIBUTION_BEGINS)
    together = ""
    for count, line in enumerate(lines[place : place + ATTRIBUTION_LINES], start=1):
        together = f"{together} {line}".strip()
        if not line or len(together) > LONGEST_ATTRIBUTION:
            return 0
        said = f"{together.strip('- ')}:" if dashed and together.endswith("---") else together
        if said.endswith(":") and _announces(said, begins):
            return count
        if not begins and "@" not in lines[place]:
            return 0
    return 0


def _announces(text: str, begins: bool) -> bool:
    """Whether a text is an attribution: somebody wrote something at some time."""
    words = folded(text)
    if _DATE_FIRST.fullmatch(text) or (words.startswith(QUOTING_BEGINS) and "@" in words):
        return True
    said = any(f" {verb} " in words or words.endswith(f" {verb}:") for verb in ATTRIBUTION_VERBS)
    said = said or any(words.endswith(f" {verb} :") for verb in ATTRIBUTION_VERBS)
    return said and (begins or "@" in words or any(sign.isdigit() for sign in words))


def _begins_signature(line: str, pieces: Sequence[Sequence[str]], name: frozenset[str]) -> bool:
    if not line:
        return False
    words = folded(line).lstrip("-_*> ")
    if _DELIMITER.fullmatch(line) or _RULE.fullmatch(line):
        return True
    if words.startswith((*SIGNATURE_BEGINS, *DISCLAIMER_BEGINS)):
        return True
    written = any(other for piece in pieces for other in piece)
    return written and _is_name(line, name)


def _words_of(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{2,40}", folded(plain(name[:200]))))


def _is_name(line: str, name: frozenset[str]) -> bool:
    """Whether the line is the writer's own name, or a part of it with initials."""
    if len(line) > 60 or any(sign.isdigit() for sign in line):
        return False
    words = re.findall(r"[^\W\d_]{1,40}", folded(line))
    initials = {word[0] for word in name}
    known = [word for word in words if word in name and len(word) > 2]
    return bool(known) and all(word in name or word in initials for word in words)


def _without_pgp(lines: list[str]) -> list[str]:
    """The text inside of an inline PGP signature."""
    if not lines or folded(lines[0]) != PGP_SIGNED:
        return lines
    begin = lines.index("") + 1 if "" in lines else len(lines)
    signature = next(
        (place for place, line in enumerate(lines) if folded(line) == PGP_SIGNATURE), begin
    )
    return lines[begin:signature]
