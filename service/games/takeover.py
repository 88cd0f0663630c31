"""Takeover: a bot keeps the seat of an absent player until they come back."""

from dataclasses import replace
from datetime import datetime

from service.access.games import SeatAccess
from service.core.errors import Problem
from service.core.time_control import MOST_MISSES, bank_on_return
from service.games.decision_clock import Changes
from service.games.loaded_game import LoadedGame, load_game, must_run, with_seat
from service.games.persistence import (
    ask_again,
    decision_entries,
    entries_for_all,
    set_seat,
    touch_game,
)
from service.notify.event_log import Entry, record_events


def note_miss(loaded: LoadedGame, number: int, at: datetime) -> LoadedGame:
    """Count a time-out of a seat. After several in a row a bot keeps it; the caller records the
    events: a move locks decisions before people, and everything goes in that order."""
    seat = loaded.seats[number]
    misses = seat.misses + 1
    changes: Changes = {"misses": misses}
    if misses >= MOST_MISSES:
        changes |= {
            "bot": True,
            "away_since": at,
            "wants_to_end": False,
            "wants_pause": False,
        }
    set_seat(loaded, number, **changes)
    return with_seat(loaded, number, **changes)


def presence_entries(loaded: LoadedGame, number: int) -> list[Entry]:
    """The events for everybody at the table: a player stays away, or came back."""
    seat = loaded.seats[number]
    kind = "seat.back" if seat.away_since is None else "seat.away"
    return entries_for_all(loaded, kind, {"seat": number, "name": seat.name})


def must_be_present(loaded: LoadedGame, number: int) -> None:
    """Refuse an action of a player whose seat a bot keeps."""
    if loaded.seats[number].away_since is not None:
        raise Problem("seat_away", "A bot keeps your seat since you were away; take it back first.")


def come_back(access: SeatAccess, at: datetime) -> None:
    """Take the own seat back from the bot that keeps it, with fresh time for what is asked now.

    For a player who is not away it changes nothing."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned:
        raise Problem("resigned", "You have resigned from this game and cannot come back.")
    if loaded.seats[access.seat].away_since is not None:
        loaded = take_seat_back(loaded, access.seat, at)
        asked = ask_again(loaded, access.seat, at)
        record_events(presence_entries(loaded, access.seat) + decision_entries(asked), at)


def take_seat_back(loaded: LoadedGame, number: int, at: datetime) -> LoadedGame:
    """Let the owner of a seat play it again; the caller records the events."""
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
