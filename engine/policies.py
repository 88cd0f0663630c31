"""Policies: automatic players for records, fuzzing and benchmarks."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.chance import Chance
from engine.contract import GameType
from engine.play import Line, Opening, Via, begin, play, to_ask
from engine.timeouts import bot_move

Policy = Callable[[GameType, Any, int, Chance], Any]


def random_move(game: GameType, state: Any, seat: int, chance: Chance) -> Any:
    """A random legal move."""
    moves = game.legal_moves(state, seat)
    return moves[chance.below("random", len(moves))]


def greedy_move(game: GameType, state: Any, seat: int, chance: Chance) -> Any:
    """The move of the bot."""
    return bot_move(game, state, seat)


POLICIES: dict[str, tuple[Policy, Via]] = {
    "random": (random_move, "player"),
    "greedy": (greedy_move, "bot"),
}


class Simulated(NamedTuple):
    """A complete game."""

    opening: Opening
    lines: tuple[Line, ...]


def simulate(
    game: GameType, seats: int, options: Mapping[str, str], seed: bytes, policy: str
) -> Simulated:
    """Let one policy play all seats; the same arguments give the same game."""
    choose, via = POLICIES[policy]
    opening = begin(game, seats, options, seed)
    lines = list(opening.lines)
    state = opening.state
    chance = Chance(seed, f"policy {policy}")
    while asked := to_ask(game, state):
        move = choose(game, state, asked[0], chance)
        state, played = play(game, state, seed, asked[0], None, move, via)
        lines += played
    return Simulated(opening, tuple(lines))
