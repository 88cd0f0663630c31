"""Pauses: all clocks of a game stand still while everybody who plays it wants that."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import bindparam, select, update

from service.access.games import SeatAccess, access_decided_game
from service.core.current_settings import settings
from service.core.errors import Refused
from service.core.rate_limits import check_rate
from service.core.time_control import PAUSE_FOR
from service.db.models import Decision, Seat
from service.db.session import AnyRow, db, execute, run, table
from service.db.statements import Prepared
from service.games.decision_clock import Changes, started_again, stopped
from service.games.loaded_game import Sitting, must_run, take_up, with_seat
from service.games.persistence import (
    NO_PAUSE,
    decision_entries,
    entries_for_all,
    set_seat,
    touch_game,
)
from service.games.presence import must_be_present
from service.notify.event_log import Entry, tell


def vote_for_pause(access: SeatAccess, at: datetime) -> datetime | None:
    """Say that the clocks may stand still. Until when they do, if that was the last vote."""
    sitting = _taken_up(access)
    until: datetime | None = sitting.row.paused_until
    if until is not None:
        return until
    news: list[Entry] = []
    if not sitting.seats[access.seat].wants_pause:
        check_offer_rate(access)
        set_seat(sitting, access.seat, wants_pause=True)
        sitting = with_seat(sitting, access.seat, wants_pause=True)
        touch_game(sitting.row.id)
        news += entries_for_all(sitting, "pause.offered", {"seat": access.seat})
    paused = pause_if_agreed(sitting, at)
    tell(news + paused, at)
    return at + PAUSE_FOR if paused else None


def check_offer_rate(access: SeatAccess) -> None:
    """Limit how often a seat offers to end or to pause the game, of which everybody at the table is
    told. Withdrawing is not limited, since it follows an offer."""
    check_rate(
        settings().limits.offers,
        "offer",
        f"{access.game.id}/{access.seat}",
        "too_many_offers",
        "You offer to end or pause the game too often",
    )


def end_pause(access: SeatAccess, at: datetime) -> None:
    """Let the clocks run again, or take the own vote back before they stand."""
    sitting = _taken_up(access)
    if sitting.row.paused_at is not None:
        _resume(sitting, at)
    elif sitting.seats[access.seat].wants_pause:
        set_seat(sitting, access.seat, wants_pause=False)
        touch_game(sitting.row.id)
        tell(entries_for_all(sitting, "pause.withdrawn", {"seat": access.seat}), at)


def _taken_up(access: SeatAccess) -> Sitting:
    sitting = take_up(access.game, access.seats)
    must_run(sitting)
    if access.resigned:
        raise Refused("resigned", "You have resigned; the others decide.")
    must_be_present(sitting, access.seat)
    return sitting


def pause_if_agreed(sitting: Sitting, at: datetime) -> list[Entry]:
    """Stop the clocks if everybody who still plays wants that; what people are to be told then."""
    wanted = [seat.wants_pause for seat in sitting.playing]
    if not wanted or not all(wanted) or sitting.row.paused_at is not None:
        return []
    until = at + PAUSE_FOR
    touch_game(sitting.row.id, paused_at=at, paused_until=until)
    change_open(sitting, lambda seat, decision: stopped(seat, decision, at))
    return entries_for_all(sitting, "game.paused", {"until": until})


def resume_if_over(game_id: str, at: datetime) -> bool:
    """End a pause that took as long as a pause may take; whether it did."""
    row = access_decided_game(game_id)
    if row.paused_until is None or row.paused_until > at or row.frozen_at is not None:
        return False
    _resume(take_up(row), at)
    return True


def _resume(sitting: Sitting, at: datetime) -> None:
    """Let the clocks run again. People are told anew until when they may decide."""
    row = sitting.row
    touch_game(row.id, **NO_PAUSE, clocks_from=at)
    db.session.execute(
        update(Seat)
        .where(Seat.game_id == row.id)
        .values(wants_pause=False)
        .execution_options(synchronize_session=False)
    )
    asked = change_open(
        sitting, lambda seat, decision: started_again(row, seat, decision, row.paused_at, at)
    )
    tell(entries_for_all(sitting, "game.resumed", {}) + decision_entries(asked), at)


_DECISION = table(Decision)
_ASKED = Prepared(
    select(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.closed_at.is_(None),
        _DECISION.c.person_id.is_not(None),
    )
    .order_by(_DECISION.c.id)
)


def change_open(
    sitting: Sitting, change: Callable[[AnyRow, AnyRow], tuple[Changes, Changes]]
) -> list[Changes]:
    """Change what people are asked, and their seats with it; the decisions as they are then."""
    found: list[Changes] = []
    for decision in run(_ASKED, {"game": sitting.row.id}):
        of_decision, of_seat = change(sitting.seats[decision.seat], decision)
        execute(
            update(_DECISION)
            .where(_DECISION.c.game_id == decision.game_id, _DECISION.c.id == decision.id)
            .values(**of_decision)
        )
        if of_seat:
            set_seat(sitting, decision.seat, **of_seat)
        found.append(decision._asdict() | of_decision)
    return found
