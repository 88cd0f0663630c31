"""Forced moves after a move, as far as they are certain."""

from engine.contract import Forced
from engine.millefiori.legal import legal_moves
from engine.millefiori.moves import Keep, Move
from engine.millefiori.state import State
from engine.millefiori.tuples import replaced
from engine.millefiori.turns import apply
from engine.toolkit.forced import forced_after

UNCERTAIN = frozenset({"pass", "round", "left-over"})  # other cards came to hands or display


def forced(state: State, seat: int, move: Move) -> tuple[Forced, ...]:
    """The further moves of the turn that need no question.

    A kept card has them only for the seat that plays first: plays of others change the board before
    later seats.
    """
    if not isinstance(move, Keep):
        return forced_after(apply, _only_move, state, seat, move, UNCERTAIN)
    if seat != state.start:
        return ()
    playing = state._replace(mover=seat, kept=replaced(state.kept, seat, move))
    first = _only_move(playing, seat)
    if first is None:
        return ()
    further = forced_after(apply, _only_move, playing, seat, first, UNCERTAIN)
    return (Forced(playing, first), *further)


def _only_move(state: State, seat: int) -> Move | None:
    if state.mover != seat or state.reason is not None:
        return None
    moves = legal_moves(state, seat)
    return moves[0] if len(moves) == 1 else None
