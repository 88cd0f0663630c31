"""The last answer of a seat, if it may still be taken back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, select

from engine.play import Line
from engine.undo import last_answer, undoable
from service.access.rows import DecisionRow
from service.db.models import Decision, Move, UndoneMove
from service.db.session import execute, table
from service.games.loaded_game import LoadedGame
from service.games.move_log import moves_of, state_after, stored_line

MOST_UNDOS = 20  # of a seat, until another seat moves
MOST_LINES = 50  # of one answer; more automatic moves than any turn has

_DECISION, _MOVE, _UNDONE = table(Decision), table(Move), table(UndoneMove)
_CLOCK = select(*_DECISION.c[DecisionRow._fields], _DECISION.c.closed_at).where(
    _DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision")
)
_LAST_OF_OTHERS = select(func.max(_MOVE.c.at)).where(
    _MOVE.c.game_id == bindparam("game"), _MOVE.c.seat != bindparam("seat")
)
_UNDONE_SINCE = select(func.count()).where(
    _UNDONE.c.game_id == bindparam("game"),
    _UNDONE.c.seat == bindparam("seat"),
    _UNDONE.c.via == "player",
    _UNDONE.c.undone_at >= bindparam("since"),
)


@dataclass(frozen=True)
class UndoableAnswer:
    """An answer that its seat may take back: its lines, numbered from `first` on, the state before
    them, and the clocks of the decisions that it answered and opened."""

    seat: int
    first: int
    lines: tuple[Line, ...]
    at: Sequence[datetime]  # of each line
    before: object
    moved_at: datetime | None  # the last move before it
    opened: DecisionRow  # is open now
    answered: DecisionRow | None  # None: one of several moves in a row, which had no clock
    closed_at: datetime | None
    until: datetime  # it may be taken back before that

    @property
    def decision(self) -> str:
        """The decision that would be open again."""
        return self.lines[0].decision


def undoable_answer(loaded: LoadedGame, seat: int) -> UndoableAnswer | None:
    """The last answer of this seat if it may be taken back, else None.

    It may while the time of the answered decision lasts: its clock runs on as if it had never been
    answered. After a pause it cannot, since that clock did not stand still with the others.
    """
    game, row, state = loaded.game, loaded.row, loaded.state
    if loaded.seats[seat].bot or row.paused_at is not None:
        return None
    if seat not in game.pending(state) or not game.within_turn(state, seat):
        return None  # nearly always; the rest replays the game
    log = moves_of(row.id, row.moves - MOST_LINES, row.moves)
    start = last_answer([move.via for move in log])
    moves = log[start:]
    if not moves or moves[0].seat != seat or moves[0].via != "player":
        return None
    opened, answered = _clock(row.id, game.decision(state, seat)), _clock(row.id, moves[0].decision)
    until = None if opened is None else _until(opened[0], answered and answered[0])
    if opened is None or until is None:
        return None
    first, lines = moves[0].n, tuple(stored_line(game, move) for move in moves)
    before = state_after(loaded, first - 1)
    if not undoable(game, before, seat, lines, state) or _too_often(loaded, seat):
        return None
    return UndoableAnswer(
        seat,
        first,
        lines,
        [move.at for move in moves],
        before,
        log[start - 1].at if start else row.started_at,
        opened[0],
        answered and answered[0],
        answered and answered[1],
        until,
    )


def _clock(game_id: str, decision: str) -> tuple[DecisionRow, datetime | None] | None:
    """A decision with its clock, and when it was closed."""
    found = execute(_CLOCK, {"game": game_id, "decision": decision}).one_or_none()
    return None if found is None else (DecisionRow._make(found[:-1]), found[-1])


def _until(opened: DecisionRow, answered: DecisionRow | None) -> datetime | None:
    """The deadline of the answered decision; None if the clocks stood still since, or do now."""
    running = opened.due_at is not None and not opened.held
    return (answered or opened).due_at if running else None


def _too_often(loaded: LoadedGame, seat: int) -> bool:
    known = {"game": loaded.row.id, "seat": seat}
    since = execute(_LAST_OF_OTHERS, known).scalar() or loaded.row.started_at
    return int(execute(_UNDONE_SINCE, known | {"since": since}).scalar_one()) >= MOST_UNDOS
