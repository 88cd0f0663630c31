"""Tables by mail: start a game, list open tables, join one."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from engine.contract import GameType, Json
from engine.languages import join_words
from engine.registry import GAME_TYPES, game_type_by_key
from service.access.credentials import Caller
from service.access.games import LETTER, access_table_by_mail
from service.core.current_settings import settings
from service.core.email_address import is_acceptable
from service.core.errors import Problem
from service.core.formatting import clock_words
from service.db.models import Person, Status, Visibility
from service.games.invitations import sit_down
from service.games.queries import open_tables
from service.games.table_creation import TableSpec, create_table
from service.games.tables import BOT_NAMES
from service.mail.inbound.account_command_types import StartGame, command_json
from service.mail.inbound.reply_texts import NotDone, Words

USUAL_SEATS = 3  # as on the page
MOST_TABLES = 20


class Started(NamedTuple):
    """Result of a command to play; `asks` is the stored command if the game type is missing."""

    said: tuple[str, ...]
    game_id: str | None = None
    asks: Json | None = None


def start_game(person: Person, say: Words, command: StartGame, at: datetime) -> Started:
    """Open a table: bots take the other seats, or the guests who are invited; raises NotDone."""
    if command.game is None:
        return Started((which_game(say),), asks=command_json(command))
    game = game_type_by_key(command.game)
    guests = tuple(guest for guest in command.invitees if guest != person.email)
    for guest in guests:
        local = settings().smtp_url is None
        if not is_acceptable(guest, local_ones=local):
            raise NotDone("bad_address", text=guest)
    bots = _bots(game, command.bots, len(guests))
    seats = 1 + bots + len(guests)
    if seats not in game.meta.seats:
        numbers = f"{min(game.meta.seats)}-{max(game.meta.seats)}"
        raise NotDone("bad_setup", game=game.meta.title, seats=numbers)
    spec = TableSpec(
        game.meta.key,
        seats,
        bots=bots,
        visibility=Visibility.invitation if guests else Visibility.public,
    )
    host = Caller(person.id, person.name, "", LETTER, frozenset())
    try:
        table = create_table(host, spec, guests, at)
    except Problem as refused:
        raise NotDone(refused.code) from refused
    return Started(_started_words(say, game, bots, guests), table.game_id)


def _bots(game: GameType, wanted: int | None, guests: int) -> int:
    """The number of bots: as wanted, otherwise as many as fill the usual table without guests and
    the smallest one with them."""
    if wanted is not None:
        return wanted
    least = min(game.meta.seats)
    usual = USUAL_SEATS if USUAL_SEATS in game.meta.seats else least
    return max(0, (least if guests else usual) - 1 - guests)


def which_game(say: Words) -> str:
    titles = [game.meta.title for game in _newest()]
    return say(
        "Which game would you like to play: %(games)s? Reply with its name.",
        games=join_words(titles, say.language),
    )


def _newest() -> list[GameType]:
    """The newest rules version of every game type."""
    keys = dict.fromkeys(game.meta.key for game in GAME_TYPES)
    return [game_type_by_key(key) for key in keys]


def _started_words(say: Words, game: GameType, bots: int, guests: Sequence[str]) -> tuple[str, ...]:
    title = game.meta.title
    if guests:
        invited = join_words(guests, say.language)
        return (
            say(
                "Your table for %(game)s is open. Invited: %(guests)s.", game=title, guests=invited
            ),
            say("The game begins when everybody has a seat; we write to you then."),
        )
    first = 1
    names = join_words(BOT_NAMES[first : first + bots], say.language)
    return (
        say(
            "Your game of %(game)s has begun, against the bots %(names)s.", game=title, names=names
        ),
        say(
            "To play with people, write to us 'play %(game)s with' and their addresses.",
            game=title,
        ),
    )


def list_tables(caller: Caller | None, say: Words) -> tuple[tuple[str, ...], list[str]]:
    """The open tables as numbered lines, and their ids in that order."""
    found, _ = open_tables(caller, {}, None, MOST_TABLES)
    tables = [table for table in found if table.get("your_seat") is None]
    if not tables:
        title = GAME_TYPES[0].meta.title
        none = say("No table waits for players at the moment.")
        return (none, say("'play %(game)s' starts a game against bots at once.", game=title)), []
    lines = [_table_line(say, number, table) for number, table in enumerate(tables, 1)]
    how = say("Reply with 'join 1' to take a seat at the first table.")
    return (*lines, how), [table["id"] for table in tables]


def _table_line(say: Words, number: int, table: Json) -> str:
    names = [seat["name"] for seat in table["seats"] if seat["name"]]
    return say(
        "%(number)d. %(game)s with %(names)s; seats free: %(free)d of %(seats)d; %(clock)s",
        number=number,
        game=game_type_by_key(table["game"], table["rules"]).meta.title,
        names=join_words(names, say.language),
        free=table["free_seats"],
        seats=len(table["seats"]),
        clock=clock_words(table["clock"], say.language),
    )


def join_listed(
    person: Person, say: Words, tables: Sequence[str] | None, number: int, at: datetime
) -> tuple[str, ...]:
    """Take a seat at a table by its number in a list; raises NotDone."""
    if not tables:
        raise NotDone("no_tables")
    if not 1 <= number <= len(tables):
        raise NotDone("no_such_table", number=number, most=len(tables))
    return take_seat(person, say, tables[number - 1], at)


def take_seat(person: Person, say: Words, game_id: str, at: datetime) -> tuple[str, ...]:
    """Take a seat at a table, with an invitation if there is one; raises NotDone."""
    try:
        access = access_table_by_mail(person, game_id)
        sit_down(access, None, at)
    except Problem as refused:
        raise NotDone("not_open" if refused.code == "not_found" else refused.code) from refused
    game = game_type_by_key(access.game.game, access.game.rules).meta.title
    started = access_table_by_mail(person, game_id).game.status == Status.running
    seated = say("You have a seat at the table for %(game)s.", game=game)
    then = say("The game has begun.") if started else say("We write to you when the game begins.")
    return seated, then
