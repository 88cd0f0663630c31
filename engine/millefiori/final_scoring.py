"""Ranking at the end of a game."""

from engine.millefiori.state import State
from engine.toolkit.ranking import places


def ranking(state: State) -> tuple[int, ...]:
    """Places by points; there is no tie-break."""
    return places([(score,) for score in state.board.scores])
