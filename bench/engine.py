"""The engine against its peers, in one process and one run: random legal moves a second.

Peers: python-chess (random games to 100 plies) and OpenSpiel's C++ gin_rummy through its Python
API. Rounds are interleaved and the median counts, so that a busy machine slows all alike. The
figures that matter are the ratios.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

# Run as a script, this file would be found under the name of the package it measures.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]

import chess  # noqa: E402
import pyspiel  # noqa: E402

from engine.cli.speed import (  # noqa: E402
    Rate,
    play_random_games,
    play_through_the_door,
    store_mid_game,
)
from engine.options import all_options  # noqa: E402
from engine.registry import GAMES  # noqa: E402

ROUNDS = 7
GAMES_A_ROUND = 60
CHESS_PLIES = 100


def play_chess(games: int) -> Rate:
    generator = random.Random(1)
    moves = 0
    started = time.perf_counter()
    for _ in range(games):
        board = chess.Board()
        for _ in range(CHESS_PLIES):
            legal = list(board.legal_moves)
            if not legal:
                break
            board.push(generator.choice(legal))
            moves += 1
    return Rate(moves, time.perf_counter() - started)


def play_gin_rummy(games: int) -> Rate:
    """Chance nodes are counted as moves too, which is the stricter comparison for us."""
    generator = random.Random(1)
    game = pyspiel.load_game("gin_rummy")
    moves = 0
    started = time.perf_counter()
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
            moves += 1
    return Rate(moves, time.perf_counter() - started)


def main() -> None:
    contestants: dict[str, Callable[[int], Rate]] = {
        "chess": lambda games: play_chess(games // 2),
        "gin_rummy": play_gin_rummy,
    }
    stored = {}
    door: dict[str, Callable[[], Rate]] = {}
    for game in GAMES:
        for seats in game.meta.seats:
            for options in all_options(game):
                setting = " ".join([game.meta.key, str(seats), *options.values()])
                contestants[setting] = partial(play_random_games, game, seats, options)
                door[setting] = partial(play_through_the_door, game, seats, options, 20)
                stored[setting] = store_mid_game(game, seats, options)
                play_random_games(game, seats, options, 5 * GAMES_A_ROUND)  # warm up
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for done in range(ROUNDS):
        for name, contestant in contestants.items():
            rates[name].append(contestant(GAMES_A_ROUND).per_second)
        print(f"round {done + 1} of {ROUNDS}", file=sys.stderr)
    result = {name: median(found) for name, found in rates.items()}
    report = {
        "peers_moves_per_second": {name: round(result[name]) for name in ("chess", "gin_rummy")},
        "settings": {
            name: {
                "moves_per_second": round(result[name]),
                "times_chess": round(result[name] / result["chess"], 2),
                "times_gin_rummy": round(result[name] / result["gin_rummy"], 2),
                "through_the_door": round(door[name]().per_second),
                "dump_and_load_microseconds": round(stored[name].microseconds, 1),
                "state_bytes": stored[name].bytes,
            }
            for name in stored
        },
    }
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
