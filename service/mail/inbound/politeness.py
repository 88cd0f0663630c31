"""Politeness stage: takes greetings, thanks, closings, small talk, names and smileys off a line.

Only phrases that are known as a whole are taken, at the beginning and at the end of a line, never
between two other words. All else stays and has to be understood by the next stages.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from service.mail.inbound.choice_words import CHOOSING, DENIALS, DOUBTS, FILLERS
from service.mail.inbound.command_types import StageNote
from service.mail.inbound.number_words import (
    MONTHS,
    NUMBER,
    NUMBER_WORDS,
    ORDINALS,
    UNITS,
    WEEKDAYS,
)
from service.mail.inbound.politeness_words import (
    ADDRESSEES,
    CLOSINGS,
    EMOJI,
    GREETINGS,
    NEED_A_NAME,
    NEED_A_PAUSE,
    NOT_NAMES,
    SMILEYS,
    THANKS,
)
from service.mail.inbound.small_talk import SMALL_TALK
from service.mail.inbound.vocabulary import AWAY, COMMANDS, KEEP, NOTE, PLAN, SAY
from service.mail.inbound.word_forms import bare, forms, matches

STAGE = "politeness"
LONGEST_PHRASE = 16  # words
MOST_NAMES = 3
_PAUSES = tuple(".,!?:;)\u2026")
_DASHES = ("-", "--")
_AND = ("and", "und", "y")
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
_EMOJI = re.compile(f"([{''.join(sorted(EMOJI))}]+)")
_NAME = re.compile(r"(?:[^\W\d_]{2,}(?:['-][^\W\d_]+)*|[^\W\d_](?:-[^\W\d_])?\.)[.,!]?")
_MONTH_NAMES = ("Jan", "April", "May", "June", "August", "Juli", "Mar")
_NO_NAMES = (
    *(NOT_NAMES, DENIALS, DOUBTS, FILLERS, CHOOSING, NUMBER, NUMBER_WORDS, ORDINALS, UNITS),
    *(MONTHS, WEEKDAYS, COMMANDS, AWAY, KEEP, NOTE, PLAN, SAY),
)


_DENYING = DENIALS - forms(("all", "noch", "todo", "nada", "everything"))


class Polished(NamedTuple):
    """A line without politeness, and what was taken off."""

    text: str
    taken: tuple[StageNote, ...]


def polished(line: str) -> Polished:
    """The line without the polite phrases at its ends."""
    line = _KEYCAP.sub(r"\1", line)
    words = _EMOJI.sub(r" \1 ", line).split()
    taken: list[StageNote] = []
    while words:
        for count, why in (_polite_start(words), _polite_end(words)):
            if count:
                piece = words[:count] if count > 0 else words[count:]
                words = words[count:] if count > 0 else words[:count]
                taken.append(StageNote(STAGE, " ".join(piece), why))
                break
        else:
            break
    if not taken:
        return Polished(line, ())
    while words and words[-1] in _DASHES:
        words.pop()
    return Polished(" ".join(words), tuple(taken))


def _polite_start(words: Sequence[str]) -> tuple[int, str]:
    """The number of words of a polite phrase at the beginning, and its kind."""
    if _is_smiley(words[0]) and words[0] not in _DASHES:
        return 1, "smiley"
    for count in range(min(len(words), LONGEST_PHRASE), 0, -1):
        piece = words[:count]
        pause = count == len(words) or piece[-1].endswith(_PAUSES) or _is_smiley(words[count])
        if kind := _kind_at_start(piece, pause):
            return count, kind
    return 0, ""


def _kind_at_start(words: Sequence[str], pause: bool) -> str:
    phrase = bare(" ".join(words))
    if phrase in GREETINGS and (phrase not in NEED_A_NAME or (pause and len(words) == 1)):
        return "greeting"
    if phrase in THANKS:
        return "thanks"
    if not pause:
        return ""
    if is_closing(" ".join(words)):
        return "closing"
    if _with_names(words, GREETINGS, 4):
        return "greeting"
    if _with_names(words, THANKS, MOST_NAMES):
        return "thanks"
    return "small talk" if matches(SMALL_TALK, phrase) else ""


def _polite_end(words: Sequence[str]) -> tuple[int, str]:
    """Minus the number of words of a polite phrase at the end, and its kind."""
    if _is_smiley(words[-1]) and words[-1] not in _DASHES:
        return -1, "smiley"
    for count in range(min(len(words), LONGEST_PHRASE), 0, -1):
        piece, before = words[-count:], words[:-count]
        pause = not before or before[-1].endswith(_PAUSES) or _is_smiley(before[-1])
        if kind := _kind_at_end(piece, pause):
            return -count, kind
        if len(piece) > 1 and piece[0] in _AND and (kind := _kind_at_end(piece[1:], True)):
            return -count, kind
    return 0, ""


def _kind_at_end(words: Sequence[str], pause: bool) -> str:
    phrase = bare(" ".join(words))
    if phrase in THANKS or _with_names(words, THANKS, MOST_NAMES):
        return "thanks"
    if is_closing(" ".join(words)) and (pause or not _needs_a_pause(words)):
        return "closing"
    return "small talk" if pause and matches(SMALL_TALK, phrase) else ""


def _needs_a_pause(words: Sequence[str]) -> bool:
    spoken = [bare(word) for word in words]
    return any(" ".join(spoken[:count]) in NEED_A_PAUSE for count in range(1, len(words) + 1))


def is_closing(line: str) -> bool:
    """Whether a line is a closing, with or without a name after it."""
    words = line.split()
    return bare(line) in CLOSINGS or _with_names(words, CLOSINGS, MOST_NAMES)


def _with_names(words: Sequence[str], phrases: frozenset[str], most: int) -> bool:
    """Whether these words are one of the phrases and names: "Hi Anna", "LG Anna", "Danke euch"."""
    spoken = [bare(word) for word in words]
    for count in range(1, len(words)):
        names = words[count:]
        if " ".join(spoken[:count]) not in phrases or len(names) > most:
            continue
        known = [word in ADDRESSEES for word in spoken[count:]]
        unknown = [name for name, is_known in zip(names, known) if not is_known]
        if all(_may_be_name(name) or name in _MONTH_NAMES for name in unknown) and (
            len(unknown) < 2 or all(name[0].isupper() for name in unknown)
        ):
            return True
    return False


def _may_be_name(word: str) -> bool:
    spoken = bare(word)
    return bool(_NAME.fullmatch(word)) and not any(spoken in words for words in _NO_NAMES)


def is_name(line: str, taken: Callable[[str], bool]) -> bool:
    """Whether a line is a name of one to three words with capitals. `taken` tells which folded
    words mean something in the game."""
    words = line.split()
    return 0 < len(words) <= MOST_NAMES and all(
        word[0].isupper() and _may_be_name(word) and not taken(bare(word)) for word in words
    )


def _is_smiley(word: str) -> bool:
    return word.casefold() in SMILEYS or all(sign in EMOJI for sign in word)


def speaks_against(taken: Sequence[StageNote]) -> bool:
    """Whether something polite denies or asks, as "no problem" and "how are you?" do."""
    words = [bare(word) for note in taken for word in note.text.split()]
    return any("?" in note.text for note in taken) or any(word in _DENYING for word in words)
