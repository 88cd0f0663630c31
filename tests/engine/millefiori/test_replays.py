"""The golden replays show what their names say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.verify import Followed, split_lines, verify

REPLAYS = Path(__file__).parent / "golden" / "replays"


def seats_that_emptied_their_supply(game: Followed) -> list[int]:
    return [e["seat"] for line in game.lines for e in line.events if e["type"] == "supply-empty"]


def happens(game: Followed, kind: str) -> bool:
    return any(event["type"] == kind for line in game.lines for event in line.events)


def ends_by(game: Followed, reason: str, seats: int) -> bool:
    return game.outcome is not None and game.outcome.reason == reason and game.seats == seats


def last_in_order(game: Followed) -> int:
    return int(game.state.start - 1) % game.seats


def has_unmarked_bonus(game: Followed) -> bool:
    board = game.state.board
    return any(
        own.bit_count() + sum(seat in takers for takers in board.bonuses) > 30
        for seat, own in enumerate(board.diamonds)
    )


CLAIMS: dict[str, Callable[[Followed], bool]] = {
    "deck-2-seats": lambda game: ends_by(game, "deck", 2),
    "deck-3-seats": lambda game: ends_by(game, "deck", 3),
    "deck-4-seats-tactical": lambda game: ends_by(game, "deck", 4) and game.state.tactical,
    "diamonds-4-seats-greedy": lambda game: ends_by(game, "diamonds", 4),
    "diamonds-by-the-first-in-order": lambda game: (
        seats_that_emptied_their_supply(game) == [game.state.start]
    ),
    "diamonds-by-the-last-in-order": lambda game: (
        seats_that_emptied_their_supply(game) == [last_in_order(game)]
    ),
    "diamonds-by-several": lambda game: len(seats_that_emptied_their_supply(game)) > 1,
    "diamonds-in-the-last-turn-of-all": lambda game: (
        ends_by(game, "diamonds", 3) and not game.state.deck and game.state.turn == 4
    ),
    "reserve-used-up-unmarked-bonus-and-discard": lambda game: (
        0 in game.state.board.left and has_unmarked_bonus(game) and happens(game, "discard")
    ),
    "extra-cards-in-a-row": lambda game: any("extra5" in line.decision for line in game.lines),
    "extra-card-lapsed": lambda game: happens(game, "extra-card-lapsed"),
    "tie": lambda game: game.outcome is not None and len(game.outcome.winners) > 1,
    "plans-and-changed-picks": lambda game: (
        any(line.via == "plan" for line in game.lines)
        and len({line.decision for line in game.lines}) < len(game.lines)
    ),
}


def test_every_replay_has_a_claim() -> None:
    assert {path.stem for path in REPLAYS.iterdir()} == set(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_replay_shows_what_its_name_says(name: str) -> None:
    assert CLAIMS[name](verify(split_lines((REPLAYS / f"{name}.jsonl").read_bytes())))
