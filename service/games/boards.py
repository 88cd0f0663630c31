"""Boards of a game for one viewer, as text and as a picture that marks recent events."""

from sqlalchemy import func, select

from engine.contract import Event, Json
from engine.decisions import seat_view
from engine.languages import ENGLISH
from engine.record import visible_events
from service.access.games import GameAccess
from service.db.models import Move
from service.db.session import db
from service.games.loaded_game import LoadedGame, load_game
from service.games.move_log import moves_of, state_after
from service.games.views import as_it_ended, must_have_begun, sight


def board_view(
    access: GameAccess, language: str = ENGLISH, at: int | None = None
) -> tuple[LoadedGame, Json]:
    """The game and the view from which a board is drawn."""
    loaded = load_game(access.game)
    must_have_begun(loaded)
    state = loaded.state if at is None else state_after(loaded, at)
    view = seat_view(loaded.game, state, access.seat, loaded.names, language)
    return loaded, as_it_ended(loaded, view) if at in (None, loaded.row.moves) else view


def board_text(access: GameAccess, language: str = ENGLISH, at: int | None = None) -> str:
    """The board as text."""
    loaded, view = board_view(access, language, at)
    return loaded.game.board_text(view, loaded.names, language) + "\n"


def board_svg(access: GameAccess, language: str = ENGLISH, at: int | None = None) -> str:
    """The board as a picture that marks the changes since the viewer's last turn; after an earlier
    move, the changes of that one."""
    loaded, view = board_view(access, language, at)
    marked = (
        recent_events(loaded, access.seat) if at is None else _events_of(loaded, access.seat, at)
    )
    return loaded.game.board_svg(view, loaded.names, marked, language)


def recent_events(loaded: LoadedGame, seat: int | None) -> list[Event]:
    """The events since this seat's last turn; for a spectator, of the last move."""
    row = loaded.row
    if seat is None:
        after = row.moves - 1
    else:
        after = db.session.execute(
            select(func.coalesce(func.max(Move.n), 0)).where(
                Move.game_id == row.id, Move.seat == seat
            )
        ).scalar_one()
    return _events(loaded, seat, after, row.moves)


def _events_of(loaded: LoadedGame, seat: int | None, n: int) -> list[Event]:
    """The events of move n; none before the first."""
    return _events(loaded, seat, n - 1, n) if n else []


def _events(loaded: LoadedGame, seat: int | None, after: int, last: int) -> list[Event]:
    """The events that this seat may know, of the moves after number `after` up to `last`."""
    eyes = sight(loaded, seat)
    return [
        event
        for move in moves_of(loaded.row.id, after, last)
        for event in visible_events(move.events, eyes)
    ]
