"""Replay check: a stored game against the replay of its seed and its moves.

The engine plays the game again. Every line of the log, the state, the number of moves, the outcome
and the open decisions are compared.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson
import structlog
from sqlalchemy import select

from engine import play
from engine.chance import commitment
from engine.contract import GameType, Json
from engine.errors import BadSetup, MissingBoard
from engine.play import Line, Opening
from engine.registry import game_type_by_key
from service.access.rows import MoveRow
from service.db.models import Decision, Game, Status
from service.db.session import db, is_transient
from service.games.move_log import moves_of
from service.games.persistence import draws_json, line_columns, open_decisions
from service.games.results import early_result_again, ended_early, result_by_rules

log = structlog.get_logger()

BEGUN = (Status.running, Status.finished)
LONGEST_QUOTE = 120


class Difference(NamedTuple):
    """A stored value that differs from the replay. The values may be secret: only operators see
    them; players and logs get the place."""

    where: str  # as "move 12", or "game"
    what: str
    stored: str
    right: str

    @property
    def place(self) -> str:
        return f"{self.where}: {self.what}"


UNREADABLE = Difference("game", "cannot be read", "", "")


class CannotMend(Exception):
    """The reason why a game cannot be audited or repaired, as a sentence."""


class _Unreadable(CannotMend):
    """Stored data of a game has the wrong format."""


class Stored(NamedTuple):
    """The stored parts of a game that follow from its seed and its moves."""

    row: Game
    moves: Sequence[MoveRow]
    open: frozenset[str]  # ids of open decisions


class Replayed(NamedTuple):
    """A replay, as far as the log could be followed."""

    game: GameType
    opening: Opening
    lines: tuple[Line, ...]
    trouble: Difference | None  # where the log could not be followed further

    @property
    def state(self) -> object:
        return self.lines[-1].state if self.lines else self.opening.start


def read_stored(game_id: str) -> Stored | None:
    """A stored game; None if it cannot be read."""
    try:
        return stored_game(game_id)
    except _Unreadable as error:
        log.warning("game_not_read", game=game_id, error=type(error.__cause__).__name__)
        return None


def stored_game(game_id: str) -> Stored:
    """A stored game; raises CannotMend."""
    status = db.session.scalar(select(Game.status).where(Game.id == game_id))
    if status is None:
        raise CannotMend(f"There is no game {game_id[:40]}.")
    if status not in BEGUN:
        raise CannotMend(f"Game {game_id} is {status}: it has no moves that could be audited.")
    try:
        row = db.session.get_one(Game, game_id, populate_existing=True)
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


def replayed_game(row: Game, moves: Sequence[MoveRow]) -> Replayed:
    """Replay the log; raises BadSetup if its rules or its board are unknown here, CannotMend if the
    game cannot begin."""
    game = game_type_by_key(row.game, row.rules)
    _must_have_board(game, row)
    try:
        opening = play.begin(game, row.seats, row.options, _seed(row))
    except Exception as error:  # whatever is wrong with what is stored there
        raise CannotMend(
            f"Game {row.id} cannot be set up from its seed, seats and options; bring them back "
            "from a backup."
        ) from error
    lines: list[Line] = []
    waiting, state = list(opening.lines), opening.start
    for move in moves:
        if not waiting:  # else the engine has played this forced move already
            try:
                waiting += play.play(
                    game, state, _seed(row), move.seat, move.decision, move.move, move.via
                ).lines
            except Exception as error:  # whatever is wrong with what is stored there
                failed = Difference(f"move {move.n}", "cannot be played", _quoted(move.move), "")
                log.warning("move_not_replayed", game=row.id, n=move.n, error=type(error).__name__)
                return Replayed(game, opening, tuple(lines), failed)
        lines.append(waiting.pop(0))
        state = lines[-1].state
    trouble = None
    if waiting or row.moves > len(moves):  # the log has lost its end
        wanted = waiting[0].decision if waiting else ""
        trouble = Difference(f"move {len(lines) + 1}", "is missing", "", wanted)
    return Replayed(game, opening, tuple(lines), trouble)


def _seed(row: Game) -> bytes:
    assert row.seed is not None, "a game that has begun has a seed"
    return row.seed


def _must_have_board(game: GameType, row: Game) -> None:
    """Raise BadSetup for a game whose board is missing here: the game itself may be right."""
    try:
        game.load(row.state or "")
    except MissingBoard as error:
        raise BadSetup(str(error)) from None
    except Exception:  # noqa: S110  # a wrong state is a difference, found later
        pass


def differences_in(stored: Stored | None) -> tuple[Difference, ...]:
    """All differences of a stored game; raises BadSetup if its rules are unknown."""
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
    if replayed.trouble is not None:  # the end of the game is unknown then
        return (*found, replayed.trouble)
    return (*found, *_in_game(stored, rightly(row, replayed)))


def in_line(n: int, move: MoveRow, right: Json) -> Iterator[Difference]:
    """The differences of a stored move from the columns of its line."""
    if move.n != n:
        yield Difference(f"move {n}", "number", str(move.n), str(n))
    yield from _compared(f"move {n}", move, right)


def _in_game(stored: Stored, right: Json) -> Iterator[Difference]:
    yield from _compared("game", stored.row, {k: v for k, v in right.items() if k != "open"})
    asked = set(right["open"])
    if stored.open != asked:
        listed = [", ".join(sorted(decisions)) or "none" for decisions in (stored.open, asked)]
        yield Difference("game", "open decisions", *listed)


def _compared(where: str, row: Game | MoveRow, right: Json) -> Iterator[Difference]:
    for name, value in right.items():
        found = getattr(row, name)
        if found != _as_stored(value):
            yield Difference(where, name, _quoted(found), _quoted(value))


def rightly(row: Game, replayed: Replayed) -> Json:
    """The columns of the game after the replay, and the decisions that are open then."""
    game, opening, state = replayed.game, replayed.opening, replayed.state
    result, stored = result_by_rules(game, state), row.outcome
    if result is None and row.status == Status.finished and stored and ended_early(stored):
        result = early_result_again(game, state, stored)
    outcome = None if result is None else result.as_json()
    over = outcome is not None
    return {
        "status": Status.finished if over else Status.running,
        "commitment": commitment(_seed(row)),
        "opening": {"chance": draws_json(opening.chance), "events": opening.events},
        "moves": len(replayed.lines),
        "state": game.dump(state),
        "outcome": outcome,
        "open": {} if over else open_decisions(game, state),
    }


def _as_stored(value: object) -> object:
    """A value as it is read from a column of JSON or text."""
    return orjson.loads(orjson.dumps(value))


def _quoted(value: object) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
