"""A live house for programs that know only the contract."""

from tests.clients.conftest import live_house
from tests.service.houses import migrated_sqlite

__all__ = ["live_house", "migrated_sqlite"]
