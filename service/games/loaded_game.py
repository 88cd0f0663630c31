"""A game loaded from the database: its rules, its row, its seats and its state together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.contract import GameType, Json
from engine.errors import MissingBoard
from engine.registry import game_type_by_key
from service.access.games import access_seats
from service.access.rows import GameRow, SeatRow
from service.core.errors import Problem
from service.db.models import Status


@dataclass(frozen=True)
class LoadedGame:
    game: GameType
    row: GameRow
    seats: Sequence[SeatRow]

    @cached_property
    def state(self) -> object:
        """The state of a game that has begun; raises Problem if its board is not here."""
        assert self.row.state is not None
        try:
            return self.game.load(self.row.state)
        except MissingBoard as error:
            lost = "Nothing is lost: the game goes on when the file is back on this server."
            raise Problem("board_missing", f"{error} {lost}") from None

    @property
    def seed(self) -> bytes:
        """The seed of a game that has begun."""
        assert self.row.seed is not None
        return self.row.seed

    @property
    def outcome(self) -> Json:
        """The outcome of a game that is over."""
        assert self.row.outcome is not None
        return self.row.outcome

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
    def frozen(self) -> bool:
        return self.row.frozen_at is not None

    @property
    def free(self) -> list[int]:
        """The numbers of free seats."""
        return [seat.number for seat in self.seats if seat.free]

    @property
    def playing(self) -> list[SeatRow]:
        """The seats of people who play themselves."""
        return [seat for seat in self.seats if seat.person_id is not None and not seat.bot]

    @property
    def contenders(self) -> list[int]:
        """The seats of people who have not resigned; a bot may keep one for an absent player."""
        return [
            seat.number
            for seat in self.seats
            if seat.person_id is not None and seat.resigned_at is None
        ]

    @property
    def people(self) -> list[tuple[int, str]]:
        """The seats that belong to people, with these people."""
        return [
            (seat.number, seat.person_id)
            for seat in self.seats
            if seat.person_id is not None and seat.person_deleted_at is None
        ]


def with_seat(loaded: LoadedGame, number: int, **changes: Any) -> LoadedGame:
    """The same game with one seat changed."""
    seats = [seat._replace(**changes) if seat.number == number else seat for seat in loaded.seats]
    changed = replace(loaded, seats=seats)
    if "state" in vars(loaded):
        vars(changed)["state"] = loaded.state
    return changed


def must_run(loaded: LoadedGame) -> None:
    """Raise unless the game is running and not frozen."""
    status = loaded.row.status
    if status == Status.finished:
        raise Problem("game_over", "The game is over; nothing more can be played.")
    if status != Status.running:
        raise Problem("not_running", f"The game is {status}; nothing can be played.")
    must_not_be_frozen(loaded)


def must_not_be_frozen(loaded: LoadedGame) -> None:
    """Raise for a frozen game, whose position may be wrong."""
    if loaded.frozen:
        raise Problem(
            "game_frozen",
            "Something is wrong with what we stored of this game; the clocks stand still until "
            "somebody has looked at it.",
        )


def load_game(row: GameRow, seats: Sequence[SeatRow] | None = None) -> LoadedGame:
    """The game of a row of `service.access`, with its seats."""
    return LoadedGame(game_type_by_key(row.game, row.rules), row, seats or access_seats(row.id))
