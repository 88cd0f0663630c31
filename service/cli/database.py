"""`laguna db`: the tables of the database."""

import argparse
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text

from service import config, migrating
from service.cli.errors import CannotDo
from service.cli.opening import app_with
from service.core.private_files import private_directory
from service.database import WRITING, db
from service.db.time_limits import lift_time_limit

# Any number will do, as long as nobody else locks by it.
LOCK = 0x1A6_0A


def upgrade(_: argparse.Namespace) -> int:
    settings = config.from_environment()
    with app_with(settings):
        before, after = bring_up_to_date(settings.data)
    print(f"up to date at {after}" if before == after else f"upgraded from {before} to {after}")
    return 0


def check(_: argparse.Namespace) -> int:
    newest = migrating.newest_revision()
    with app_with(config.from_environment()), db.engine.connect() as connection:
        found = migrating.current_revision(connection)
    if found == newest:
        print(f"up to date at {found}")
        return 0
    print(f"the tables are those of {found}, the newest are {newest}", file=sys.stderr)
    return 1


def downgrade(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    with app_with(settings), _alone(settings.data, db.engine) as connection:
        try:
            migrating.downgrade(connection, options.revision)
        except CommandError as error:
            raise CannotDo(f"{error}") from error
        found = migrating.current_revision(connection)
    print(f"the tables are now those of {found}")
    return 0


def bring_up_to_date(data: Path) -> tuple[str | None, str | None]:
    """Create or update the tables; the revisions before and after. Needs an app context."""
    with _alone(data, db.engine) as connection:
        before = migrating.current_revision(connection)
        migrating.upgrade(connection)
        return before, migrating.current_revision(connection)


@contextmanager
def _alone(data: Path, engine: Engine) -> Iterator[Connection]:
    """A transaction in which no other start changes the tables; who comes second waits."""
    with starting_alone(data), engine.connect() as connection:
        connection.execution_options(**{WRITING: True})
        with connection.begin():
            lift_time_limit(connection)
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection


@contextmanager
def starting_alone(data: Path) -> Iterator[None]:
    """Wait for others who prepare the same data directory; the lock ends with the process."""
    private_directory(data)
    with (data / "start.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
