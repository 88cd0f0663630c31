"""Rows of access functions: each has all columns of its declared type, and values that fit it."""

import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from service.access import games as access
from service.access.credentials import STRANGER, Key
from service.access.games import GameAccess
from service.access.rows import GameRow, SeatRow
from service.access.scopes import GAMES_READ
from service.core.ids import digest
from service.db.models import Game, Person, Seat
from service.db.session import db, transact
from tests.support.site import Site


class Asked(NamedTuple):
    """With what an access function of games is called."""

    key: Key
    person: str
    game: str


GAME_ACCESS: dict[str, Callable[[Asked], Any]] = {
    "access_game": lambda by: access.access_game(by.key, GAMES_READ, by.game),
    "access_game, a stranger": lambda by: access.access_game(STRANGER, GAMES_READ, by.game),
    "access_known_game": lambda by: access.access_known_game(by.key, GAMES_READ, by.game),
    "access_known_game, unlocked": lambda by: access.access_known_game(
        by.key, GAMES_READ, by.game, for_update=False
    ),
    "access_seat": lambda by: access.access_seat(by.key, GAMES_READ, by.game),
    "access_seat, unlocked": lambda by: access.access_seat(
        by.key, GAMES_READ, by.game, for_update=False
    ),
    "access_hosted": lambda by: access.access_hosted(by.key, GAMES_READ, by.game),
    "access_for_letter": lambda by: access.access_for_letter(by.person, by.game),
    "access_by_letter": lambda by: access.access_by_letter(by.person, by.game),
    "access_table_by_mail": lambda by: access.access_table_by_mail(
        db.session.get_one(Person, by.person), by.game
    ),
    "lock_game": lambda by: access.lock_game(by.game),
}


def fits(value: object, declared: Any) -> bool:
    """Whether a value is of a declared type, as far as its outside goes."""
    if declared is Any:
        return True
    if isinstance(declared, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(declared))
    return isinstance(value, typing.get_origin(declared) or declared)


def check(row: Any, declared: type[Any]) -> None:
    hints = typing.get_type_hints(declared)
    assert type(row) is declared
    wrong = {name: value for name, value in row._asdict().items() if not fits(value, hints[name])}
    assert wrong == {}


def test_every_function_that_returns_a_game_is_covered() -> None:
    games = (GameAccess, GameRow)
    functions = {
        name
        for name, function in vars(access).items()
        if callable(function) and name.startswith(("access_", "lock_"))
        if any(
            isinstance(told := typing.get_type_hints(function).get("return"), type)
            and issubclass(told, kind)
            for kind in games
        )
    }
    assert functions == {name.partition(",")[0] for name in GAME_ACCESS}


@pytest.mark.parametrize("name", GAME_ACCESS)
def test_a_game_has_every_column_whichever_function_returns_it(any_site: Site, name: str) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    game_id = any_site.game_of(anna, ben, bots=1)
    asked = Asked(Key(digest(anna.token or "")), anna.id(), game_id)
    with any_site.app.app_context():
        found = transact(lambda: GAME_ACCESS[name](asked))
    if isinstance(found, GameRow):
        check(found, GameRow)
        return
    check(found.game, GameRow)
    for seat in found.seats or ():
        check(seat, SeatRow)


def test_seats_have_every_column(any_site: Site) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    game_id = any_site.game_of(anna, ben, bots=1)
    with any_site.app.app_context():
        seats = transact(lambda: access.access_seats(game_id))
    assert len(seats) == 3
    for seat in seats:
        check(seat, SeatRow)


def test_the_declared_types_are_those_of_the_tables() -> None:
    assert set(GameRow._fields) == {column.name for column in Game.__table__.c} - {"opening"}
    assert {column.name for column in Seat.__table__.c} <= set(SeatRow._fields)
