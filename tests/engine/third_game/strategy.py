"""The bot of Nim, and preferences lists for players who are away."""

from collections.abc import Sequence
from functools import reduce
from operator import xor

from engine.contract import Json
from engine.errors import Unreadable
from engine.languages import ENGLISH
from engine.toolkit.preferences import read_list
from tests.engine.third_game.moves import Take, move_from_json
from tests.engine.third_game.rules import State, legal_moves

PREFERENCES = ("most", "one")


def ranked(view: Json) -> list[int]:
    """The offered moves by number: those that leave a nim-sum of 0 first."""
    sums = [_nim_sum(view["heaps"], offered["move"]) for offered in view["decision"]["moves"]]
    return sorted(range(len(sums)), key=lambda number: sums[number])


def _nim_sum(heaps: dict[str, int], move: Json) -> int:
    left: dict[str, int] = heaps | {move["heap"]: heaps[move["heap"]] - move["count"]}
    return reduce(xor, left.values())


def bot_move(view: Json) -> Take:
    return move_from_json(view["decision"]["moves"][ranked(view)[0]]["move"])


def read_preferences(preferences: object) -> tuple[str, ...]:
    """A ranked list such as `most, one`; raises Unreadable."""
    return read_list(
        preferences, lambda text: [part.split() for part in text.split(",")], str.split, _preference
    )


def _preference(words: list[str]) -> str:
    match words:
        case [word] if word.lower() in PREFERENCES:
            return word.lower()
    raise Unreadable(f"Use one of: {', '.join(PREFERENCES)}.")


def all_preferences() -> tuple[str, ...]:
    return PREFERENCES


def preference_labels(preferences: Sequence[str], language: str = ENGLISH) -> list[str]:
    return list(preferences)


def preferred_moves(state: State, seat: int, preferences: Sequence[str]) -> list[Take]:
    """The moves that take as many tokens as possible, or one."""
    moves = legal_moves(state, seat)
    count = 1 if preferences[0] == "one" else max(move.count for move in moves)
    return [move for move in moves if move.count == count]
