"""Early end of a game: agreed, won by resignation, or abandoned; and playing on after a win."""

from datetime import datetime

from engine.early_end import ABANDONED, AGREED, RESIGNED
from service.access.games import SeatAccess
from service.core.errors import Problem
from service.db.models import Status
from service.games.loaded_game import LoadedGame, load_game, must_not_be_frozen
from service.games.persistence import (
    NO_PAUSE,
    ask,
    clear_votes,
    close_decisions,
    decision_entries,
    entries_for_all,
    finished_entries,
    forget_unanswered,
    open_decisions,
    touch_game,
)
from service.games.results import early_result
from service.games.takeover import take_seat_back
from service.notify.event_log import Entry, record_events


def end_if_one_is_left(loaded: LoadedGame, at: datetime) -> list[Entry]:
    """End the game after a resignation unless two people or more are left in it.

    The last person wins, unless they chose to play on against bots. Returns the events of the end.
    """
    left = loaded.contenders
    if not left:
        return _end(loaded, ABANDONED, None, at)
    if len(left) > 1 or not _some_resigned(loaded) or loaded.row.played_on_at is not None:
        return []
    return _end(loaded, RESIGNED, left[0], at)


def abandon(loaded: LoadedGame, at: datetime) -> list[Entry]:
    """End the game without a winner; the events of the end."""
    return _end(loaded, ABANDONED, None, at)


def end_if_agreed(loaded: LoadedGame, at: datetime) -> list[Entry]:
    """End the game if everybody who still plays it wants that; the events of the end."""
    wanted = [seat.wants_to_end for seat in loaded.playing]
    if not wanted or not all(wanted):
        return []
    return _end(loaded, *how_it_would_end(loaded), at)


def how_it_would_end(loaded: LoadedGame) -> tuple[str, int | None]:
    """The reason and the last seat if everybody who still plays ended the game now.

    A person alone against bots abandons the game, or takes the win if others have resigned.
    """
    left = loaded.contenders
    if len(left) > 1:
        return AGREED, None
    return (RESIGNED, left[0]) if _some_resigned(loaded) and left else (ABANDONED, None)


def _some_resigned(loaded: LoadedGame) -> bool:
    return any(seat.resigned_at is not None for seat in loaded.seats)


def _end(loaded: LoadedGame, reason: str, last: int | None, at: datetime) -> list[Entry]:
    outcome = early_result(loaded.game, loaded.state, reason, last).as_json()
    touch_game(loaded.row.id, status=Status.finished, outcome=outcome, ended_at=at, **NO_PAUSE)
    clear_votes(loaded.row.id)
    close_decisions(loaded.row.id, at)
    return finished_entries(loaded, outcome)


def may_play_on(loaded: LoadedGame, seat: int | None) -> bool:
    """Whether this seat won by resignation and may play on against bots."""
    row = loaded.row
    return (
        row.status == Status.finished
        and loaded.outcome["reason"] == RESIGNED
        and loaded.outcome["winners"] == [seat]
        and row.played_on_at is None
    )


def play_on(access: SeatAccess, at: datetime) -> None:
    """Go on with a game that was won by resignation, against bots in the seats of the others.

    The result is then the one of the rules; ending the game early gives the win back.
    """
    loaded = load_game(access.game, access.seats)
    must_not_be_frozen(loaded)
    if not may_play_on(loaded, access.seat):
        raise Problem(
            "cannot_play_on", "Only the winner of a game that ended by resignation can play on."
        )
    game_id = loaded.row.id
    touch_game(
        game_id,
        status=Status.running,
        outcome=None,
        ended_at=None,
        played_on_at=at,
        clocks_from=at,
    )
    if loaded.seats[access.seat].away_since is not None:
        loaded = take_seat_back(loaded, access.seat, at)
    # The end closed these decisions without an answer; they open again with fresh time.
    forget_unanswered(game_id)
    asked = ask(loaded, open_decisions(loaded.game, loaded.state), {}, at)
    entries = entries_for_all(loaded, "game.played_on", {"seat": access.seat})
    record_events(entries + decision_entries(asked), at)
