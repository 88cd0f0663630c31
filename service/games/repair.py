"""Repairing: games that were found to differ from their logs go on, as the logs say.

The log is the truth: `repair` writes anew what follows from it, `thaw` lets a game go on that is as
it should be.
"""

from collections.abc import Set
from datetime import datetime

from sqlalchemy import delete, insert, update

from engine.contract import Json
from service.access.games import access_decided_game
from service.db.models import Decision, Move, Status
from service.db.session import AnyRow, db, transact
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
    """Write anew what follows from the log, and thaw the game; what was wrong.

    The log is the truth: raises CannotMend if it cannot be followed to its end.
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
        # What is asked now has fresh time, and nothing to be given back.
        new = {key: seat for key, seat in asked.items() if key not in stored.open}
        entries += decision_entries(_ask(game_id, new, at))
    record_events(entries + settle_votes(game_id, at), at)
    return differences


def _write_game(row: AnyRow, right: Json, over: bool, at: datetime) -> None:
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
    return ask(load_game(access_decided_game(game_id)), decisions, {}, at)


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


def _locked(game_id: str) -> AnyRow:
    stored_game(game_id)  # says so if there is no such game, or if it cannot be read
    return access_decided_game(game_id)


def _let_go_on(row: AnyRow, at: datetime) -> list[Entry]:
    """Let a game go on as if its clocks had been stopped when it was frozen; what people are to
    be told then. In a pause they stand all the same."""
    touch_game(row.id, frozen_at=None, frozen_why=None, clocks_from=at)
    loaded = load_game(row)
    asked: list[Json] = []
    if row.paused_at is None:
        asked = change_open(loaded, lambda seat, decision: thawed(row, seat, decision, at))
    return entries_for_all(loaded, "game.thawed", {}) + decision_entries(asked)
