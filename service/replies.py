"""Replies to letters: read strictly, and played as any other answer.

A reply to a letter with a question is a number of its list of choices or a move in its notation,
and further moves in the lines after it. Everything else is asked back with the choices: what
somebody may have meant is never guessed.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from engine.contract import AnyGame
from engine.errors import Unreadable
from engine.registry import game_by_key
from service.access import SeatAccess
from service.play import MOST_MOVES_AT_ONCE, answer
from service.presence import come_back
from service.problems import Refused

AWAY = "away"  # the kind of letter that a bot keeps somebody's seat
BACK = "back"
LONGEST_REPLY = 4000
_NUMBER = re.compile(r"#?([0-9]{1,3})[.)]?")


class Question(NamedTuple):
    """What a letter asked: one decision, with its choices as they were numbered."""

    decision: str
    choices: Sequence[str]


class Done(NamedTuple):
    """What came of a reply: the moves that were played, and why the rest of them was not."""

    played: list[str]
    stopped: str | None = None


def question_of(letter: Any) -> Question | None:
    """What a reply to this letter would answer; None if it asked nothing."""
    if letter.decision is None or "choices" not in letter.facts:
        return None
    return Question(letter.decision, letter.facts["choices"])


def can_be_answered(letter: Any) -> bool:
    return letter.kind == AWAY or question_of(letter) is not None


def reply(access: SeatAccess, letter: Any, text: str, at: datetime) -> Done:
    """Do what a reply to this letter says; raises Refused with what would be right."""
    question = question_of(letter)
    if question is not None:
        game = game_by_key(access.game.game, access.game.rules)
        return _play(game, access, question, text, at)
    if letter.kind != AWAY:
        raise _unreadable("This mail asks nothing, so there is nothing to answer.")
    if [line.lower() for line in _lines(text)] != [BACK]:
        raise _unreadable(f"To take your seat back, write the word {BACK} and nothing else.")
    come_back(access, at)
    return Done([])


def _play(game: AnyGame, access: SeatAccess, question: Question, text: str, at: datetime) -> Done:
    moves = read_moves(game, question.choices, text)
    result = answer(access, question.decision, moves, at)
    own = [line for line in result.lines if line.seat == access.seat and line.via == "player"]
    return Done(
        [game.format(line.move) for line in own],
        None if result.stopped is None else result.stopped.detail,
    )


def read_moves(game: AnyGame, choices: Sequence[str], text: str) -> list[Any]:
    """The moves of a reply to a question with these choices; raises Refused."""
    lines = _lines(text)
    if not lines:
        raise _unreadable("There is nothing in this reply.")
    if len(lines) > MOST_MOVES_AT_ONCE:
        raise _unreadable(f"These are {len(lines)} lines; {MOST_MOVES_AT_ONCE} moves are the most.")
    first, *others = lines
    return [_first_move(game, choices, first), *(_move(game, line) for line in others)]


def _lines(text: str) -> list[str]:
    if len(text) > LONGEST_REPLY:
        raise _unreadable("This reply is too long to be a list of moves.")
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _first_move(game: AnyGame, choices: Sequence[str], line: str) -> Any:
    number = _NUMBER.fullmatch(line)
    if number is None:
        return _move(game, line)
    place = int(number.group(1))
    if not 1 <= place <= len(choices):
        raise _unreadable(f"There is no choice {place}; they are numbered 1 to {len(choices)}.")
    return game.parse(choices[place - 1])


def _move(game: AnyGame, line: str) -> Any:
    """A move in its whole notation: what merely resembles one could mean another."""
    if _NUMBER.fullmatch(line):
        raise _unreadable(
            f"'{line}' stands in a further line, for which there is no list of choices yet; write "
            "the move itself."
        )
    try:
        return game.parse(line)
    except Unreadable as error:
        raise _unreadable(f"'{line[:60]}' cannot be read. {error.sentence}") from error


def _unreadable(sentence: str) -> Refused:
    return Refused("unreadable_move", f"{sentence} Nothing was played.")
