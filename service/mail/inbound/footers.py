"""Stage `footer`: takes off what programs and companies add to the text of a writer: signatures,
names, lines such as "Sent from my iPhone", footers, legal texts, and notes above the text.

What begins in a piece of text ends with it, at the next quote. Above everything that was written
only the line or paragraph itself is taken off, so that an answer below it stays.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from service.mail.inbound.contact_lines import is_contact_line
from service.mail.inbound.footer_patterns import (
    ABOUT_MAIL,
    BANNER_SUBJECTS,
    BANNER_TAG,
    BANNER_WORDS,
    DEVICE,
    DISCLAIMER_BEGINS,
    FOOTER,
    GET_OUTLOOK,
    LEGAL,
    MORE_LEGAL,
    NOTE_BEGINS,
    PRODUCT,
    SENT,
    SIGNATURE_BEGINS,
    TALK_BEGINS,
)
from service.mail.inbound.line_shapes import is_bare_number
from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.taken_off import FOOTER as STAGE
from service.mail.inbound.taken_off import TakenOff, taken_off

LONG_LEGAL_TEXT = 200
LONGEST_PARAGRAPH = 40  # lines
LONGEST_DEVICE_LINE, MOST_DEVICE_WORDS = 100, 12
LONGEST_BANNER = 600
_RULE = re.compile(r"(?:_{5,}|-{5,}|={5,}|\*{5,}|~{5,})")
_DELIMITER = re.compile(r"(?:--|__|- -)")
_LINK = re.compile(r"[<\[(]?https?://[^\s>\])]{1,300}[>\])]?")


def without_footers(
    pieces: Sequence[Sequence[str]], name: str = ""
) -> tuple[list[list[str]], list[TakenOff]]:
    """The pieces of a text without additions, and these; the writer is called `name`."""
    words = _words_of(name)
    own: list[list[str]] = []
    taken: list[TakenOff] = []
    for number, piece in enumerate(pieces):
        lines = list(piece)
        if number == 0:
            lines = _without_banners(lines, taken)
        written = any(line for earlier in own for line in earlier)
        own.append(_own_lines(lines, written, words, taken))
    return own, taken


def _own_lines(
    lines: Sequence[str], written: bool, name: frozenset[str], taken: list[TakenOff]
) -> list[str]:
    own: list[str] = []
    place = 0
    while place < len(lines):
        written = written or any(_is_text(line) for line in own)
        why = _addition(lines, place, written, name)
        if why is None:
            own.append(lines[place])
            place += 1
            continue
        if written or why == "delimiter":
            taken.extend(taken_off(STAGE, why, lines[place:]))
            break
        count = len(_paragraph(lines, place)) if why == "legal" else 1
        taken.extend(taken_off(STAGE, why, lines[place : place + count]))
        place += count
    return own


def _is_text(line: str) -> bool:
    """Whether a line says more than a greeting."""
    return line != "" and not (line.endswith(",") and len(line.split()) <= 4)


def _addition(lines: Sequence[str], place: int, written: bool, name: frozenset[str]) -> str | None:
    """The kind of addition that begins at this line; None if none does."""
    line = lines[place]
    if not line:
        return None
    spoken = folded(line).lstrip("-_*> ")
    if _DELIMITER.fullmatch(line):
        return "delimiter"
    if _RULE.fullmatch(line):
        return "rule"
    if is_legal_text(" ".join(_paragraph(lines, place)), written):
        return "legal"
    if TALK_BEGINS.match(spoken) or NOTE_BEGINS.match(spoken) or is_bare_number(line):
        return None
    if is_device_line(line) or (written and _is_last_product(lines, place)):
        return "device"
    if FOOTER.search(spoken):
        return "footer"
    if not written:
        return None
    if is_name(line, name):
        return "name"
    return "contact" if _begins_contact(lines, place) else None


def _paragraph(lines: Sequence[str], place: int) -> list[str]:
    """The lines from here to the next blank one, at most so many as a footer has."""
    return list(takewhile(bool, lines[place : place + LONGEST_PARAGRAPH]))


def is_device_line(line: str) -> bool:
    """Whether a line says by which program or device a mail was sent."""
    spoken = folded(_LINK.sub(" ", line)).strip("-_*> ")
    if spoken.startswith(SIGNATURE_BEGINS):
        return True
    short = len(spoken) <= LONGEST_DEVICE_LINE and len(spoken.split()) <= MOST_DEVICE_WORDS
    if not short or "?" in spoken or _has_own_number(spoken):
        return False
    if GET_OUTLOOK.search(spoken):
        return True
    named = PRODUCT.search(spoken) or DEVICE.search(spoken)
    return named is not None and SENT.search(spoken) is not None


def _has_own_number(spoken: str) -> bool:
    """Whether there is a number that is not the model of a product, as in "iPhone 15"."""
    words = spoken.split()
    return any(
        is_bare_number(word) and not (place and PRODUCT.search(words[place - 1]))
        for place, word in enumerate(words)
    )


def _is_last_product(lines: Sequence[str], place: int) -> bool:
    """Whether this is the last paragraph of a piece, one line that names a product, in a language
    of which we have no words."""
    line = lines[place]
    alone = place > 0 and not lines[place - 1] and not any(lines[place + 1 :])
    spoken = folded(line)
    short = len(line.split()) <= 6 and "?" not in line and not _has_own_number(spoken)
    return alone and short and PRODUCT.search(spoken) is not None


def is_legal_text(paragraph: str, written: bool = True) -> bool:
    """Whether a paragraph is a legal text about the mail. A long one is if it speaks of
    confidence or a recipient; a short one needs more words of that kind."""
    spoken = folded(paragraph[:800]).lstrip("-_*> ")
    if TALK_BEGINS.match(spoken):
        return False
    if spoken.startswith(DISCLAIMER_BEGINS):
        return True
    legal = len({match.group() for match in LEGAL.finditer(spoken)})
    if legal == 0 or not ABOUT_MAIL.search(spoken):
        return False
    more = legal + len({match.group() for match in MORE_LEGAL.finditer(spoken)})
    begins = NOTE_BEGINS.match(spoken)
    if begins is not None and spoken[begins.end() :].lstrip().startswith(":"):
        return True
    if written and len(spoken) >= LONG_LEGAL_TEXT:
        return True
    return more >= 3 and len(spoken) >= 60


def _begins_contact(lines: Sequence[str], place: int) -> bool:
    """Whether a block with telephone numbers or addresses begins here, before any answer."""
    block = _paragraph(lines, place)
    if is_contact_line(block[0]):
        return True
    if place > 0 and lines[place - 1]:
        return False
    above = block[: next((n for n, line in enumerate(block) if is_contact_line(line)), 0)]
    return bool(above) and not any(
        is_bare_number(line) or TALK_BEGINS.match(folded(line)) or len(line) > 60 for line in above
    )


def _words_of(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{2,40}", folded(plain(name[:200]))))


def is_name(line: str, name: frozenset[str]) -> bool:
    """Whether the line is the writer's own name, or a part of it with initials."""
    if len(line) > 60 or any(sign.isdigit() for sign in line):
        return False
    words = re.findall(r"[^\W\d_]{1,40}", folded(line))
    initials = {word[0] for word in name}
    known = [word for word in words if word in name and len(word) > 2]
    return bool(known) and all(word in name or word in initials for word in words)


def _without_banners(lines: list[str], taken: list[TakenOff]) -> list[str]:
    """The lines without notes of a gateway above them, such as "EXTERNAL EMAIL"."""
    while True:
        start = next((place for place, line in enumerate(lines) if line), None)
        count = 0 if start is None else _banner_lines(lines[start:])
        if start is None or not count:
            return lines
        taken.extend(taken_off(STAGE, "banner", lines[start : start + count]))
        lines = lines[start + count :]


def _banner_lines(lines: Sequence[str]) -> int:
    """The number of lines of a banner at the beginning: a tag, or sentences about senders, links
    and attachments."""
    marked = lines[0].isupper() or lines[0].startswith(("[", "(", "*", "<", "#", "-", "=", "!"))
    if marked and BANNER_TAG.fullmatch(folded(lines[0])):
        return 1
    paragraph = _paragraph(lines, 0)
    count = 0
    for line in paragraph:
        spoken = folded(line)
        goes_on = count > 0 and not paragraph[count - 1].endswith((".", "!", "]"))
        if is_bare_number(line) or TALK_BEGINS.match(spoken):
            break
        if not BANNER_SUBJECTS.search(spoken) and not BANNER_WORDS.search(spoken) and not goes_on:
            break
        count += 1
    together = folded(" ".join(paragraph[:count]))
    is_note = BANNER_WORDS.search(together) and len(BANNER_SUBJECTS.findall(together)) >= 2
    return count if is_note and 25 <= len(together) <= LONGEST_BANNER else 0
