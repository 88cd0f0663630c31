"""Who plays their seat themselves: missed times, a bot that keeps the seat, and coming back."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import select, update

from engine.contract import Json
from service.access.games import SeatAccess
from service.core.errors import Problem
from service.core.time_control import MOST_MISSES, bank_on_return
from service.db.models import Decision
from service.db.session import db
from service.games.decision_clock import time_for
from service.games.loaded_game import LoadedGame, load_game, must_run, with_seat
from service.games.persistence import (
    charge_absence,
    decision_entries,
    entries_for_all,
    set_seat,
    touch_game,
)
from service.notify.event_log import Entry, record_events


def note_miss(loaded: LoadedGame, number: int, at: datetime) -> LoadedGame:
    """Somebody's time was up. After several times in a row a bot keeps their seat; nobody is told
    of it here: a move locks decisions before people, and everything goes in that order."""
    seat = loaded.seats[number]
    changes = {"misses": seat.misses + 1}
    if changes["misses"] >= MOST_MISSES:
        changes |= {
            "bot": True,
            "away_since": at,
            "wants_to_end": False,
            "wants_pause": False,
        }
    set_seat(loaded, number, **changes)
    return with_seat(loaded, number, **changes)


def presence_entries(loaded: LoadedGame, number: int) -> list[Entry]:
    """Everybody at the table is told that somebody stays away, or came back."""
    seat = loaded.seats[number]
    kind = "seat.back" if seat.away_since is None else "seat.away"
    return entries_for_all(loaded, kind, {"seat": number, "name": seat.name})


def must_be_present(loaded: LoadedGame, number: int) -> None:
    """Refuse what only somebody may do who plays their seat themselves."""
    if loaded.seats[number].away_since is not None:
        raise Problem("seat_away", "A bot keeps your seat since you were away; take it back first.")


def come_back(access: SeatAccess, at: datetime) -> None:
    """Take the own seat back from the bot that keeps it, with fresh time for what is asked now.

    Who has not been away changes nothing."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned:
        raise Problem("resigned", "You have resigned from this game and cannot come back.")
    if loaded.seats[access.seat].away_since is not None:
        loaded = take_seat_back(loaded, access.seat, at)
        asked = _ask_again(loaded, access.seat, at)
        record_events(presence_entries(loaded, access.seat) + decision_entries(asked), at)


def take_seat_back(loaded: LoadedGame, number: int, at: datetime) -> LoadedGame:
    """From now on the owner of this seat plays again; whoever calls this also tells it."""
    seat = loaded.seats[number]
    changes = {
        "bot": False,
        "misses": 0,
        "away_since": None,
        "bank": bank_on_return(loaded.row.clock, seat.bank),
    }
    set_seat(loaded, number, **changes)
    touch_game(loaded.row.id, clocks_from=at)
    row = loaded.row._replace(version=loaded.row.version + 1)
    return replace(with_seat(loaded, number, **changes), row=row)


def _ask_again(loaded: LoadedGame, number: int, at: datetime) -> list[Json]:
    """What the bot has not answered yet is the owner's to answer, as if it had opened now."""
    open_now = (
        (Decision.game_id == loaded.row.id)
        & (Decision.seat == number)
        & Decision.closed_at.is_(None)
    )
    decision = db.session.scalars(select(Decision.id).where(open_now)).one_or_none()
    if decision is None:
        return []
    seat = loaded.seats[number]
    time = time_for(loaded.row, seat, at)
    asked = {"person_id": seat.person_id, "opened_at": at, **time}
    db.session.execute(
        update(Decision)
        .where(open_now)
        .values(**asked)
        .execution_options(synchronize_session=False)
    )
    charge_absence(loaded, seat, time)
    return [{"game_id": loaded.row.id, "id": decision, "seat": number, **asked}]
