"""Rematches: the same game again, for those who played it."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from engine.options import renewed_options
from engine.registry import game_type_by_key
from service.access.credentials import Caller
from service.access.games import GameAccess, KnownAccess, SeatAccess, lock_game
from service.core.errors import Problem
from service.db.models import Game, Person, Seat, Status, Visibility
from service.db.session import db
from service.games.persistence import touch_game
from service.games.table_creation import TableSpec, open_table
from service.games.tables import join
from service.notify.event_log import Entry, record_events


class OpenRematch(NamedTuple):
    """A rematch that waits for a player of the old game."""

    game_id: str
    host_id: str


def rematch_of(access: GameAccess) -> str | None:
    """The id of the rematch, for those who played this game and may look at the new one."""
    if access.seat is None or access.game.status != Status.finished:
        return None
    assert access.caller is not None
    seated = select(Seat.game_id).where(Seat.person_id == access.caller.person_id)
    return db.session.scalars(
        select(Game.id).where(
            Game.rematch_of == access.game.id,
            (Game.status == Status.open) | Game.id.in_(seated),
        )
    ).first()


def rematches_for(caller: Caller) -> list[OpenRematch]:
    """Open rematches of the caller's games in which they have no seat yet."""
    seats = select(Seat.game_id).where(Seat.person_id == caller.person_id)
    found = db.session.execute(
        select(Game.id, Game.host_id)
        .where(Game.status == Status.open, Game.rematch_of.in_(seats), Game.id.not_in(seats))
        .order_by(Game.created_at, Game.id)
    )
    return [OpenRematch(*row) for row in found]


def rematch(access: SeatAccess, at: datetime) -> str:
    """Offer the same game again, or accept the offer; the new game's id.

    The first one to ask opens the table with the same bots, and the others are invited. It
    starts when all have accepted; nobody needs to be there at the same time.
    """
    row, caller = access.game, access.caller
    if row.status != Status.finished:
        raise Problem("not_finished", "A rematch can be offered when the game is over.")
    again = db.session.execute(
        select(Game.id, Game.status).where(Game.rematch_of == row.id)
    ).one_or_none()
    if again is not None and again.status != Status.cancelled:
        return _accept(caller, again.id, at)
    if again is not None:
        touch_game(again.id, rematch_of=None)  # the cancelled one makes room for another
    seats = db.session.execute(
        select(Seat.number, Seat.person_id, Person.deleted_at)
        .outerjoin(Person, Person.id == Seat.person_id)
        .where(Seat.game_id == row.id)
        .order_by(Seat.number)
    ).all()
    others = [
        seat.person_id
        for seat in seats
        if seat.person_id not in (None, caller.person_id) and seat.deleted_at is None
    ]
    game_id = open_table(
        caller,
        TableSpec(
            game=row.game,
            seats=row.seats,
            options=renewed_options(game_type_by_key(row.game), row.options),
            clock=row.clock,
            title=row.title,
            visibility=Visibility.invitation,
            bots=row.seats - 1 - len(others),
            rematch_of=row.id,
        ),
        at,
    )
    record_events(
        [
            Entry(person, "table.rematch", game_id, {"by": caller.name, "of": row.id})
            for person in others
        ],
        at,
    )
    return game_id


def _accept(caller: Caller, game_id: str, at: datetime) -> str:
    row = lock_game(game_id)
    seat = db.session.scalars(
        select(Seat.number).where(Seat.game_id == game_id, Seat.person_id == caller.person_id)
    ).one_or_none()
    if seat is None:
        join(KnownAccess(caller, row, None, 0, False), at, as_invited=True)
    return game_id
