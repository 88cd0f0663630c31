"""Repair of games that differ from their logs.

The log is the truth: `repair` writes everything else again from it, `thaw` lets a frozen game go on
that agrees with it.
"""

from collections.abc import Set
from datetime import datetime

from sqlalchemy import delete, insert, update

from engine.contract import Json
from service.access.games import lock_game
from service.access.rows import GameRow
from service.db.models import Decision, Move, Status
from service.db.session import execute, transact
from service.games.agreements import settle_votes
from service.games.decision_clock import thawed
from service.games.loaded_game import load_game
from service.games.pauses import change_open
from service.games.persistence import (
    NO_PAUSE,
    ask,
    decision_entries,
    entries_for_all,
    finished_entries,
    line_columns,
    touch_game,
)
from service.games.replay_check import (
    CannotMend,
    Difference,
    Replayed,
    Stored,
    differences_in,
    in_line,
    replayed_game,
    rightly,
    stored_game,
)
from service.notify.event_log import Entry, record_events


def repair(game_id: str, at: datetime) -> tuple[Difference, ...]:
    """Write the game again from its log, and thaw it; the differences it had.

    Raises CannotMend if the log cannot be replayed to its end.
    """
    return transact(lambda: _repair(game_id, at))


def _repair(game_id: str, at: datetime) -> tuple[Difference, ...]:
    row = _locked(game_id)
    stored = stored_game(game_id)
    differences = differences_in(stored)
    replayed = replayed_game(stored.row, stored.moves)
    if replayed.trouble is not None:
        raise CannotMend(
            f"The log of game {game_id} cannot be followed ({replayed.trouble.place}), so nothing "
            "can be made of it; bring its moves back from a backup."
        )
    entries: list[Entry] = []
    if not differences:
        if row.frozen_at is not None:
            entries = _let_go_on(row, at)
    else:
        right = rightly(stored.row, replayed)
        asked = right.pop("open")
        over = right["status"] == Status.finished
        _write_log(stored, replayed)
        _write_game(row, right, over, at)
        _close(game_id, stored.open - asked.keys(), at)
        if row.frozen_at is not None:
            entries += _let_go_on(row, at)
        if over and row.status == Status.running:
            entries += finished_entries(load_game(row), right["outcome"])
        # Decisions that open now have fresh time, and none to be given back.
        new = {key: seat for key, seat in asked.items() if key not in stored.open}
        entries += decision_entries(_ask(game_id, new, at))
    record_events(entries + settle_votes(game_id, at), at)
    return differences


def _write_game(row: GameRow, right: Json, over: bool, at: datetime) -> None:
    """Store the game as it should be."""
    if over:
        touch_game(row.id, **right, **NO_PAUSE, ended_at=row.ended_at or at)
    else:
        touch_game(row.id, **right, clocks_from=at, ended_at=None)


def _write_log(stored: Stored, replayed: Replayed) -> None:
    """Replace the lines that are not what they should be."""
    game_id = stored.row.id
    for n, (move, line) in enumerate(zip(stored.moves, replayed.lines), start=1):
        columns = line_columns(replayed.game, line)
        if any(in_line(n, move, columns)):
            execute(delete(Move).where(Move.game_id == game_id, Move.n == move.n))
            execute(insert(Move), {"game_id": game_id, "n": n, "at": move.at, **columns})


def _close(game_id: str, decisions: Set[str], at: datetime) -> None:
    """Close decisions that should not be open."""
    closed = update(Decision).where(Decision.game_id == game_id, Decision.id.in_(decisions))
    execute(closed.values(closed_at=at))


def _ask(game_id: str, decisions: dict[str, int], at: datetime) -> list[Json]:
    """Open decisions that should be open."""
    execute(delete(Decision).where(Decision.game_id == game_id, Decision.id.in_(decisions)))
    return ask(load_game(lock_game(game_id)), decisions, {}, at)


def thaw(game_id: str, at: datetime) -> None:
    """Let a frozen game go on; raises CannotMend if it still differs from its log."""
    transact(lambda: _thaw(game_id, at))


def _thaw(game_id: str, at: datetime) -> None:
    row = _locked(game_id)
    if row.frozen_at is None:
        raise CannotMend(f"Game {game_id} is not frozen.")
    differences = differences_in(stored_game(game_id))
    if differences:
        raise CannotMend(
            f"Game {game_id} still differs from its log ({differences[0].place}); repair it."
        )
    entries = _let_go_on(row, at)
    record_events(entries + settle_votes(game_id, at), at)


def _locked(game_id: str) -> GameRow:
    stored_game(game_id)  # raises for an unknown or unreadable game
    return lock_game(game_id)


def _let_go_on(row: GameRow, at: datetime) -> list[Entry]:
    """Let a game go on as if its clocks had stopped when it was frozen; the events of it. In a
    pause the clocks stand in any case."""
    touch_game(row.id, frozen_at=None, frozen_why=None, clocks_from=at)
    loaded = load_game(row)
    asked: list[Json] = []
    if row.paused_at is None:
        asked = change_open(loaded, lambda seat, decision: thawed(row, seat, decision, at))
    return entries_for_all(loaded, "game.thawed", {}) + decision_entries(asked)
