"""Agreements of the players: votes to end or to pause a game, and resigning from it.

A vote holds until it is withdrawn. Everything that leaves fewer players counts the votes again.
"""

from datetime import datetime

from service.access.games import SeatAccess, lock_game
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.rate_limits import check_rate
from service.core.time_control import PAUSE_FOR
from service.core.worker_signal import wake
from service.games.early_end import end_if_agreed, end_if_one_is_left
from service.games.loaded_game import LoadedGame, load_game, must_run, with_seat
from service.games.pauses import pause_if_agreed, resume
from service.games.persistence import entries_for_all, give_to_bot, set_seat, touch_game
from service.games.takeover import must_be_present
from service.notify.event_log import Entry, record_events


def resign(access: SeatAccess, at: datetime) -> None:
    """Give the seat up. With two others or more a bot plays it to the end; one other has won."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned:
        raise Problem("resigned", "You have resigned already.")
    give_up(loaded, access.seat, at)


def give_up(loaded: LoadedGame, seat: int, at: datetime) -> None:
    """Give the seat of a player up for good: a bot plays on, unless fewer than two people are left
    or all others wanted to end the game.

    The votes of a frozen game are counted when it is thawed: its position may be wrong.
    """
    set_seat(
        loaded,
        seat,
        bot=True,
        resigned_at=at,
        away_since=None,
        wants_to_end=False,
        wants_pause=False,
    )
    give_to_bot(loaded.row.id, seat)
    wake("bots")
    touch_game(loaded.row.id)
    entries = entries_for_all(loaded, "seat.resigned", {"seat": seat})
    if not loaded.frozen:
        entries += settle_votes(loaded.row.id, at)
    record_events(entries, at)


def settle_votes(game_id: str, at: datetime) -> list[Entry]:
    """Count the votes again when fewer people play a game, or it goes on: end it if one player is
    left, end or pause it if everybody who still plays wants that. Returns the events."""
    loaded = load_game(lock_game(game_id))
    if not loaded.running:
        return []
    return (
        end_if_one_is_left(loaded, at) or end_if_agreed(loaded, at) or pause_if_agreed(loaded, at)
    )


def offer_to_end(access: SeatAccess, at: datetime) -> bool:
    """Vote to end the game as it stands; whether it ended, since all people agree.

    A person alone against bots has nobody to ask: the game is abandoned at once."""
    loaded = _voting(access)
    entries: list[Entry] = []
    if not loaded.seats[access.seat].wants_to_end:
        _check_offer_rate(access)
        set_seat(loaded, access.seat, wants_to_end=True)
        loaded = with_seat(loaded, access.seat, wants_to_end=True)
        touch_game(loaded.row.id)
        if len(loaded.contenders) > 1:
            entries += entries_for_all(loaded, "end.offered", {"seat": access.seat})
    ended = end_if_agreed(loaded, at)
    record_events(entries + ended, at)
    return bool(ended)


def withdraw_offer(access: SeatAccess, at: datetime) -> None:
    """Withdraw the vote to end the game."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if loaded.seats[access.seat].wants_to_end:
        set_seat(loaded, access.seat, wants_to_end=False)
        touch_game(loaded.row.id)
        record_events(entries_for_all(loaded, "end.withdrawn", {"seat": access.seat}), at)


def vote_for_pause(access: SeatAccess, at: datetime) -> datetime | None:
    """Vote for a pause; the end of the pause if that was the last vote."""
    loaded = _voting(access)
    until: datetime | None = loaded.row.paused_until
    if until is not None:
        return until
    entries: list[Entry] = []
    if not loaded.seats[access.seat].wants_pause:
        _check_offer_rate(access)
        set_seat(loaded, access.seat, wants_pause=True)
        loaded = with_seat(loaded, access.seat, wants_pause=True)
        touch_game(loaded.row.id)
        entries += entries_for_all(loaded, "pause.offered", {"seat": access.seat})
    paused = pause_if_agreed(loaded, at)
    record_events(entries + paused, at)
    return at + PAUSE_FOR if paused else None


def end_pause(access: SeatAccess, at: datetime) -> None:
    """End a pause, or withdraw the own vote for one."""
    loaded = _voting(access)
    if loaded.row.paused_at is not None:
        resume(loaded, at)
    elif loaded.seats[access.seat].wants_pause:
        set_seat(loaded, access.seat, wants_pause=False)
        touch_game(loaded.row.id)
        record_events(entries_for_all(loaded, "pause.withdrawn", {"seat": access.seat}), at)


def _voting(access: SeatAccess) -> LoadedGame:
    """The game in which the caller may vote."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned:
        raise Problem("resigned", "You have resigned; the others decide.")
    must_be_present(loaded, access.seat)
    return loaded


def _check_offer_rate(access: SeatAccess) -> None:
    """Limit the votes of a seat, since each is an event for everybody at the table. Withdrawing is
    not limited, since it follows a vote."""
    check_rate(
        settings().limits.offers,
        "offer",
        f"{access.game.id}/{access.seat}",
        "too_many_offers",
        "You offer to end or pause the game too often",
    )
