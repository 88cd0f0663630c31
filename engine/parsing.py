"""Move parser: answers of people and programs, and suggestions for wrong ones."""

from dataclasses import is_dataclass
from difflib import get_close_matches
from typing import Any

from engine.contract import GameType
from engine.errors import Ambiguous, Illegal, Unreadable

LONGEST_TEXT = 100
MOST_SUGGESTIONS = 8


def read_move(game: GameType, state: Any, seat: int, answer: Any) -> Any:
    """The move of an answer: a move, its JSON, its text, or an unambiguous part of it.

    Raises Unreadable or Ambiguous, with legal moves as suggestions.
    """
    if is_dataclass(answer) and not isinstance(answer, type):
        return answer  # a move object from a program
    try:
        return game.parse(answer) if isinstance(answer, str) else game.move_from_json(answer)
    except Unreadable as unreadable:
        text = answer if isinstance(answer, str) else ""
        words = unreadable.words or text
        fitting = _fitting(game, state, seat, words)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            texts = [game.format(move) for move in fitting[:MOST_SUGGESTIONS]]
            raise Ambiguous(f"'{text.strip()}' could mean several moves.", texts) from None
        nearest = nearest_moves(game, state, seat, words)
        raise Unreadable(unreadable.sentence, nearest) from None


def illegal(game: GameType, state: Any, seat: int, move: Any) -> Illegal:
    """The error for a readable move that is not legal."""
    text = game.format(move)
    return Illegal(f"'{text}' is not possible now.", nearest_moves(game, state, seat, text))


def nearest_moves(game: GameType, state: Any, seat: int, text: str) -> list[str]:
    """Some legal moves, the most similar first."""
    legal = [game.format(move) for move in game.legal_moves(state, seat)]
    near = get_close_matches(text.strip()[:LONGEST_TEXT], legal, n=5, cutoff=0.3)
    return near or legal[:5]


def _fitting(game: GameType, state: Any, seat: int, text: str) -> list[Any]:
    """Legal moves whose notation contains all words of the text, in its order."""
    words = text.lower().split()
    if not words or len(text) > LONGEST_TEXT:
        return []
    moves = game.legal_moves(state, seat)
    return [move for move in moves if _contains(game.format(move).lower().split(), words)]


def _contains(words: list[str], part: list[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in part)
