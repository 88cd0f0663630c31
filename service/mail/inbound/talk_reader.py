"""Talk stage: chat messages and notes, which take the rest of their paragraph.

Chat needs an unmistakable beginning: "say: ..", "to all: ..", or "say Well played!" without a
question mark. A question after "say" without a colon is a question to us. A disclaimer that begins
with "Note:" is no note.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from service.mail.inbound.choice_reader import read_choice
from service.mail.inbound.command_types import Note, Say, Unclear, Word
from service.mail.inbound.move_parser import Asked, quoted, without_bullet
from service.mail.inbound.plain_text import folded
from service.mail.inbound.vocabulary import NOTE, SAY, SAY_PLAINLY, SAY_TO_ALL
from service.mail.inbound.word_forms import any_of

LONGEST_NOTE = 400
_TALK = re.compile(r"([^\s:]+)(\s*:)?\s*(.*)", re.DOTALL)
_TO_ALL = re.compile(r"((?:[^\s:]+\s+){1,3}[^\s:]+)\s*:\s*(.*)", re.DOTALL)
# "Say, what ..", "Sag mal ..", "Sag Anna, dass ..": not the words to be said, as
# those of "say That was fun" are.
_NO_MESSAGE = re.compile(
    r"(?:,|mal\b|doch\b|bitte\b|bloss\b|ihm\b|ihr\b|ihnen\b|ich\b|wir\b|to (?!all\b)|"
    r"[\w-]+,? that\b|that\b(?! (?:was|is)\b|['\u2019]s\b)|(?:[\w-]+,? )?(?:dass|que)\b)"
)
_DISCLAIMER = re.compile(
    r"\b(?:e-?mails?|attachments?|confidential|intended|recipients?|privileged|virus(?:es)?|sender|"
    r"correo|adjuntos?|confidencial|destinatario|anhang|anhaenge|vertraulich|empfaenger|print)\b"
)
_FOR_ALL = re.compile(rf"(?:{any_of(SAY_TO_ALL)})")


class Talk(NamedTuple):
    """The beginning of a message or note."""

    kind: type[Say] | type[Note]
    text: str
    has_colon: bool  # after the command word


def talk_in(line: str) -> Talk | None:
    """The message or note that a line begins."""
    line = without_bullet(line)
    if (match := _TO_ALL.fullmatch(line)) and _FOR_ALL.fullmatch(folded(match[1])):
        return Talk(Say, match[2], True)
    match = _TALK.fullmatch(line)
    if match is None:
        return None
    word, has_colon, text = folded(match[1]), match[2] is not None, match[3]
    if word in NOTE:
        return Talk(Note, text, has_colon)
    if word in SAY_PLAINLY or (word in SAY and (has_colon or text.startswith("\u00a1"))):
        return Talk(Say, text, has_colon)
    return None


def read_talk(
    talk: Talk, lines: Sequence[str], asked: Asked, is_readable: Callable[[str], bool]
) -> Say | Note:
    """The message or note in these lines of a paragraph; raises Unclear. `is_readable` tells
    whether a later line reads as a command."""
    for line in lines[1:]:
        if talk_in(line) is not None or is_readable(line):
            word = Word("say" if talk.kind is Say else "note")
            raise Unclear("part_of_talk", line=quoted(line), word=word)
    text = "\n".join(filter(None, (talk.text, *lines[1:])))
    spoken = folded(text)
    if talk.kind is Note:
        is_plain = len(text) <= LONGEST_NOTE and not _DISCLAIMER.search(spoken)
        if not text or not is_plain or _NO_MESSAGE.match(spoken):
            raise Unclear("not_understood", line=quoted(lines[0]))
        return Note(text)
    if not talk.has_colon:
        _must_be_a_message(text, lines[0], asked)
    if not text:
        raise Unclear("not_understood", line=quoted(lines[0]))
    return Say(text)


def _must_be_a_message(text: str, line: str, asked: Asked) -> None:
    """Raise Unclear if a text after "say" without a colon may be meant for us."""
    spoken = folded(text)
    if "?" in text:
        raise Unclear("question", line=quoted(line))
    if _NO_MESSAGE.match(spoken):
        raise Unclear("not_understood", line=quoted(line))
    choice = read_choice(text, asked)
    if choice is not None and choice.clear:
        raise Unclear("ambiguous", line=quoted(line), first=choice.move, second=Word("say"))
