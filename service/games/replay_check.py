"""What is stored of a game, and what its seed and its moves lead to.

A game is played again from its seed, through the one door, and everything that is kept of it is
compared: every line of the log, the state, the number of moves, the outcome and the decisions that
are open.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson
import structlog
from sqlalchemy import select

from engine import play
from engine.chance import commitment
from engine.contract import GameType, Json
from engine.errors import BadSetup, MissingBoard
from engine.play import Line, Opening
from engine.registry import game_type_by_key
from service.db.models import Decision, Game, Status
from service.db.session import AnyRow, db, is_transient
from service.games.persistence import draws_json, line_columns, open_decisions
from service.games.results import early_result_again, ended_early, result_by_rules
from service.games.views import moves_of

log = structlog.get_logger()

BEGUN = (Status.running, Status.finished)
LONGEST_QUOTE = 120


class Difference(NamedTuple):
    """Something stored that is not what the log leads to. The values may be secret: they are for
    those who run the house; players and logs are told only where."""

    where: str  # as "move 12", or "game"
    what: str
    stored: str
    right: str

    @property
    def place(self) -> str:
        return f"{self.where}: {self.what}"


UNREADABLE = Difference("game", "cannot be read", "", "")


class CannotMend(Exception):
    """What was asked for a game cannot be done, in a sentence."""


class _Unreadable(CannotMend):
    """Something that is stored of a game is not even of the form in which it is kept."""


class Stored(NamedTuple):
    """Everything kept of a game that follows from its seed and its moves."""

    row: AnyRow
    moves: Sequence[AnyRow]
    open: frozenset[str]  # ids of open decisions


class Replayed(NamedTuple):
    """A game played again, as far as its log can be followed."""

    game: GameType
    opening: Opening
    lines: tuple[Line, ...]
    trouble: Difference | None  # why it cannot be followed to its end

    @property
    def state(self) -> Any:
        return self.lines[-1].state if self.lines else self.opening.start


def read_stored(game_id: str) -> Stored | None:
    """What is kept of a game; None if it cannot be read."""
    try:
        return stored_game(game_id)
    except _Unreadable as error:
        log.warning("game_not_read", game=game_id, error=type(error.__cause__).__name__)
        return None


def stored_game(game_id: str) -> Stored:
    """What is kept of a game; raises CannotMend."""
    status = db.session.scalar(select(Game.status).where(Game.id == game_id))
    if status is None:
        raise CannotMend(f"There is no game {game_id[:40]}.")
    if status not in BEGUN:
        raise CannotMend(f"Game {game_id} is {status}: it has no moves that could be audited.")
    try:
        row = db.session.execute(select(Game.__table__).where(Game.id == game_id)).one()
        moves = moves_of(game_id, -1, 2**31 - 1)
    except Exception as error:  # whatever is wrong with what is stored there
        if is_transient(error):
            raise
        raise _Unreadable(
            f"What is stored of game {game_id} cannot be read; bring it back from a backup."
        ) from error
    decisions = db.session.scalars(
        select(Decision.id).where(Decision.game_id == game_id, Decision.closed_at.is_(None))
    )
    return Stored(row, moves, frozenset(decisions))


def replayed_game(row: AnyRow, moves: Sequence[AnyRow]) -> Replayed:
    """Play the log through the door; raises BadSetup if we do not know these rules or this board,
    CannotMend if the game does not even begin."""
    game = game_type_by_key(row.game, row.rules)
    _must_have_board(game, row)
    try:
        opening = play.begin(game, row.seats, row.options, row.seed)
    except Exception as error:  # whatever is wrong with what is stored there
        raise CannotMend(
            f"Game {row.id} cannot be set up from its seed, seats and options; bring them back "
            "from a backup."
        ) from error
    lines: list[Line] = []
    waiting, state = list(opening.lines), opening.start
    for move in moves:
        if not waiting:  # else it is a move that the door made by itself
            try:
                waiting += play.play(
                    game, state, row.seed, move.seat, move.decision, move.move, move.via
                ).lines
            except Exception as error:  # whatever is wrong with what is stored there
                told = Difference(f"move {move.n}", "cannot be played", _quoted(move.move), "")
                log.warning("move_not_replayed", game=row.id, n=move.n, error=type(error).__name__)
                return Replayed(game, opening, tuple(lines), told)
        lines.append(waiting.pop(0))
        state = lines[-1].state
    trouble = None
    if waiting or row.moves > len(moves):  # the log has lost its end
        wanted = waiting[0].decision if waiting else ""
        trouble = Difference(f"move {len(lines) + 1}", "is missing", "", wanted)
    return Replayed(game, opening, tuple(lines), trouble)


def _must_have_board(game: GameType, row: AnyRow) -> None:
    """Raise BadSetup for a game whose board is not here: nothing is known to be wrong with it."""
    try:
        game.load(row.state)
    except MissingBoard as error:
        raise BadSetup(str(error)) from None
    except Exception:  # noqa: S110  # a stored state that is wrong is told as a difference
        pass


def differences_in(stored: Stored | None) -> tuple[Difference, ...]:
    """All that is not as it should be; raises BadSetup if we do not know the rules."""
    if stored is None:
        return (UNREADABLE,)
    row = stored.row
    try:
        replayed = replayed_game(row, stored.moves)
    except CannotMend:
        return (Difference("game", "cannot be set up", "", ""),)
    found = [
        difference
        for n, (move, line) in enumerate(zip(stored.moves, replayed.lines), start=1)
        for difference in in_line(n, move, line_columns(replayed.game, line))
    ]
    if replayed.trouble is not None:  # where it leads to is not known then
        return (*found, replayed.trouble)
    return (*found, *_in_game(stored, rightly(row, replayed)))


def in_line(n: int, move: AnyRow, right: Json) -> Iterator[Difference]:
    """Where a stored move is not what the columns of its line should be."""
    if move.n != n:
        yield Difference(f"move {n}", "number", str(move.n), str(n))
    yield from _compared(f"move {n}", move, right)


def _in_game(stored: Stored, right: Json) -> Iterator[Difference]:
    yield from _compared("game", stored.row, {k: v for k, v in right.items() if k != "open"})
    asked = set(right["open"])
    if stored.open != asked:
        told = [", ".join(sorted(decisions)) or "none" for decisions in (stored.open, asked)]
        yield Difference("game", "open decisions", *told)


def _compared(where: str, row: AnyRow, right: Json) -> Iterator[Difference]:
    for name, value in right.items():
        found = getattr(row, name)
        if found != _as_stored(value):
            yield Difference(where, name, _quoted(found), _quoted(value))


def rightly(row: AnyRow, replayed: Replayed) -> Json:
    """The columns of the game as its log leads to them, and the decisions that are open then."""
    game, opening, state = replayed.game, replayed.opening, replayed.state
    result = result_by_rules(game, state)
    if result is None and row.status == Status.finished and ended_early(row.outcome):
        result = early_result_again(game, state, row.outcome)
    outcome = None if result is None else result.as_json()
    over = outcome is not None
    return {
        "status": Status.finished if over else Status.running,
        "commitment": commitment(row.seed),
        "opening": {"chance": draws_json(opening.chance), "events": opening.events},
        "moves": len(replayed.lines),
        "state": game.dump(state),
        "outcome": outcome,
        "open": {} if over else open_decisions(game, state),
    }


def _as_stored(value: Any) -> Any:
    """A value as it comes back from a column of JSON or text."""
    return orjson.loads(orjson.dumps(value))


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
