"""Auditing: is what is stored of a game what its seed and its moves lead to?

A game is played again from its seed, through the one door, and everything that is kept of it is
compared: every line of the log, the state, the number of moves, the outcome and the decisions that
are open. A game that differs is frozen, so that nobody plays on from a position that never was;
all others go on. `repair` writes anew what follows from the log, `thaw` lets the game go on.
"""

from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import Any, NamedTuple

import orjson
import structlog
from prometheus_client import Counter
from sqlalchemy import bindparam, delete, insert, select, update

from engine import door
from engine.chance import commitment
from engine.contract import AnyGame, Json
from engine.door import Line, Opening
from engine.errors import BadSetup
from engine.registry import game_by_key
from service.access import access_decided_game
from service.database import AnyRow, db, is_passing, logged, run, snapshot, table, transact
from service.ledger import (
    NO_PAUSE,
    ask,
    decision_entries,
    draws_json,
    entries_for_all,
    finished_entries,
    line_columns,
    open_decisions,
    outcome_json,
    touch_game,
)
from service.looking import moves_of
from service.models import Bookmark, Decision, Game, Move, Person, Seat, Status
from service.pausing import change_open
from service.play import AGREED, agreed_outcome, settle_votes
from service.sitting import take_up
from service.statements import Prepared
from service.telling import Entry, tell
from service.timekeeping import thawed

log = structlog.get_logger()

AUDITED = Counter("laguna_audited_games_total", "Games that were played again and compared")
DIFFERENCES = Counter(
    "laguna_audit_differences_total", "Games whose stored state is not what their moves lead to"
)
BEGUN = (Status.running, Status.finished)
BOOKMARK = "audit"
LONGEST_WHY = 200
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


class Audit(NamedTuple):
    """How a game was found."""

    game_id: str
    differences: tuple[Difference, ...]
    frozen: bool  # by this audit
    unknown: str | None = None  # why it could not be played again here

    @property
    def clean(self) -> bool:
        return not self.differences and self.unknown is None


UNREADABLE = Difference("game", "cannot be read", "", "")


class CannotMend(Exception):
    """What was asked for a game cannot be done, in a sentence."""


class _Unreadable(CannotMend):
    """Something that is stored of a game is not even of the form in which it is kept."""


class _Stored(NamedTuple):
    """Everything kept of a game that follows from its seed and its moves."""

    row: AnyRow
    moves: Sequence[AnyRow]
    open: frozenset[str]  # ids of open decisions


class _Replayed(NamedTuple):
    """A game played again, as far as its log can be followed."""

    game: AnyGame
    opening: Opening
    lines: tuple[Line, ...]
    trouble: Difference | None  # why it cannot be followed to its end

    @property
    def state(self) -> Any:
        return self.lines[-1].state if self.lines else self.opening.start


def audit_game(game_id: str, at: datetime) -> Audit:
    """Compare one game with its log; a running one that differs is frozen.

    It is read at one instant and without a lock, since nearly all games are as they should be. What
    differs is looked at again under the lock of the game, before anything is said about it.
    Whatever is wrong with one game is told of this one, and keeps nobody from auditing others.
    """
    try:
        audit = _audited(game_id, at)
    except CannotMend:
        raise
    except BadSetup as error:  # of a newer release, perhaps: nothing is known to be wrong
        log.error("game_not_audited", game=game_id, reason=str(error))
        return Audit(game_id, (), False, str(error))
    except Exception as error:
        if is_passing(error):
            raise
        log.error("game_not_audited", game=game_id, **logged(error))
        return Audit(game_id, (), False, "something else went wrong; the log says more")
    if audit.differences:
        DIFFERENCES.inc()
        log.critical(
            "audit_difference",
            game=game_id,
            frozen=audit.frozen,
            differences=[difference.place for difference in audit.differences[:10]],
        )
    return audit


def _audited(game_id: str, at: datetime) -> Audit:
    with snapshot():
        stored = _read(game_id)
    AUDITED.inc()
    if not _differences(stored):
        return Audit(game_id, (), False)
    return transact(lambda: _freeze(game_id, at))


def audit_some(at: datetime, most: int) -> int:
    """Audit the running games that were audited longest ago; how many that were.

    Games are taken in the order of their ids, and a bookmark tells where the last round ended: one
    small row is written for each round, nothing for each game, and every game has its turn before
    any has a second. The bookmark moves first, so that a game which kills the process is not
    met again by every round.
    """
    games = transact(lambda: _next_games(most))
    for game_id in games:
        audit_game(game_id, at)
    return len(games)


def games_to_audit(finished: bool) -> list[str]:
    """The running games, and those that are over too if they are wanted, in the order of ids."""
    wanted = BEGUN if finished else (Status.running,)
    return list(
        db.session.scalars(select(Game.id).where(Game.status.in_(wanted)).order_by(Game.id))
    )


def _next_games(most: int) -> list[str]:
    place = db.session.scalar(select(Bookmark.place).where(Bookmark.name == BOOKMARK))
    running = (
        select(Game.id)
        .where(Game.status == Status.running, Game.frozen_at.is_(None))
        .order_by(Game.id)
        .limit(most)
    )
    games = list(db.session.scalars(running.where(Game.id > (place or ""))))
    if place is not None and len(games) < most:  # from the beginning again
        games += db.session.scalars(running.where(Game.id <= place).limit(most - len(games)))
    if games and place is None:
        db.session.add(Bookmark(name=BOOKMARK, place=games[-1]))
    elif games:
        db.session.execute(
            update(Bookmark).where(Bookmark.name == BOOKMARK).values(place=games[-1])
        )
    return games


def _read(game_id: str) -> _Stored | None:
    """What is kept of a game; None if it cannot be read."""
    try:
        return _stored(game_id)
    except _Unreadable as error:
        log.warning("game_not_read", game=game_id, error=type(error.__cause__).__name__)
        return None


def _stored(game_id: str) -> _Stored:
    status = db.session.scalar(select(Game.status).where(Game.id == game_id))
    if status is None:
        raise CannotMend(f"There is no game {game_id[:40]}.")
    if status not in BEGUN:
        raise CannotMend(f"Game {game_id} is {status}: it has no moves that could be audited.")
    try:
        row = db.session.execute(select(Game.__table__).where(Game.id == game_id)).one()
        moves = moves_of(game_id, -1, 2**31 - 1)
    except Exception as error:  # whatever is wrong with what is stored there
        if is_passing(error):
            raise
        raise _Unreadable(
            f"What is stored of game {game_id} cannot be read; bring it back from a backup."
        ) from error
    decisions = db.session.scalars(
        select(Decision.id).where(Decision.game_id == game_id, Decision.closed_at.is_(None))
    )
    return _Stored(row, moves, frozenset(decisions))


# Playing again


def _replayed(row: AnyRow, moves: Sequence[AnyRow]) -> _Replayed:
    """Play the log through the door; raises BadSetup if we do not know these rules, CannotMend if
    the game does not even begin."""
    game = game_by_key(row.game, row.rules)
    try:
        opening = door.begin(game, row.seats, row.options, row.seed)
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
                waiting += door.play(
                    game, state, row.seed, move.seat, move.decision, move.move, move.via
                ).lines
            except Exception as error:  # whatever is wrong with what is stored there
                told = Difference(f"move {move.n}", "cannot be played", _quoted(move.move), "")
                log.warning("move_not_replayed", game=row.id, n=move.n, error=type(error).__name__)
                return _Replayed(game, opening, tuple(lines), told)
        lines.append(waiting.pop(0))
        state = lines[-1].state
    trouble = None
    if waiting or row.moves > len(moves):  # the log has lost its end
        wanted = waiting[0].decision if waiting else ""
        trouble = Difference(f"move {len(lines) + 1}", "is missing", "", wanted)
    return _Replayed(game, opening, tuple(lines), trouble)


def _differences(stored: _Stored | None) -> tuple[Difference, ...]:
    if stored is None:
        return (UNREADABLE,)
    row = stored.row
    try:
        replayed = _replayed(row, stored.moves)
    except CannotMend:
        return (Difference("game", "cannot be set up", "", ""),)
    found = [
        difference
        for n, (move, line) in enumerate(zip(stored.moves, replayed.lines), start=1)
        for difference in _in_line(n, move, line_columns(replayed.game, line))
    ]
    if replayed.trouble is not None:  # where it leads to is not known then
        return (*found, replayed.trouble)
    return (*found, *_in_game(stored, _rightly(row, replayed)))


def _in_line(n: int, move: AnyRow, right: Json) -> Iterator[Difference]:
    if move.n != n:
        yield Difference(f"move {n}", "number", str(move.n), str(n))
    yield from _compared(f"move {n}", move, right)


def _in_game(stored: _Stored, right: Json) -> Iterator[Difference]:
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


def _rightly(row: AnyRow, replayed: _Replayed) -> Json:
    """The columns of the game as its log leads to them, and the decisions that are open then."""
    game, opening, state = replayed.game, replayed.opening, replayed.state
    ended = game.outcome(state)
    outcome = ended and outcome_json(ended)
    if ended is None and row.status == Status.finished and _was_agreed(row.outcome):
        outcome = agreed_outcome(game, state)
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


def _was_agreed(outcome: object) -> bool:
    return isinstance(outcome, dict) and outcome.get("reason") == AGREED


def _as_stored(value: Any) -> Any:
    """A value as it comes back from a column of JSON or text."""
    return orjson.loads(orjson.dumps(value))


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


# Freezing, mending, thawing

_GAME, _SEAT, _PERSON = table(Game), table(Seat), table(Person)
_STATUS_LOCKED = Prepared(
    select(*_GAME.c["status", "frozen_at"]).where(_GAME.c.id == bindparam("game")).with_for_update()
)
_AT_THE_TABLE = Prepared(
    select(_SEAT.c.person_id)
    .select_from(_SEAT.join(_PERSON, _PERSON.c.id == _SEAT.c.person_id))
    .where(_SEAT.c.game_id == bindparam("game"), _PERSON.c.deleted_at.is_(None))
    .order_by(_SEAT.c.number)
)


def _freeze(game_id: str, at: datetime) -> Audit:
    """Look again under the lock; freeze a running game that differs still.

    No more of it is read for that than any game has, or some could not be frozen.
    """
    row = run(_STATUS_LOCKED, {"game": game_id}).one()
    differences = _differences(_read(game_id))
    frozen = bool(differences) and row.status == Status.running and row.frozen_at is None
    if frozen:
        why = "; ".join(difference.place for difference in differences)
        touch_game(game_id, frozen_at=at, frozen_why=why[:LONGEST_WHY])
        people = run(_AT_THE_TABLE, {"game": game_id})
        # what is wrong might give something away
        tell([Entry(one.person_id, "game.frozen", game_id, {}) for one in people], at)
    return Audit(game_id, differences, frozen)


def repair(game_id: str, at: datetime) -> tuple[Difference, ...]:
    """Write anew what follows from the log, and thaw the game; what was wrong.

    The log is the truth: raises CannotMend if it cannot be followed to its end.
    """
    return transact(lambda: _repair(game_id, at))


def _repair(game_id: str, at: datetime) -> tuple[Difference, ...]:
    row = _locked(game_id)
    stored = _stored(game_id)
    differences = _differences(stored)
    replayed = _replayed(stored.row, stored.moves)
    if replayed.trouble is not None:
        raise CannotMend(
            f"The log of game {game_id} cannot be followed ({replayed.trouble.place}), so nothing "
            "can be made of it; bring its moves back from a backup."
        )
    news: list[Entry] = []
    if not differences:
        if row.frozen_at is not None:
            news = _let_go_on(row, at)
    else:
        right = _rightly(stored.row, replayed)
        asked = right.pop("open")
        over = right["status"] == Status.finished
        _write_log(stored, replayed)
        _write_game(row, right, over, at)
        _close(game_id, stored.open - asked.keys(), at)
        if row.frozen_at is not None:
            news += _let_go_on(row, at)
        if over and row.status == Status.running:
            news += finished_entries(take_up(row), right["outcome"])
        # What is asked now has fresh time, and nothing to be given back.
        new = {key: seat for key, seat in asked.items() if key not in stored.open}
        news += decision_entries(_ask(game_id, new, at))
    tell(news + settle_votes(game_id, at), at)
    return differences


def _write_game(row: AnyRow, right: Json, over: bool, at: datetime) -> None:
    """Store the game as it should be."""
    if over:
        touch_game(row.id, **right, **NO_PAUSE, ended_at=row.ended_at or at)
    else:
        touch_game(row.id, **right, clocks_from=at, ended_at=None)


def _write_log(stored: _Stored, replayed: _Replayed) -> None:
    """Replace the lines that are not what they should be."""
    game_id = stored.row.id
    for n, (move, line) in enumerate(zip(stored.moves, replayed.lines), start=1):
        columns = line_columns(replayed.game, line)
        if any(_in_line(n, move, columns)):
            db.session.execute(delete(Move).where(Move.game_id == game_id, Move.n == move.n))
            db.session.execute(insert(Move), {"game_id": game_id, "n": n, "at": move.at, **columns})


def _close(game_id: str, decisions: Set[str], at: datetime) -> None:
    """Close what nobody should be asked."""
    db.session.execute(
        update(Decision)
        .where(Decision.game_id == game_id, Decision.id.in_(decisions))
        .values(closed_at=at)
        .execution_options(synchronize_session=False)
    )


def _ask(game_id: str, decisions: dict[str, int], at: datetime) -> list[Json]:
    """Ask what nobody was asked, or what was taken for answered."""
    db.session.execute(
        delete(Decision)
        .where(Decision.game_id == game_id, Decision.id.in_(decisions))
        .execution_options(synchronize_session=False)
    )
    return ask(take_up(access_decided_game(game_id)), decisions, {}, at)


def thaw(game_id: str, at: datetime) -> None:
    """Let a frozen game go on; raises CannotMend if it still differs from its log."""
    transact(lambda: _thaw(game_id, at))


def _thaw(game_id: str, at: datetime) -> None:
    row = _locked(game_id)
    if row.frozen_at is None:
        raise CannotMend(f"Game {game_id} is not frozen.")
    differences = _differences(_stored(game_id))
    if differences:
        raise CannotMend(
            f"Game {game_id} still differs from its log ({differences[0].place}); repair it."
        )
    news = _let_go_on(row, at)
    tell(news + settle_votes(game_id, at), at)


def _locked(game_id: str) -> AnyRow:
    _stored(game_id)  # says so if there is no such game, or if it cannot be read
    return access_decided_game(game_id)


def _let_go_on(row: AnyRow, at: datetime) -> list[Entry]:
    """Let a game go on as if its clocks had been stopped when it was frozen; what people are to
    be told then. In a pause they stand all the same."""
    touch_game(row.id, frozen_at=None, frozen_why=None, clocks_from=at)
    sitting = take_up(row)
    asked: list[Json] = []
    if row.paused_at is None:
        asked = change_open(sitting, lambda seat, decision: thawed(row, seat, decision, at))
    return entries_for_all(sitting, "game.thawed", {}) + decision_entries(asked)
