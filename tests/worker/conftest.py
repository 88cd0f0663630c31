"""The worker is tested in the same houses as the service."""

from tests.service.conftest import (
    any_house,
    house,
    migrated_postgres,
    migrated_sqlite,
    postgresql_url,
    quiet_logs,
    sqlite_url,
)

__all__ = [
    "any_house",
    "house",
    "migrated_postgres",
    "migrated_sqlite",
    "postgresql_url",
    "quiet_logs",
    "sqlite_url",
]
