"""Benchmarks: moves per second, and the cost of a stored state."""

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.chance import SETUP, Chance, seed_from_text
from engine.contract import GameType
from engine.options import complete_options
from engine.policies import simulate


class Rate(NamedTuple):
    """Moves made and the seconds they took."""

    moves: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.moves / self.seconds


def play_random_games(
    game: GameType, seats: int, options: Mapping[str, str], games: int, first: int = 0
) -> Rate:
    """Random games with the legal moves enumerated at every decision, as in the benchmarks of other
    engines."""
    chosen = complete_options(game, options)
    generator = random.Random(first)
    moves = 0
    started = time.perf_counter()
    for number in range(first, first + games):
        chance = Chance(seed_from_text(str(number)), SETUP)
        state = game.new_game(seats, chosen, chance).state
        while pending := game.pending(state):
            seat = pending[0]
            move = generator.choice(game.legal_moves(state, seat))
            state = game.apply(state, seat, move, chance).state
            moves += 1
    return Rate(moves, time.perf_counter() - started)


def play_checked_games(game: GameType, seats: int, options: Mapping[str, str], games: int) -> Rate:
    """The same through `engine.play`: with checks, automatic moves and log lines."""
    moves = 0
    started = time.perf_counter()
    for number in range(games):
        moves += len(simulate(game, seats, options, seed_from_text(str(number)), "random").lines)
    return Rate(moves, time.perf_counter() - started)


class Stored(NamedTuple):
    """The cost of keeping a mid-game state: bytes of JSON, microseconds to write and read it."""

    bytes: int
    microseconds: float


def store_mid_game(game: GameType, seats: int, options: Mapping[str, str]) -> Stored:
    """Write and read the state in the middle of a game (`dump` plus `load`)."""
    lines = simulate(game, seats, options, seed_from_text("7"), "random").lines
    state = lines[len(lines) // 2].state
    text = game.dump(state)
    return Stored(len(text.encode()), _best_of(lambda: game.load(game.dump(state))) * 1e6)


def _best_of(task: Callable[[], Any], repeats: int = 5, runs: int = 200) -> float:
    """The seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in range(runs):
            task()
        best = min(best, time.perf_counter() - started)
    return best / runs
