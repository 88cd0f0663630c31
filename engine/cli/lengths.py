"""Statistics of many games: their length and their scores."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from engine.contract import GameType
from engine.policies import simulate

# Quantiles of each column.
PARTS = {"least": 0.0, "10 %": 0.1, "half": 0.5, "90 %": 0.9, "most": 1.0}


class Played(NamedTuple):
    """Length and scores of a game. A turn is a run of moves of one seat."""

    turns: int
    moves: int
    scores: tuple[int, ...]
    winning: int  # the points of the winner


def played(
    game: GameType, seats: int, options: Mapping[str, str], policy: str, seed: bytes
) -> Played:
    """Let one policy play all seats of a game."""
    lines = simulate(game, seats, options, seed, policy).lines
    ended = game.outcome(lines[-1].state)
    assert ended is not None
    turns = sum(1 for _ in groupby(lines, key=lambda line: line.seat))
    return Played(turns, len(lines), ended.scores, max(ended.scores))


def table(games: Iterable[Played]) -> Iterable[str]:
    """The quantiles of many games, a line for each figure."""
    found = list(games)
    rows: Mapping[str, Sequence[int]] = {
        "turns": [one.turns for one in found],
        "moves": [one.moves for one in found],
        "points": [score for one in found for score in one.scores],
        "winner's points": [one.winning for one in found],
    }
    yield f"{'':<17}" + "".join(f"{title:>7}" for title in PARTS)
    for name, numbers in rows.items():
        ordered = sorted(numbers)
        told = [ordered[round(part * (len(ordered) - 1))] for part in PARTS.values()]
        yield f"  {name:<15}" + "".join(f"{number:>7}" for number in told)
