"""What the tests of clients share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.live import LiveHouse, living


@pytest.fixture
def live_house(migrated_sqlite: Path) -> Iterator[LiveHouse]:
    """A house behind a real HTTP server."""
    with living(migrated_sqlite) as house:
        yield house
