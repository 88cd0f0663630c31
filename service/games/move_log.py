"""Log of a game: its stored moves, and the positions they lead to."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from engine import play
from engine.chance import Chance, Draw
from engine.contract import GameType, Json
from engine.play import Line
from service.access.rows import MoveRow, UndoneMoveRow
from service.core.errors import Problem
from service.db.models import Move, UndoneMove
from service.db.session import execute, table
from service.games.loaded_game import LoadedGame

_MOVE, _UNDONE = table(Move), table(UndoneMove)
_MOVES = (
    select(*_MOVE.c[MoveRow._fields])
    .where(
        _MOVE.c.game_id == bindparam("game"),
        _MOVE.c.n > bindparam("after"),
        _MOVE.c.n <= bindparam("last"),
    )
    .order_by(_MOVE.c.n)
)


def moves_of(game_id: str, after: int, last: int) -> list[MoveRow]:
    """The moves after number `after`, up to number `last`."""
    found = execute(_MOVES, {"game": game_id, "after": after, "last": last})
    return [MoveRow._make(row) for row in found.all()]


_UNDONE_MOVES = (
    select(*_UNDONE.c[UndoneMoveRow._fields])
    .where(_UNDONE.c.game_id == bindparam("game"), _UNDONE.c.n > bindparam("after"))
    .order_by(_UNDONE.c.number)
)


def undone_moves_of(game_id: str, after: int, last: int | None) -> list[UndoneMoveRow]:
    """The moves that were taken back, with numbers after `after`, up to `last` if that is given."""
    found = execute(_UNDONE_MOVES, {"game": game_id, "after": after}).all()
    return [UndoneMoveRow._make(row) for row in found if last is None or row.n <= last]


def stored_line(game: GameType, move: MoveRow) -> Line:
    """A row of the log as a line of the engine, without its state."""
    return Line(
        move.seat,
        move.decision,
        game.move_from_json(move.move),
        move.via,
        draws(move.chance),
        tuple(move.events),
        tuple(move.scores),
        None,
    )


def draws(chance: Sequence[Json]) -> tuple[Draw, ...]:
    """Stored chance outcomes as the engine has them."""
    return tuple(
        Draw(draw["label"], draw["outcome"], _seats(draw.get("seen_by"))) for draw in chance
    )


def _seats(seen_by: list[int] | None) -> tuple[int, ...] | None:
    return None if seen_by is None else tuple(seen_by)


def state_after(loaded: LoadedGame, n: int) -> object:
    """The state after move n, played again from the seed."""
    must_be_a_move(loaded, n)
    game, row = loaded.game, loaded.row
    state = play.begin(game, row.seats, row.options, loaded.seed).start
    for move in moves_of(row.id, 0, n):
        state = applied(game, loaded.seed, state, move)
    return state


def applied(game: GameType, seed: bytes, state: object, move: MoveRow) -> object:
    """The state after a stored move."""
    chance = Chance(seed, move.decision)
    return game.apply(state, move.seat, game.move_from_json(move.move), chance).state


def must_be_a_move(loaded: LoadedGame, n: int) -> None:
    """Raise for a number that no move has yet."""
    if n > loaded.row.moves:
        raise Problem("no_such_move", f"The game has {loaded.row.moves} moves, not {n}.")
