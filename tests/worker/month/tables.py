"""The games of this month: who sits where, by which clock, and what they do beside playing."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from engine.contract import GameType
from engine.registry import GAME_TYPES
from tests.worker.month.people import BEGIN, Somebody
from tests.worker.month.reckoning import DAY, HOUR

CLOCKS: tuple[dict[str, Any], ...] = (
    {"kind": "flat", "hours": 3},
    {"kind": "flat", "hours": 12, "absence_days": 2},
    {"kind": "flat", "hours": 24},
    {"kind": "flat", "hours": 48},
    {"preset": "few_moves_a_day"},
    {"preset": "move_a_day"},
    {"preset": "relaxed", "absence_days": 0},
    {"kind": "bank", "start_hours": 6, "increment_hours": 1, "cap_hours": 8, "absence_days": 1},
    {"kind": "bank", "start_hours": 1.5, "increment_hours": 0.75, "cap_hours": 24},
    {"kind": "none"},
)


CANCELLED = 6  # tables at which the game never begins


@dataclass(frozen=True)
class Pause:
    """All at the table want a pause: when, and after how long somebody ends it (None: nobody)."""

    after: timedelta
    ended: timedelta | None
    unanimous: bool  # else one of them does not vote, and goes on


@dataclass(frozen=True)
class Table:
    """A game to be."""

    game: GameType
    options: dict[str, str]
    players: tuple[Somebody, ...]
    bots: int
    clock: dict[str, Any]
    opens: datetime
    lasts: int | None  # answers after which a player would rather end it; None: to the last move
    pause: Pause | None
    wishes: bool  # players leave a ranked list for the time they are away
    rematch: bool  # they play once more
    mentions: bool  # somebody says something to somebody
    free: int = 0  # seats on which nobody ever sits down: the table is cancelled

    @property
    def seats(self) -> int:
        return len(self.players) + self.bots


def all_tables(rng: Random, people: list[Somebody], count: int) -> list[Table]:
    """So many tables, every game and every clock among them."""
    begun = [_table(rng, people, n) for n in range(count)]
    in_vain = [
        replace(table, free=1)
        for table in begun
        if 1 < table.seats < max(table.game.meta.seats) and not table.bots
    ]
    return [*begun, *in_vain[:CANCELLED]]


def _table(rng: Random, people: list[Somebody], n: int) -> Table:
    game = GAME_TYPES[n % len(GAME_TYPES)]
    seats = min(max(game.meta.seats), rng.choices((2, 3, 4), (14, 3, 1))[0])
    bots = rng.randint(1, seats - 1) if rng.random() < 0.2 else 0
    pause = _pause(rng) if n % 9 == 5 else None
    # Everybody plays about as often; the first player is nobody's second.
    first = people[n % len(people)]
    others = [person for person in people if person is not first]
    clock = CLOCKS[n // len(GAME_TYPES) % len(CLOCKS)]
    return Table(
        game=game,
        options=_options(rng, game),
        players=(first, *rng.sample(others, seats - bots - 1)),
        bots=bots,
        clock=clock,
        opens=BEGIN + HOUR + timedelta(minutes=10) * rng.randrange(12 * 144),
        lasts=None if rng.random() < 0.06 else rng.randint(2, 9) + (5 if pause else 0),
        pause=pause,
        wishes=n % 3 == 0,
        rematch=n % 24 == 7,
        mentions=n % 8 == 2,
    )


def _options(rng: Random, game: GameType) -> dict[str, str]:
    """Any choice; the last one of each option more often, where fewer decisions are asked."""
    return {
        option.key: rng.choice([*option.choices, *option.choices, list(option.choices)[-1]])
        for option in game.meta.options
    }


def _pause(rng: Random) -> Pause:
    ended = None if rng.random() < 0.4 else rng.randint(1, 12) * DAY
    return Pause(rng.randint(1, 30) * HOUR, ended, rng.random() < 0.8)
