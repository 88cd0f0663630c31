"""The worker is tested in the same houses as the service."""

from tests.service.conftest import house, migrated_sqlite, sqlite_url

__all__ = ["house", "migrated_sqlite", "sqlite_url"]
