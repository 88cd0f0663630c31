"""A game taken up: its rules, its row, its seats and its state together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.contract import AnyGame
from engine.registry import game_by_key
from service.access import access_seats
from service.database import AnyRow
from service.models import Status


@dataclass(frozen=True)
class Sitting:
    game: AnyGame
    row: AnyRow
    seats: Sequence[AnyRow]

    @cached_property
    def state(self) -> Any:
        """The state of a game that has begun."""
        return self.game.load(self.row.state)

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def begun(self) -> bool:
        return self.row.state is not None

    @property
    def running(self) -> bool:
        return bool(self.row.status == Status.running)

    @property
    def people(self) -> list[tuple[int, str]]:
        """The seats that belong to people, with these people."""
        return [
            (seat.number, seat.person_id)
            for seat in self.seats
            if seat.person_id is not None and seat.person_deleted_at is None
        ]


def take_up(row: AnyRow, seats: Sequence[AnyRow] | None = None) -> Sitting:
    """The game of a row that `service.access` let somebody see, with its seats."""
    return Sitting(game_by_key(row.game, row.rules), row, seats or access_seats(row.id))
