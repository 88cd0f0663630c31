"""What a move forces its seat to do next, as far as that is certain."""

from engine.contract import Forced
from engine.murano.legal import asks, legal_moves
from engine.murano.moves import Move
from engine.murano.state import State
from engine.murano.turns import apply
from engine.toolkit.forced import forced_after

# What these uncover decides what can be done next. A drawn street may be laid wherever any other
# may, and after a tile was bought nothing follows without asking.
UNCERTAIN = frozenset({"search", "characters", "cards-shown"})


def forced(state: State, seat: int, move: Move) -> tuple[Forced, ...]:
    """The further moves of the turn that are made without asking."""
    # Without a last round nothing is scored at the end of the turn, which takes long and decides
    # nothing here.
    return forced_after(apply, _only_move, state._replace(trigger=None), seat, move, UNCERTAIN)


def _only_move(state: State, seat: int) -> Move | None:
    if state.mover != seat or asks(state, seat):
        return None
    moves = legal_moves(state, seat)
    return moves[0] if len(moves) == 1 else None
