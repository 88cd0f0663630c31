"""Lines of a reply by paragraph, without politeness and without what follows a closing."""

import re
from collections.abc import Callable
from typing import NamedTuple

from service.mail.inbound.command_types import StageNote, Unclear
from service.mail.inbound.move_parser import content, without_bullet
from service.mail.inbound.number_words import MONTHS
from service.mail.inbound.plain_text import folded
from service.mail.inbound.politeness import STAGE, is_closing, is_name, polished
from service.mail.inbound.talk_reader import talk_in

MOST_LINES = 20
_DATE_LINE = re.compile(
    r"[^\W\d_]+(?: [^\W\d_]+)?, (?:den |the |a )?[0-9]{1,2}\.? (?:de )?([^\W\d_]+)(?: de)? [0-9]{4}"
)
_POSTSCRIPT = re.compile(r"p\.?\s?[sd]\b")
_NAME_AFTER = re.compile(r"(.*\S)\s*(?:[,!;]|\s-)\s+(\S+(?: \S+)?)")


class Line(NamedTuple):
    """A line without politeness; `content` is without bullets and punctuation, too."""

    written: str
    content: str


class OwnText(NamedTuple):
    """What has to be understood, and what was taken off."""

    paragraphs: list[list[Line]]
    taken: list[StageNote]

    @property
    def lines(self) -> list[Line]:
        return [line for paragraph in self.paragraphs for line in paragraph]


def own_text(text: str) -> OwnText:
    """The lines of a text in plain form; raises Unclear if they are too many."""
    paragraphs: list[list[Line]] = [[]]
    taken: list[StageNote] = []
    count = 0
    talking = False
    lines = text.split("\n")
    for place, written in enumerate(lines):
        if not content(written):
            paragraphs.append([])
            talking = False
        elif not count and _is_date_line(written):
            taken.append(StageNote(STAGE, written, "date of a letter"))
        elif talking or talk_in(written) is not None:
            paragraphs[-1].append(Line(written, content(written)))
            count, talking = count + (not talking), True
        elif count and is_closing(content(written)):
            rest = lines[place:]
            taken.append(StageNote(STAGE, "\n".join(rest), "closing"))
            after = (line for line in rest if _POSTSCRIPT.match(folded(line)))
            paragraphs.append([Line(line, content(line)) for line in after])
            break
        else:
            line = polished(without_bullet(written))
            taken += line.taken
            if content(line.text):
                paragraphs[-1].append(Line(line.text, content(line.text)))
                count += 1
        if count > MOST_LINES:
            raise Unclear("too_many_lines", most=MOST_LINES)
    return OwnText([paragraph for paragraph in paragraphs if paragraph], taken)


def _is_date_line(line: str) -> bool:
    """Whether a line is the head of a letter: "Berlin, 4. November 2025"."""
    match = _DATE_LINE.fullmatch(folded(content(line)))
    return match is not None and match[1] in MONTHS


def without_name(own: OwnText, means_something: Callable[[str], bool]) -> OwnText:
    """The text without the name of its writer at the end, on a line of its own or behind a comma.
    `means_something` tells which words are those of a move."""
    *paragraphs, last = own.paragraphs
    *before, line = last
    if is_name(line.content.lstrip("-~/ "), means_something) and (before or paragraphs):
        taken = [*own.taken, StageNote(STAGE, line.content, "name")]
        kept = [*paragraphs, before] if before else paragraphs
        return OwnText(kept, taken)
    match = _NAME_AFTER.fullmatch(line.content)
    if match is None or not is_name(match[2], means_something):
        return own
    rest = Line(match[1], content(match[1]))
    return OwnText([*paragraphs, [*before, rest]], [*own.taken, StageNote(STAGE, match[2], "name")])
