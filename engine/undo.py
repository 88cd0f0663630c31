"""Undo: a seat takes back its last answer within its turn.

It may as long as everybody knows as much as before the answer, apart from what the seat itself
showed: no chance was drawn, no event uncovered anything (`Meta.uncovering`, `Meta.revealing`), and
no other seat was asked, had a choice that it could revise, or moved. `engine.secrecy` checks that a
game type declares all events that uncover something to a seat, the mover included.
"""

from collections.abc import Sequence
from typing import Any

from engine.contract import GameType
from engine.play import Line


def last_answer(vias: Sequence[str]) -> int:
    """The index of the last answer in a log, of whose lines these are the origins: automatic moves
    that followed belong to it."""
    answers = (n for n in range(len(vias) - 1, -1, -1) if vias[n] != "auto")
    return next(answers, 0)


def undoable(game: GameType, before: Any, seat: int, lines: Sequence[Line], after: Any) -> bool:
    """Whether a seat may take back its last answer, whose lines led from one state to the other.
    The lines need no states."""
    if not (_alone(game, after, seat) and game.within_turn(after, seat)):
        return False
    if not lines or lines[0].via != "player" or not _alone(game, before, seat):
        return False
    return all(line.seat == seat and not _uncovers(game, line) for line in lines)


def _alone(game: GameType, state: Any, seat: int) -> bool:
    """Whether this seat has a decision and no other seat has one, or could revise one."""
    return tuple(game.pending(state)) == (seat,) and not game.revisable(state)


def _uncovers(game: GameType, line: Line) -> bool:
    """Whether a move showed anything that not everybody knew, or drew it."""
    meta = game.meta
    return bool(line.chance) or any(
        event["type"] in meta.uncovering or event["type"] in meta.revealing for event in line.events
    )
