"""Many random games at once, one process a core."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from engine.chance import seed_from_text
from engine.contract import AnyGame
from engine.fuzz import Tally, check_game
from engine.registry import game_by_key


def check_games(
    game: AnyGame, seats: int, options: Mapping[str, str], seeds: Sequence[str], jobs: int
) -> Iterator[Tally]:
    """The tallies of the games with these seeds, in order; raises Broken for the first fault."""
    check = partial(_check, game.meta.key, game.meta.rules, seats, dict(options))
    if jobs < 2:
        yield from map(check, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(check, seeds, chunksize=4)
        finally:
            pool.shutdown(cancel_futures=True)


def _check(key: str, rules: int, seats: int, options: Mapping[str, str], seed: str) -> Tally:
    return check_game(game_by_key(key, rules), seats, options, seed_from_text(seed))
