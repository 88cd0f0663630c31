"""Pauses: all clocks of a game stand still; `agreements.py` has the votes for it."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import bindparam, select, update

from service.access.games import access_decided_game
from service.access.rows import DecisionRow
from service.core.time_control import PAUSE_FOR
from service.db.models import Decision, Seat
from service.db.session import AnyRow, db, execute, table
from service.games.decision_clock import Changes, started_again, stopped
from service.games.loaded_game import LoadedGame, load_game
from service.games.persistence import (
    NO_PAUSE,
    decision_entries,
    entries_for_all,
    set_seat,
    touch_game,
)
from service.notify.event_log import Entry, record_events


def pause_if_agreed(loaded: LoadedGame, at: datetime) -> list[Entry]:
    """Stop the clocks if everybody who still plays wants that; what people are to be told then."""
    wanted = [seat.wants_pause for seat in loaded.playing]
    if not wanted or not all(wanted) or loaded.row.paused_at is not None:
        return []
    until = at + PAUSE_FOR
    touch_game(loaded.row.id, paused_at=at, paused_until=until)
    change_open(loaded, lambda seat, decision: stopped(seat, decision, at))
    return entries_for_all(loaded, "game.paused", {"until": until})


def resume_if_over(game_id: str, at: datetime) -> bool:
    """End a pause that took as long as a pause may take; whether it did."""
    row = access_decided_game(game_id)
    if row.paused_until is None or row.paused_until > at or row.frozen_at is not None:
        return False
    resume(load_game(row), at)
    return True


def resume(loaded: LoadedGame, at: datetime) -> None:
    """Let the clocks run again. People are told anew until when they may decide."""
    row = loaded.row
    touch_game(row.id, **NO_PAUSE, clocks_from=at)
    db.session.execute(
        update(Seat)
        .where(Seat.game_id == row.id)
        .values(wants_pause=False)
        .execution_options(synchronize_session=False)
    )
    asked = change_open(
        loaded, lambda seat, decision: started_again(row, seat, decision, row.paused_at, at)
    )
    record_events(entries_for_all(loaded, "game.resumed", {}) + decision_entries(asked), at)


_DECISION = table(Decision)
_ASKED = (
    select(*_DECISION.c[DecisionRow._fields])
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.closed_at.is_(None),
        _DECISION.c.person_id.is_not(None),
    )
    .order_by(_DECISION.c.id)
)


def change_open(
    loaded: LoadedGame, change: Callable[[AnyRow, AnyRow], tuple[Changes, Changes]]
) -> list[Changes]:
    """Change what people are asked, and their seats with it; the decisions as they are then."""
    found: list[Changes] = []
    asked = [DecisionRow._make(row) for row in execute(_ASKED, {"game": loaded.row.id})]
    for decision in asked:
        of_decision, of_seat = change(loaded.seats[decision.seat], decision)
        execute(
            update(_DECISION)
            .where(_DECISION.c.game_id == decision.game_id, _DECISION.c.id == decision.id)
            .values(**of_decision)
        )
        if of_seat:
            set_seat(loaded, decision.seat, **of_seat)
        found.append(decision._asdict() | of_decision)
    return found
