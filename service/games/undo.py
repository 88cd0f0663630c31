"""Undo: a player takes back the last step of their turn.

The lines leave the log, and the decision is open again with its clock, as if it had never been
answered. Nothing vanishes silently: the lines are kept in `undone_move`, which the log shows.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, select, update

from engine.contract import Json
from engine.play import Line
from service.access.games import SeatAccess
from service.core.errors import Problem
from service.db.models import Decision, Move, UndoneMove
from service.db.session import execute, table
from service.games.decision_clock import reopened
from service.games.loaded_game import LoadedGame, load_game, must_run
from service.games.persistence import decision_entries, entries_for_all, set_seat, touch_game
from service.games.takeover import must_be_present
from service.games.undoable import UndoableAnswer, undoable_answer
from service.notify.event_log import record_events

NOTHING = (
    "There is nothing to take back. The last step of a turn can be taken back while the turn and "
    "the time for that step last, if it revealed nothing and nobody else was asked."
)

_DECISION, _MOVE, _UNDONE = table(Decision), table(Move), table(UndoneMove)
_OF_GAME = _DECISION.c.game_id == bindparam("of_game")
_COUNT = select(func.count()).where(_UNDONE.c.game_id == bindparam("of_game"))
_REMOVE_MOVES = delete(_MOVE).where(
    _MOVE.c.game_id == bindparam("of_game"), _MOVE.c.n >= bindparam("first")
)
_REMOVE_DECISION = delete(_DECISION).where(_OF_GAME, _DECISION.c.id == bindparam("of_decision"))
_REOPEN = update(_DECISION).where(_OF_GAME, _DECISION.c.id == bindparam("of_decision"))
_WITHDRAWN = select(func.count()).where(
    _UNDONE.c.game_id == bindparam("of_game"),
    _UNDONE.c.withdrawn == bindparam("of_decision"),
    _UNDONE.c.undone_at > bindparam("since"),
)


@dataclass(frozen=True)
class UndoneMoves:
    """Moves that a player took back, and the decision that is open again.

    With `revisable` nothing was taken back: the pick is secret and may be changed by choosing
    again.
    """

    loaded: LoadedGame  # after it
    seat: int
    version: int
    first: int
    lines: tuple[Line, ...]
    decision: str
    due_at: datetime | None
    at: datetime
    revisable: bool = False

    @property
    def texts(self) -> list[str]:
        """The notations of the moves."""
        return [self.loaded.game.format(line.move) for line in self.lines]


def undo_step(access: SeatAccess, at: datetime, decision: str | None = None) -> UndoneMoves:
    """Take back the last answer of the caller's seat, with the automatic moves after it.

    With `decision` only the answer to that one, so that a repeated request changes nothing. Raises
    `nothing_to_undo` if the answer is final.
    """
    if access.resigned:
        raise Problem("resigned", "You have resigned from this game and cannot come back.")
    loaded, seat = load_game(access.game, access.seats), access.seat
    must_run(loaded)
    must_be_present(loaded, seat)
    if seat in loaded.game.revisable(loaded.state):
        return _revisable(loaded, seat, at, decision)
    found = undoable_answer(loaded, seat)
    if found is None or found.until <= at or decision not in (None, found.decision):
        raise Problem("nothing_to_undo", NOTHING)
    after = _restored(loaded, found)
    _move_lines(loaded, found, at)
    asked = _reopen(loaded, found)
    version, first = after.row.version, found.first
    undone = {"version": version, "from": first, "to": first + len(found.lines) - 1, "seat": seat}
    record_events(entries_for_all(loaded, "move.undone", undone) + decision_entries([asked]), at)
    return UndoneMoves(
        after, seat, version, first, found.lines, found.decision, asked["due_at"], at
    )


def _revisable(loaded: LoadedGame, seat: int, at: datetime, decision: str | None) -> UndoneMoves:
    current = loaded.game.decision(loaded.state, seat)
    if decision not in (None, current):
        raise Problem("nothing_to_undo", NOTHING)
    row = loaded.row
    return UndoneMoves(
        loaded, seat, row.version, row.moves + 1, (), current, None, at, revisable=True
    )


def _restored(loaded: LoadedGame, found: UndoableAnswer) -> LoadedGame:
    """Store the game as it was before the answer."""
    changes: Json = {
        "state": loaded.game.dump(found.before),
        "moves": found.first - 1,
        "moved_at": found.moved_at,
    }
    touch_game(loaded.row.id, **changes)
    row = loaded.row._replace(**changes, version=loaded.row.version + 1)
    return replace(loaded, row=row)


def _move_lines(loaded: LoadedGame, found: UndoableAnswer, at: datetime) -> None:
    """Move lines from the log to those that were taken back."""
    game, game_id = loaded.game, loaded.row.id
    last = execute(_COUNT, {"of_game": game_id}).scalar_one()
    rows = [
        {
            "game_id": game_id,
            "number": last + 1 + place,
            "n": found.first + place,
            "seat": line.seat,
            "decision": line.decision,
            "move": game.move_to_json(line.move),
            "via": line.via,
            "events": line.events,
            "at": made_at,
            "undone_at": at,
            "withdrawn": found.opened.id,
        }
        for place, (line, made_at) in enumerate(zip(found.lines, found.at, strict=True))
    ]
    execute(_REMOVE_MOVES, {"of_game": game_id, "first": found.first})
    execute(insert(_UNDONE), rows)


def _reopen(loaded: LoadedGame, found: UndoableAnswer) -> Json:
    """Open the answered decision again in place of the one that is open now; its columns.

    One without a clock of its own has that of the decision that is open now.
    """
    known = {"of_game": loaded.row.id}
    execute(_REMOVE_DECISION, known | {"of_decision": found.opened.id})
    if found.answered is None:
        row = found.opened._replace(id=found.decision, remind_at=None)._asdict()
        execute(insert(_DECISION), [row])
        return row
    # The next reminder is set with the letter about the decision.
    fresh: Json = {"closed_at": None, "via": None, "remind_at": None}
    execute(_REOPEN, known | {"of_decision": found.decision} | fresh)
    assert found.closed_at is not None, "it was answered"
    changes = reopened(loaded.seats[found.seat], found.answered, found.closed_at, found.opened)
    if changes:
        set_seat(loaded, found.seat, **changes)
    return found.answered._asdict() | fresh


def was_withdrawn(game_id: str, decision: str, since: datetime) -> bool:
    """Whether an undo withdrew this decision after it was put to the player; the same id may stand
    for another question by now."""
    known = {"of_game": game_id, "of_decision": decision, "since": since}
    return bool(execute(_WITHDRAWN, known).scalar_one())
