"""The tables: what the migrations make is what the models say, on both databases and both ways."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, Table, create_engine, func, insert, inspect, select

from service.db.migrations import (
    alembic_config,
    current_revision,
    downgrade,
    newest_revision,
    upgrade,
)
from service.db.models import Letter
from service.db.session import Base
from service.db.sqlite import prepare_engine


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database without tables."""
    if request.param == "sqlite":
        engine = create_engine(f"sqlite:///{tmp_path}/empty.db")
    else:
        engine = create_engine(request.getfixturevalue("fresh_postgres"))
    prepare_engine(engine)
    yield engine
    engine.dispose()


def test_migrations_lead_to_what_the_models_say(empty: Engine) -> None:
    with empty.begin() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert current_revision(connection) == newest_revision()


def test_every_migration_can_be_taken_back_and_done_again(empty: Engine) -> None:
    revisions = list(ScriptDirectory.from_config(alembic_config()).walk_revisions())
    with empty.begin() as connection:
        upgrade(connection)
        for script in revisions:
            before = script.down_revision
            assert before is None or isinstance(before, str)
            downgrade(connection, before or "base")
            assert current_revision(connection) == before
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}
        upgrade(connection)
        assert current_revision(connection) == newest_revision()


def test_upgrading_twice_changes_nothing(empty: Engine) -> None:
    with empty.begin() as connection:
        upgrade(connection)
    with empty.begin() as connection:
        upgrade(connection)
        assert current_revision(connection) == newest_revision()


def test_codes_that_wait_to_be_sent_get_an_expiry(empty: Engine) -> None:
    made = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
    old = MetaData()
    with empty.begin() as connection:
        upgrade(connection, "0006")
        letter = Table("letter", old, autoload_with=connection)
        rows = [
            {
                "id": name,
                "kind": kind,
                "to": "anna@example.org",
                "facts": "{}",
                "state": state,
                "attempts": 0,
                "created_at": made,
                "next_try_at": made if state == "pending" else None,
            }
            for name, kind, state in (
                ("waiting", "sign_in", "pending"),
                ("sent", "sign_in", "sent"),
                ("other", "invitation", "pending"),
            )
        ]
        connection.execute(insert(letter), rows)
        upgrade(connection)
        found = connection.execute(select(Letter.id, Letter.expires_at)).all()
        assert {row.id: row.expires_at for row in found} == {
            "waiting": made + timedelta(minutes=15),
            "sent": None,
            "other": None,
        }
        downgrade(connection, "0006")
        assert connection.scalar(select(func.count()).select_from(letter)) == 3
