"""What tests of the service may ask for: houses, and people who play in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.houses import *  # noqa: F403
from tests.service.support.house import Caller, House
from tests.service.support.limited import LimitedHouses
from tests.service.support.post import mail_arrives


@pytest.fixture
def limited(sqlite_url: str, tmp_path: Path) -> Iterator[LimitedHouses]:
    """Opens houses with limits that a test can reach."""
    houses = LimitedHouses(tmp_path, sqlite_url)
    yield houses
    houses.close()


@pytest.fixture
def anna(house: House) -> Caller:
    return house.person("Anna")


@pytest.fixture
def ben(house: House) -> Caller:
    return house.person("Ben")


@pytest.fixture
def game(house: House, anna: Caller, ben: Caller) -> str:
    """A game in which both are asked, and have a mail that says so."""
    game_id = house.game_of(anna, ben, title="Evening round")
    mail_arrives(house)
    return game_id
