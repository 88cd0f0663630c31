"""Many games in parallel, one process a core."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TypeVar

from engine.chance import seed_from_text
from engine.cli.board_files import use_board_files
from engine.cli.lengths import Played, played
from engine.contract import GameType
from engine.fuzz import Tally, check_game
from engine.registry import game_type_by_key

T = TypeVar("T")


def check_games(
    game: GameType, seats: int, options: Mapping[str, str], seeds: Sequence[str], jobs: int
) -> Iterator[Tally]:
    """The tallies of the games with these seeds, in order; raises Broken for the first fault."""
    check = partial(_check, game.meta.key, game.meta.rules, seats, dict(options))
    return _each(check, seeds, jobs)


def play_games(
    game: GameType,
    seats: int,
    options: Mapping[str, str],
    policy: str,
    seeds: Sequence[str],
    jobs: int,
) -> Iterator[Played]:
    """The results of the games with these seeds in order, with one policy on all seats."""
    play = partial(_play, game.meta.key, game.meta.rules, seats, dict(options), policy)
    return _each(play, seeds, jobs)


def _each(work: Callable[[str], T], seeds: Sequence[str], jobs: int) -> Iterator[T]:
    if jobs < 2:
        yield from map(work, seeds)
        return
    environment = dict(os.environ)
    with ProcessPoolExecutor(jobs, None, use_board_files, (environment,)) as pool:
        try:
            yield from pool.map(work, seeds, chunksize=4)
        finally:
            pool.shutdown(cancel_futures=True)


def _check(key: str, rules: int, seats: int, options: Mapping[str, str], seed: str) -> Tally:
    return check_game(game_type_by_key(key, rules), seats, options, seed_from_text(seed))


def _play(
    key: str, rules: int, seats: int, options: Mapping[str, str], policy: str, seed: str
) -> Played:
    return played(game_type_by_key(key, rules), seats, options, policy, seed_from_text(seed))
