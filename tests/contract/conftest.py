"""A live site for programs that know only the contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.live import LiveSite, living

BOTS_LOOK_EVERY = 1.0  # seconds: nobody waits for them here


@pytest.fixture
def live_site(migrated_sqlite: Path) -> Iterator[LiveSite]:
    """A site behind a real HTTP server."""
    with living(migrated_sqlite, BOTS_LOOK_EVERY) as site:
        yield site
