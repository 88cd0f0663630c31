"""The engine against its peers, in one process and one run: random legal moves a second.

Peers: python-chess (random games to 100 plies) and OpenSpiel's C++ gin_rummy through its Python
API. All take turns in short slices; in each round our rate is divided by the peers' rates of the
same round, and the median of these ratios counts, so that a busy machine slows all alike.
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
    play_checked_games,
    play_random_games,
    store_mid_game,
)
from engine.options import all_options  # noqa: E402
from engine.registry import GAME_TYPES  # noqa: E402

ROUNDS = 31
SLICE_SECONDS = 0.04
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


class Contestant:
    """Something that plays, in slices of about equal time."""

    def __init__(self, play: Callable[[int], Rate], warm_up: int = 5) -> None:
        self.play = play
        seconds_a_game = play(warm_up).seconds / warm_up
        self.games = max(1, round(SLICE_SECONDS / seconds_a_game))
        self.rates: list[float] = []

    def take_turn(self) -> None:
        self.rates.append(self.play(self.games).per_second)

    def against(self, peer: "Contestant") -> float:
        """The median of the ratios round by round."""
        return median(own / other for own, other in zip(self.rates, peer.rates, strict=True))


def main() -> None:
    settings = {
        " ".join([game.meta.key, str(seats), *options.values()]): (game, seats, options)
        for game in GAME_TYPES
        for seats in game.meta.seats
        for options in all_options(game)
    }
    peers = {"chess": Contestant(play_chess), "gin_rummy": Contestant(play_gin_rummy)}
    ours = {
        name: Contestant(partial(play_random_games, *setting), warm_up=300)
        for name, setting in settings.items()
    }
    for done in range(ROUNDS):
        for contestant in (*peers.values(), *ours.values()):
            contestant.take_turn()
        print(f"\rround {done + 1} of {ROUNDS}", end="", file=sys.stderr)
    print(file=sys.stderr)
    report = {
        "peers_moves_per_second": {name: round(median(p.rates)) for name, p in peers.items()},
        "settings": {
            name: {
                "moves_per_second": round(median(ours[name].rates)),
                **{f"times_{peer}": round(ours[name].against(peers[peer]), 2) for peer in peers},
                "with_checks": round(play_checked_games(*setting, 20).per_second),
                "dump_and_load_microseconds": round(store_mid_game(*setting).microseconds, 1),
                "state_bytes": store_mid_game(*setting).bytes,
            }
            for name, setting in settings.items()
        },
    }
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
