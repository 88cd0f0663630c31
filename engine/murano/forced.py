"""Forced moves after a move, as far as they are certain."""

from engine.contract import Forced
from engine.murano.legal import asks, legal_moves
from engine.murano.moves import Move
from engine.murano.state import State
from engine.murano.turns import apply
from engine.toolkit.forced import forced_after

# These events reveal facts that decide the next moves. A drawn street may be laid wherever any
# other may, and nothing follows a bought tile without a question.
UNCERTAIN = frozenset({"search", "characters", "cards-shown"})


def forced(state: State, seat: int, move: Move) -> tuple[Forced, ...]:
    """The further moves of the turn that need no question."""
    # Without a last round the end of the turn skips the final scoring, which is slow and
    # irrelevant here.
    return forced_after(apply, _only_move, state._replace(trigger=None), seat, move, UNCERTAIN)


def _only_move(state: State, seat: int) -> Move | None:
    if state.mover != seat or asks(state, seat):
        return None
    moves = legal_moves(state, seat)
    return moves[0] if len(moves) == 1 else None
