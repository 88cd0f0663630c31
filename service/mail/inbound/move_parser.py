"""Moves in a reply: by number or in notation, in order of preference, one step after the other."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple

from engine.contract import GameType
from engine.errors import Unreadable
from service.mail.inbound.command_types import Step, Unclear
from service.mail.inbound.copied_choice import copied_choices, normal
from service.mail.inbound.number_words import NUMBER
from service.mail.inbound.plain_text import folded
from service.mail.inbound.vocabulary import ELSE, IF_NOT, KEEP
from service.mail.inbound.word_forms import any_of

LONGEST_LINE = 300  # of a command or a move
LONGEST_QUOTED = 80  # of a line in the answer
MOST_STEPS = 20  # moves that can be played at once
MOST_ALTERNATIVES = 20
SHORTEST_WORD = 4  # letters of a word that names a choice

_CODE = re.compile(r"(?=.*[^\W\d_])(?=.*[0-9])[\w-]+")
_BULLET = re.compile(r"(?:[-*\u2022\u00b7\u25cf]\s+)+")
_WRAPPED = (('"', '"'), ("'", "'"), ("*", "*"), ("_", "_"), ("`", "`"), ("(", ")"), ("[", "]"))
_NUMBER = re.compile(rf"(?:(?:{any_of(NUMBER)})\s*)?([0-9]{{1,4}})[.):]?", re.IGNORECASE)
_NUMBERED = re.compile(r"([0-9]{1,4})(?:[.):]\s*|\s+)(\S.{0,300})")
_VERB_AND_NUMBER = re.compile(r"[^\W\d_]+ ([0-9]{1,4})")
_ELSE = re.compile(rf"[\s,]+(?:{any_of(ELSE | IF_NOT)})[\s,:]+", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*")


@dataclass(frozen=True)
class Asked:
    """The question that a reply answers; `labels` are the texts of the choices in the mail."""

    game: GameType
    choices: Sequence[str]
    today: date
    labels: Sequence[str] = ()

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The words of each choice, in its notation and in the mail."""
        labels = self.labels or [""] * len(self.choices)
        return tuple(
            frozenset(normal(f"{choice} {label}").split())
            for choice, label in zip(self.choices, labels)
        )

    @cached_property
    def codes(self) -> dict[str, int]:
        """The numbers of the choices by words with a letter and a digit ("W8") of their notation
        that no other choice has."""
        return {
            word: number
            for number, choice in enumerate(self.choices, start=1)
            for word in normal(choice).split()
            if self._counts[word] == 1 and _CODE.fullmatch(word)
        }

    @cached_property
    def own_words(self) -> dict[str, int]:
        """The numbers of the choices by the first words of their lines, if no other line has
        them."""
        return {
            word: number
            for number, label in enumerate(self.labels, start=1)
            for word in normal(label).split()[:1]
            if self._counts[word] == 1 and word.isalpha() and len(word) >= SHORTEST_WORD
        }

    @cached_property
    def _counts(self) -> Counter[str]:
        """How many choices have each word."""
        return Counter(word for words in self.words for word in words)


class ReadStep(NamedTuple):
    """A step of play as it was written."""

    text: str
    step: Step
    by_number: bool


def add_moves(steps: list[ReadStep], part: str, asked: Asked) -> None:
    """Append the step in a text of command words; raises Unclear."""
    step = alternatives(part, asked)
    if step is None:
        raise Unclear("not_understood", line=quoted(part))
    add_step(steps, ReadStep(part, step, _has_number(part)))


def add_step(steps: list[ReadStep], new: ReadStep) -> None:
    """Append a step; one that repeats the last is ignored. Raises Unclear."""
    if len(new.step) > MOST_ALTERNATIVES:
        raise Unclear("too_many_lines", most=MOST_ALTERNATIVES)
    if steps and new.step == steps[-1].step:
        return
    if steps and new.by_number:
        if steps[-1].by_number:
            first, second = quoted(steps[-1].text), quoted(new.text)
            raise Unclear("contradicting", first=first, second=second)
        raise Unclear("number_in_later_step", line=quoted(new.text))
    if len(steps) == MOST_STEPS:
        raise Unclear("too_many_lines", most=MOST_STEPS)
    steps.append(new)


def alternatives(text: str, asked: Asked) -> Step | None:
    """The moves in a text, in order of preference; None if it is not a list of moves."""
    if len(text) > LONGEST_LINE:
        return None
    whole = _one(text, asked)
    if whole is not None:
        return (whole,)
    found: list[str] = []
    verb = text.split(" ", 1)[0]
    for piece in _ELSE.split(text):
        for part in [piece] if _one(piece, asked) else _COMMA.split(piece):
            move = _one(part, asked)
            if move is None and found and folded(verb) in KEEP:  # "keep this, else that"
                move = move_in(f"{verb} {part}", asked.game)
            if move is None:
                return None
            found.append(move)
    return tuple(dict.fromkeys(found))


def _one(text: str, asked: Asked) -> str | None:
    """One move, by number or in notation."""
    text = content(text)
    if not text.startswith("#") and not text[:1].isalnum():  # ": W8" may be a quote
        return None
    if number := _NUMBER.fullmatch(folded(text)):
        return numbered(int(number[1]), asked)
    move = move_in(text, asked.game)
    copied = copied_choice(text, asked)
    if move is not None and copied not in (None, move):
        raise Unclear("ambiguous", line=quoted(text), first=copied, second=move)
    move = move or copied
    if move is None and (both := _NUMBERED.fullmatch(text)):
        return _number_and_move(int(both[1]), both[2], asked)
    if move is not None and (verb := _VERB_AND_NUMBER.fullmatch(text)):
        _must_not_be_another(int(verb[1]), text, move, asked)
    return move


def _must_not_be_another(number: int, text: str, move: str, asked: Asked) -> None:
    """Raise Unclear if a text such as "take 3" is a move, and the choice of that number is another
    one."""
    if not 1 <= number <= len(asked.choices):
        return
    if (other := asked.choices[number - 1]) != move:
        raise Unclear("ambiguous", line=quoted(text), first=other, second=move)


def numbered(number: int, asked: Asked) -> str:
    """The choice with this number; raises Unclear."""
    if not 1 <= number <= len(asked.choices):
        raise Unclear("no_such_number", number=number, most=len(asked.choices))
    return asked.choices[number - 1]


def _number_and_move(number: int, text: str, asked: Asked) -> str | None:
    """A copied line of the list of choices: number and move must agree."""
    move = move_in(content(text), asked.game) or copied_choice(text, asked)
    if move is None:
        return None
    if numbered(number, asked) != move:
        raise Unclear("contradicting", first=str(number), second=quoted(text))
    return move


def copied_choice(text: str, asked: Asked) -> str | None:
    """The choice whose line in the mail was copied; None if it is none, or could be several."""
    found = copied_choices(text, asked.choices, asked.labels)
    return asked.choices[found[0]] if len(found) == 1 else None


def move_in(text: str, game: GameType) -> str | None:
    """The move in its canonical notation; None if the text is not a move."""
    if len(text) > LONGEST_LINE:
        return None
    try:
        return game.format(game.parse(text))
    except Unreadable:
        return None


def _has_number(text: str) -> bool:
    """Whether a text names a choice by its number, alone or before its copied line."""
    return _NUMBERED.fullmatch(text) is not None or any(
        _NUMBER.fullmatch(folded(content(part))) is not None
        for piece in _ELSE.split(text)
        for part in _COMMA.split(piece)
    )


def quoted(line: str) -> str:
    return line if len(line) <= LONGEST_QUOTED else f"{line[: LONGEST_QUOTED - 3]}..."


def content(line: str) -> str:
    """The line without bullets, quotation marks and the punctuation at its end."""
    text = without_bullet(line)
    before = None
    while text != before:
        before = text
        text = text.rstrip(".,;:! ")
        for begin, end in _WRAPPED:
            if len(text) > 2 and text.startswith(begin) and text.endswith(end):
                text = text[1:-1].strip()
    return text


def without_bullet(line: str) -> str:
    text = " ".join(line.split())
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else text
