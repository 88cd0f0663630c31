"""A database that somebody else is writing to: a clear answer, and nothing changed."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from service.db.session import db, is_transient, transact
from tests.support.site import Site


def test_a_locked_database_is_a_passing_failure(site: Site) -> None:
    path = Path(site.settings.database_url.removeprefix("sqlite:///"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with site.app.app_context():
            with db.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout=50")
            with pytest.raises(OperationalError) as raised:
                transact(lambda: None)
        assert is_transient(raised.value)
    finally:
        other.close()
