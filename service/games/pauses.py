"""Pauses: all clocks of a game stand still; `agreements.py` has the votes for it."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import bindparam, select, update

from service.access.games import lock_game
from service.access.rows import DecisionRow, SeatRow
from service.core.time_control import PAUSE_FOR
from service.db.models import Decision, Seat
from service.db.session import execute, table
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
    """Stop the clocks if everybody who still plays wants that; the events of it."""
    wanted = [seat.wants_pause for seat in loaded.playing]
    if not wanted or not all(wanted) or loaded.row.paused_at is not None:
        return []
    until = at + PAUSE_FOR
    touch_game(loaded.row.id, paused_at=at, paused_until=until)
    change_open(loaded, lambda seat, decision: stopped(seat, decision, at))
    return entries_for_all(loaded, "game.paused", {"until": until})


def resume_if_over(game_id: str, at: datetime) -> bool:
    """End a pause that has reached its limit; whether it had."""
    row = lock_game(game_id)
    if row.paused_until is None or row.paused_until > at or row.frozen_at is not None:
        return False
    resume(load_game(row), at)
    return True


def resume(loaded: LoadedGame, at: datetime) -> None:
    """Let the clocks run again. Players get an event with their new deadline."""
    row, since = loaded.row, loaded.row.paused_at
    assert since is not None
    touch_game(row.id, **NO_PAUSE, clocks_from=at)
    execute(update(Seat).where(Seat.game_id == row.id).values(wants_pause=False))
    asked = change_open(
        loaded, lambda seat, decision: started_again(row, seat, decision, since, at)
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
    loaded: LoadedGame, change: Callable[[SeatRow, DecisionRow], tuple[Changes, Changes]]
) -> list[Changes]:
    """Change the open decisions of people and their seats; the changed decisions."""
    found: list[Changes] = []
    asked = [DecisionRow._make(row) for row in execute(_ASKED, {"game": loaded.row.id})]
    for decision in asked:
        of_decision, of_seat = change(loaded.seats[decision.seat], decision)
        own = (_DECISION.c.game_id == decision.game_id) & (_DECISION.c.id == decision.id)
        execute(update(_DECISION).where(own).values(**of_decision))
        if of_seat:
            set_seat(loaded, decision.seat, **of_seat)
        found.append(decision._asdict() | of_decision)
    return found
