"""What the tests of clients share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.live import LiveSite, living


@pytest.fixture
def live_site(migrated_sqlite: Path) -> Iterator[LiveSite]:
    """A site behind a real HTTP server."""
    with living(migrated_sqlite) as site:
        yield site
