"""Tables: joining and leaving one, and the start of its game."""

import secrets
from datetime import datetime

from sqlalchemy import select, update

from engine import play
from engine.chance import SEED_BYTES, commitment
from service.access.accounts import access_own_account, accounts_of_same_person
from service.access.credentials import Caller
from service.access.games import GameAccess, KnownAccess, SeatAccess, lock_game
from service.access.rows import GameRow
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.rate_limits import check_rate
from service.db.models import Game, Invitation, Seat, Status, Visibility
from service.db.session import count_rows, execute
from service.games.loaded_game import LoadedGame, load_game
from service.games.persistence import (
    ask,
    decision_entries,
    draws_json,
    entries_for_all,
    insert_moves,
    open_decisions,
    set_seat,
    touch_game,
)
from service.games.results import result_by_rules
from service.notify.event_log import Entry, record_events

BOT_NAMES = ("Bianca", "Corrado", "Donata", "Ettore")


def check_running_games(caller: Caller) -> None:
    """Refuse another game to a person who plays as many as is allowed."""
    most = settings().limits.running_games
    own = select(Seat.game_id).where(Seat.person_id.in_(accounts_of_same_person(caller.person_id)))
    count = count_rows(Game.status == Status.running, Game.id.in_(own))
    if count >= most:
        raise Problem(
            "too_many_games", f"You and your bots play {count} games; finish one before the next."
        )


def join(
    access: KnownAccess, at: datetime, invitation: str | None = None, as_invited: bool = False
) -> int:
    """Take the first free seat and return its number; the table starts when it was the last.

    `invitation` is the id of one that lets the caller in; `as_invited` needs none.
    """
    caller, row = access.caller, access.game
    if access.seat is not None:
        raise Problem("already_seated", f"You have seat {access.seat} at this table.")
    must_be_open(row)
    by_invitation = row.visibility == Visibility.invitation
    if by_invitation and invitation is None and not as_invited:
        raise Problem("invitation_needed", "Ask the host of this table for an invitation.")
    loaded = load_game(row)
    free = loaded.free
    if not free:
        raise Problem("table_full", "All seats of this table are taken.")
    if access_own_account(caller).deleted_at is not None:  # while this request waited for the lock
        raise Problem("invalid_token", "This account was deleted.")
    check_running_games(caller)
    check_rate(
        settings().limits.joins,
        "join",
        caller.owner_id or caller.person_id,
        "too_many_joins",
        "You join tables too often",
    )
    number = free[0]
    set_seat(loaded, number, person_id=caller.person_id, name=caller.name)
    if invitation is not None:
        used = {"used_by": caller.person_id}
        execute(update(Invitation).where(Invitation.id == invitation).values(used))
    touch_game(row.id)
    joined = {"seat": number, "name": caller.name}
    record_events(entries_for_all(loaded, "table.joined", joined), at)
    start_when_full(row.id, at)
    return number


def leave(access: SeatAccess, at: datetime) -> None:
    """Leave a table before it starts."""
    must_be_open(access.game)
    give_seat_back(load_game(access.game), access.seat, at)


def give_seat_back(loaded: LoadedGame, number: int, at: datetime) -> None:
    """Free a seat. A host who leaves hands the table on; the last person closes it.

    The note and settings of the seat go, too: its next player must not see them."""
    row, leaver = loaded.row, loaded.seats[number]
    set_seat(loaded, number, person_id=None, name="", note="", quiet=False)
    others = [person for seat, person in loaded.people if seat != number]
    if not others:
        touch_game(row.id, status=Status.cancelled, ended_at=at)
        return
    touch_game(row.id, host_id=others[0] if row.host_id == leaver.person_id else row.host_id)
    left = {"seat": number, "name": leaver.name}
    record_events([Entry(person, "table.left", row.id, left) for person in others], at)


def cancel(access: GameAccess, at: datetime) -> None:
    """Close a table before it starts."""
    must_be_open(access.game)
    loaded = load_game(access.game)
    touch_game(access.game.id, status=Status.cancelled, ended_at=at)
    record_events(entries_for_all(loaded, "table.cancelled", {}), at)


def start(access: GameAccess, bots: bool, at: datetime) -> None:
    """Start a table that is not full: bots take the free seats, if that is wanted."""
    must_be_open(access.game)
    loaded = load_game(access.game)
    free = loaded.free
    if free and not bots:
        raise Problem(
            "seats_free",
            f"{len(free)} seats are free; wait, invite somebody, or start with bots in them.",
        )
    for number in free:
        set_seat(loaded, number, bot=True, name=BOT_NAMES[number])
    start_when_full(access.game.id, at)


def must_be_open(row: GameRow) -> None:
    """Raise unless the table is open."""
    if row.status != Status.open:
        raise Problem("not_open", f"The game is {row.status}; its table is no longer open.")


def start_when_full(game_id: str, at: datetime) -> None:
    """Start the game of a table whose seats are all taken."""
    loaded = load_game(lock_game(game_id))
    if not loaded.free:
        _start(loaded, at)


def _start(loaded: LoadedGame, at: datetime) -> None:
    """Start the game: seed and commitment, the opening, the first decisions."""
    game, row = loaded.game, loaded.row
    seed = secrets.token_bytes(SEED_BYTES)
    opening = play.begin(game, row.seats, row.options, seed)
    result = result_by_rules(game, opening.state)
    touch_game(
        row.id,
        status=Status.running if result is None else Status.finished,
        seed=seed,
        commitment=commitment(seed),
        opening={"chance": draws_json(opening.chance), "events": opening.events},
        state=game.dump(opening.state),
        moves=len(opening.lines),
        outcome=None if result is None else result.as_json(),
        started_at=at,
        moved_at=at,
        clocks_from=at,
    )
    insert_moves(loaded, opening.lines, 1, at)
    asked = ask(loaded, open_decisions(game, opening.state), {}, at)
    started = entries_for_all(loaded, "game.started", {"commitment": commitment(seed)})
    record_events(started + decision_entries(asked), at)
