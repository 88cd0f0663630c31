"""Moves in a reply: by number or in notation, in order of preference, one step after the other."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from engine.contract import GameType
from engine.errors import Unreadable
from service.mail.inbound.command_types import Step, Unclear
from service.mail.inbound.plain_text import folded
from service.mail.inbound.vocabulary import ELSE, KEEP, NUMBER

LONGEST_LINE = 300  # of a command or a move
LONGEST_QUOTED = 80  # of a line in the answer
MOST_STEPS = 20  # moves that can be played at once
MOST_ALTERNATIVES = 20

_BULLET = re.compile(r"(?:[-*\u2022\u00b7\u25cf]\s+)+")
_WRAPPED = (('"', '"'), ("'", "'"), ("*", "*"), ("_", "_"), ("`", "`"), ("(", ")"), ("[", "]"))
_NUMBER_WORDS = "|".join(sorted(map(re.escape, NUMBER), key=len, reverse=True))
_NUMBER = re.compile(rf"(?:(?:{_NUMBER_WORDS})\s*)?([0-9]{{1,4}})[.):]?", re.IGNORECASE)
_NUMBERED = re.compile(r"([0-9]{1,4})(?:[.):]\s*|\s+)(\S.{0,300})")
_VERB_AND_NUMBER = re.compile(r"[^\W\d_]+ ([0-9]{1,4})")
_ELSE_WORDS = "|".join(sorted(map(re.escape, ELSE), key=len, reverse=True))
_ELSE = re.compile(rf"[\s,]+(?:{_ELSE_WORDS})[\s,:]+", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*")


class Asked(NamedTuple):
    """The question that a reply answers."""

    game: GameType
    choices: Sequence[str]
    today: date


def add_steps(steps: list[tuple[str, Step]], line: str, asked: Asked) -> None:
    """Append the steps on a line; a step that repeats the last one is ignored."""
    for part in filter(None, (part.strip() for part in line.split(";"))):
        step = _step(part, line, asked)
        if steps and step == steps[-1][1]:
            continue
        if steps and _has_number(part):
            if _has_number(steps[-1][0]):
                first, second = quoted(steps[-1][0]), quoted(part)
                raise Unclear("contradicting", first=first, second=second)
            raise Unclear("number_in_later_step", line=quoted(part))
        if len(steps) == MOST_STEPS:
            raise Unclear("too_many_lines", most=MOST_STEPS)
        steps.append((part, step))


def _step(part: str, line: str, asked: Asked) -> Step:
    step = alternatives(part, asked)
    if step is None:
        raise Unclear("not_understood", line=quoted(line))
    if len(step) > MOST_ALTERNATIVES:
        raise Unclear("too_many_lines", most=MOST_ALTERNATIVES)
    return step


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
    move = move_in(content(text), asked.game)
    if move is None:
        return None
    if numbered(number, asked) != move:
        raise Unclear("contradicting", first=str(number), second=quoted(text))
    return move


def move_in(text: str, game: GameType) -> str | None:
    """The move in its canonical notation; None if the text is not a move."""
    if len(text) > LONGEST_LINE:
        return None
    try:
        return game.format(game.parse(text))
    except Unreadable:
        return None


def _has_number(text: str) -> bool:
    return any(
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
