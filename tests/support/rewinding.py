"""Snapshots of a test site on SQLite, to restore it and to compare all rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from service.core import etags
from service.core.rate_limits import register_rate_limits
from service.db.session import Base
from tests.support.site import Site

Rows = dict[str, list[tuple[Any, ...]]]

# Noted on every use, of refused requests too: nothing that anybody decides by.
NOT_COMPARED = {("credential", "last_used_at")}


def all_rows(site: Site) -> Rows:
    """All rows of the database, except the last use of credentials."""
    with _file(site) as file:
        return {
            table.name: file.execute(_everything_of(table.name)).fetchall()
            for table in Base.metadata.sorted_tables
        }


def _everything_of(table: str) -> str:
    columns = [
        f'"{column.name}"'
        for column in Base.metadata.tables[table].columns
        if (table, column.name) not in NOT_COMPARED
    ]
    order = ", ".join(str(place) for place in range(1, min(len(columns), 2) + 1))
    return f'SELECT {", ".join(columns)} FROM "{table}" ORDER BY {order}'  # noqa: S608 - our names


class Snapshot:
    """The current state of a site, to restore later."""

    def __init__(self, site: Site) -> None:
        self.site, self.at = site, site.clock.at
        self.kept = sqlite3.connect(":memory:", check_same_thread=False)
        with _file(site) as file:
            file.backup(self.kept)

    def restore(self) -> None:
        """Restore the site, including its caches in memory."""
        with _file(self.site) as file:
            self.kept.backup(file)
        self.site.clock.at = self.at
        forget_all(self.site)


def forget_all(site: Site) -> None:
    """Clear the caches of a process: rendered responses and counted requests."""
    etags._RENDERED.clear()
    register_rate_limits(site.app, site.settings)


@contextmanager
def _file(site: Site) -> Iterator[sqlite3.Connection]:
    path = site.settings.database_url.removeprefix("sqlite:///")
    connection = sqlite3.connect(path, timeout=10)
    try:
        yield connection
    finally:
        connection.close()
