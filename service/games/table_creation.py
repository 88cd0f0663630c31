"""Creation of a table with invitations: the use case of the API and the page."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import insert

from engine.errors import BadSetup
from engine.options import check_seats, new_options
from engine.registry import game_type_by_key
from service.access.accounts import accounts_of_same_person
from service.access.credentials import Caller
from service.access.games import lock_game
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import new_id
from service.core.time_control import DEFAULT_CLOCK, Clock, complete, first_bank
from service.db.models import Game, Seat, Status, Visibility
from service.db.session import count_rows, execute
from service.games.invitations import invite
from service.games.tables import BOT_NAMES, check_running_games, start_when_full


@dataclass(frozen=True)
class TableSpec:
    """The wanted table."""

    game: str
    seats: int
    options: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = field(default_factory=lambda: dict(DEFAULT_CLOCK))
    title: str = ""
    visibility: Visibility = Visibility.public
    bots: int = 0
    rematch_of: str | None = None


@dataclass(frozen=True)
class CreatedTable:
    """A table that was opened; with bots on all other seats its game is running."""

    game_id: str
    running: bool


def create_table(
    host: Caller, spec: TableSpec, invitees: Sequence[str], at: datetime
) -> CreatedTable:
    """Open a table, take its first seat and invite these addresses, each of them once."""
    if invitees and spec.bots == spec.seats - 1:
        detail = "All seats are taken by bots; there is none for the people you invite."
        raise Problem("bad_setup", detail, errors=[{"pointer": "/invite", "detail": detail}])
    game_id = open_table(host, spec, at)
    row = lock_game(game_id)
    for address in dict.fromkeys(address.lower() for address in invitees):
        invite(host, row, address, at)
    return CreatedTable(game_id, row.status == Status.running)


def open_table(caller: Caller, wanted: TableSpec, at: datetime) -> str:
    """Open a table with the caller in its first seat; its id. It starts at once if bots fill it."""
    with _pointing_to("/game"):
        game = game_type_by_key(wanted.game)
    with _pointing_to("/seats"):
        check_seats(game, wanted.seats)
    with _pointing_to("/options"):
        options = new_options(game, wanted.options)
    with _pointing_to("/bots"):
        if wanted.bots >= wanted.seats:
            raise BadSetup(f"{wanted.bots} bots leave no seat of {wanted.seats} for you.")
    _check_open_tables(caller)
    check_running_games(caller)
    game_id, clock = new_id(), complete(wanted.clock)
    execute(
        insert(Game).values(
            id=game_id,
            game=game.meta.key,
            rules=game.meta.rules,
            seats=wanted.seats,
            options=options,
            clock=clock,
            title=wanted.title,
            visibility=wanted.visibility,
            host_id=caller.person_id,
            rematch_of=wanted.rematch_of,
            created_at=at,
        )
    )
    first_bot = wanted.seats - wanted.bots
    execute(
        insert(Seat),
        [
            {
                "game_id": game_id,
                "number": number,
                "person_id": caller.person_id if number == 0 else None,
                "name": caller.name if number == 0 else BOT_NAMES[number] if bot else "",
                "bot": bot,
                "bank": first_bank(clock),
            }
            for number in range(wanted.seats)
            for bot in [number >= first_bot]
        ],
    )
    start_when_full(game_id, at)
    return game_id


@contextmanager
def _pointing_to(pointer: str) -> Iterator[None]:
    """Name the field of the request whose value is refused."""
    try:
        yield
    except BadSetup as error:
        detail = str(error)
        raise Problem(
            error.code, detail, errors=[{"pointer": pointer, "detail": detail}]
        ) from error


def _check_open_tables(caller: Caller) -> None:
    most = settings().limits.open_tables
    own = accounts_of_same_person(caller.person_id)
    count = count_rows(Game.host_id.in_(own), Game.status == Status.open)
    if count >= most:
        raise Problem(
            "too_many_tables",
            f"You and your bots have {count} open tables; start or cancel one before you open "
            "another.",
        )
