"""Rows that access functions return: one type each, with the same columns whichever function."""

from datetime import datetime
from typing import NamedTuple

from engine.contract import Json
from engine.play import Via


class GameRow(NamedTuple):
    """A game without its opening, which is long and only the record needs."""

    id: str
    game: str
    rules: int
    seats: int
    options: dict[str, str]
    clock: Json
    title: str
    visibility: str
    status: str
    host_id: str
    rematch_of: str | None
    seed: bytes | None
    commitment: str | None
    state: str | None
    moves: int
    version: int
    outcome: Json | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    moved_at: datetime | None
    clocks_from: datetime | None
    paused_at: datetime | None
    paused_until: datetime | None
    played_on_at: datetime | None
    frozen_at: datetime | None
    frozen_why: str | None


class SeatRow(NamedTuple):
    """A seat with the habits of its owner, which decide about their time."""

    game_id: str
    number: int
    person_id: str | None
    bot: bool
    name: str
    version: int
    wishes: list[str]
    note: str
    quiet: bool
    bank: int | None
    resigned_at: datetime | None
    wants_to_end: bool
    wants_pause: bool
    misses: int
    away_since: datetime | None
    absence_used: int
    person_owner_id: str | None
    person_deleted_at: datetime | None
    person_suspended_at: datetime | None
    person_unreachable_since: datetime | None
    time_zone: str | None
    sleep_from: str | None
    sleep_to: str | None
    absences: list[dict[str, str]] | None

    @property
    def free(self) -> bool:
        return self.person_id is None and not self.bot


class DecisionRow(NamedTuple):
    """A decision with its clock."""

    game_id: str
    id: str
    seat: int
    person_id: str | None
    opened_at: datetime
    due_at: datetime | None
    allowed: int | None
    stands: list[list[str]] | None
    held: int
    left: int | None
    remind_at: datetime | None


class MoveRow(NamedTuple):
    """A line of a game's log."""

    game_id: str
    n: int
    seat: int
    decision: str
    move: Json
    via: Via
    chance: list[Json]
    events: list[Json]
    scores: list[int]
    at: datetime


class UndoneMoveRow(NamedTuple):
    """A line that its player took back."""

    game_id: str
    number: int
    n: int
    seat: int
    decision: str
    move: Json
    via: Via
    events: list[Json]
    at: datetime
    undone_at: datetime
    withdrawn: str
