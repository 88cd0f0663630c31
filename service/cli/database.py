"""`laguna db`: create, update, check and downgrade the tables."""

import argparse
import fcntl
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path

from alembic.util import CommandError as AlembicError
from sqlalchemy import Connection, Engine, func, inspect, select, table, text

from service.cli.command_app import app_with
from service.cli.errors import CommandError
from service.core import config
from service.core.private_files import private_directory
from service.db import migrations
from service.db.session import db
from service.db.sqlite import WRITING
from service.db.time_limits import lift_time_limit
from service.ops.status import counted

# Key of an advisory lock of PostgreSQL: any number that is ours alone.
LOCK = 0x1A6_0A


def upgrade(_: argparse.Namespace) -> int:
    settings = config.from_environment()
    with app_with(settings):
        before, after = bring_up_to_date(settings.data)
    print(f"up to date at {after}" if before == after else f"upgraded from {before} to {after}")
    return 0


def check(_: argparse.Namespace) -> int:
    newest = migrations.newest_revision()
    with app_with(config.from_environment()), db.engine.connect() as connection:
        found = migrations.current_revision(connection)
    _must_be_known(found)
    if found == newest:
        print(f"up to date at {found}")
        return 0
    print(f"the tables are of revision {found}, the newest are {newest}", file=sys.stderr)
    return 1


def _must_be_known(found: str | None) -> None:
    """Raise CommandError if a newer program made the tables: this one cannot change them."""
    if migrations.is_newer(found):
        raise CommandError(
            f"The database has the tables of revision {found}, which this program does not know: "
            f"it is older than the database and knows those up to {migrations.newest_revision()}. "
            "Use the version that upgraded the database, or a newer one. Nothing was changed."
        )


def downgrade(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    with app_with(settings):
        found, lost = _downgraded(settings.data, options.revision, keep=options.yes)
    listed = "".join(f"  {one}\n" for one in lost) or "  nothing\n"
    if not options.yes:
        copy = "laguna backup FILE" if settings.sqlite else "pg_dump --format=custom --file=FILE"
        raise CommandError(
            f"A downgrade to {found} deletes:\n{listed}"
            f"Stop all processes, make a backup (`{copy}`), then add --yes. Nothing was changed."
        )
    print(f"Deleted:\n{listed}The tables are now those of {found}.")
    return 0


def _downgraded(data: Path, revision: str, keep: bool) -> tuple[str | None, list[str]]:
    """Downgrade the tables, or only try it; the revision reached and the data lost."""
    with _migration(data, db.engine) as connection:
        _must_be_known(migrations.current_revision(connection))
        before = _contents(connection)
        try:
            migrations.downgrade(connection, revision)
        except AlembicError as error:
            raise CommandError(f"{error}") from error
        found = migrations.current_revision(connection)
        lost = list(_lost(before, _contents(connection)))
        if not keep:
            connection.rollback()
        return found, lost


Contents = Mapping[str, tuple[int, Set[str]]]  # rows and columns by table


def _contents(connection: Connection) -> Contents:
    found = inspect(connection)
    return {
        name: (
            connection.execute(select(func.count()).select_from(table(name))).scalar_one(),
            {column["name"] for column in found.get_columns(name)},
        )
        for name in sorted(found.get_table_names())
        if name != "alembic_version"
    }


def _lost(before: Contents, after: Contents) -> Iterator[str]:
    """Tables, rows and columns that are gone."""
    for name, (rows, columns) in before.items():
        if name not in after:
            yield f"table {name}: {counted(rows, 'row')}"
            continue
        rows_after, columns_after = after[name]
        if rows_after < rows:
            yield f"{counted(rows - rows_after, 'row')} of table {name}"
        for column in sorted(columns - columns_after):
            yield f"column {name}.{column}: of {counted(rows, 'row')}"


def bring_up_to_date(data: Path) -> tuple[str | None, str | None]:
    """Create or update the tables, in an app context; the revisions before and after."""
    with _migration(data, db.engine) as connection:
        before = migrations.current_revision(connection)
        _must_be_known(before)
        migrations.upgrade(connection)
        return before, migrations.current_revision(connection)


@contextmanager
def _migration(data: Path, engine: Engine) -> Iterator[Connection]:
    """A transaction during which no other process migrates; a second one waits."""
    with preparation_lock(data), engine.connect() as connection:
        connection.execution_options(**{WRITING: True})
        with connection.begin():
            lift_time_limit(connection)
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection


@contextmanager
def preparation_lock(data: Path) -> Iterator[None]:
    """Lock of the data directory during preparations; it ends with the process."""
    private_directory(data)
    with (data / "start.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
