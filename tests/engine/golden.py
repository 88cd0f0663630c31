"""Files that pin a game down: perft counts, playthroughs to read, replays of every way to end.

Each game has a folder with what `GOLDEN` of its test package says; `REASONS` there are its ways
to end. The files change only when a rule or a text changes on purpose; then
`python -m tests.engine.golden` writes them anew, and the diff shows what the change does to real
games.
"""

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.chance import Chance, seed_from_text
from engine.contract import GameType
from engine.perft import perft, position_after
from engine.play import begin, play
from engine.playthrough import playthrough
from engine.policies import Policy, simulate
from engine.record import record_lines
from engine.registry import GAME_TYPES

ROOT = Path(__file__).parent
Golden = Callable[[], Iterable[str]]


def replay_file(
    game: GameType, seats: int, options: Mapping[str, str], seed: str, policy: str
) -> Golden:
    """The record of a game that a policy plays."""

    def lines() -> Iterable[str]:
        key = seed_from_text(seed)
        return record_lines(game, seats, options, key, *simulate(game, seats, options, key, policy))

    return lines


def replay_of(
    game: GameType, seats: int, options: Mapping[str, str], seed: str, choose: Policy
) -> Golden:
    """The record of a game with a way to choose of its own, changed picks included."""

    def lines() -> Iterable[str]:
        key = seed_from_text(seed)
        opening = begin(game, seats, options, key)
        made, state = list(opening.lines), opening.state
        chance = Chance(key, "golden")
        while pending := game.pending(state):
            may_answer = [*pending, *game.revisable(state)]
            seat = may_answer[chance.below("seat", len(may_answer))]
            state, played = play(game, state, key, seat, None, choose(game, state, seat, chance))
            made += played
        return record_lines(game, seats, options, key, opening, made)

    return lines


def playthrough_file(
    game: GameType, seats: int, options: Mapping[str, str], seed: str, policy: str
) -> Golden:
    return lambda: playthrough(game, seats, options, seed_from_text(seed), policy)


def perft_file(
    game: GameType, positions: Iterable[tuple[int, Mapping[str, str], int, int]]
) -> Golden:
    """Counts for (seats, options, random moves made before, depth)."""

    def lines() -> Iterable[str]:
        for seats, options, after, depth in positions:
            seed = seed_from_text("perft")
            state = position_after(game, seats, options, seed, after)
            counts = [perft(game, state, seed, ahead) for ahead in range(1, depth + 1)]
            yield json.dumps(
                {"seats": seats, "options": dict(options), "after": after, "counts": counts}
            )

    return lines


def _module(key: str) -> Any:
    return importlib.import_module(f"tests.engine.{key}.golden_files")


def golden_files(key: str) -> dict[Path, Golden]:
    """Where each file of a game is and how it is made."""
    folder = ROOT / key / "golden"
    return {folder / name: make for name, make in _module(key).GOLDEN.items()}


def reasons(key: str) -> set[str]:
    """Why a game can end."""
    return set(_module(key).REASONS)


def text_of(make: Golden) -> str:
    return "".join(f"{line}\n" for line in make())


if __name__ == "__main__":
    for game in GAME_TYPES:
        for path, make in golden_files(game.meta.key).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text_of(make), encoding="utf-8")
