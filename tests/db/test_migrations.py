"""The tables: what the migrations make is what the models say, on both databases and both ways."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect

from service.db.migrations import (
    alembic_config,
    current_revision,
    downgrade,
    newest_revision,
    upgrade,
)
from service.db.session import Base, prepare_engine


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
