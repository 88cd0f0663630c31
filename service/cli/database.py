"""`laguna db`: the tables of the database."""

import argparse
import fcntl
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path

from alembic.util import CommandError as AlembicError
from sqlalchemy import Connection, Engine, func, inspect, select, table, text

from service.cli.command_app import app_with
from service.cli.errors import CommandError
from service.core import config
from service.core.private_files import private_directory
from service.db import migrations
from service.db.session import WRITING, db
from service.db.time_limits import lift_time_limit
from service.ops.status import counted

# Any number will do, as long as nobody else locks by it.
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
    print(f"the tables are those of {found}, the newest are {newest}", file=sys.stderr)
    return 1


def _must_be_known(found: str | None) -> None:
    """Raise CannotDo if a newer program made the tables: this one cannot change them."""
    if migrations.is_newer(found):
        raise CommandError(
            f"The database has the tables of revision {found}, which this program does not know: "
            f"it is older than the database and knows those up to {migrations.newest_revision()}. "
            "Use the version that upgraded the database, or a newer one. Nothing was changed."
        )


class _Tried(Exception):
    """Ends a transaction that was only made to see what it would change."""


def downgrade(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    with app_with(settings):
        found, lost = _downgraded(settings.data, options.revision, keep=options.yes)
    told = "".join(f"  {one}\n" for one in lost) or "  nothing\n"
    if not options.yes:
        copy = "laguna backup FILE" if settings.sqlite else "pg_dump --format=custom --file=FILE"
        raise CommandError(
            f"Taking the tables back to {found} loses for good:\n{told}"
            f"Stop everything, make a copy (`{copy}`), then add --yes. Nothing was changed."
        )
    print(f"Lost:\n{told}The tables are now those of {found}.")
    return 0


def _downgraded(data: Path, revision: str, keep: bool) -> tuple[str | None, list[str]]:
    """Take the tables back, or only try it; the revision then, and what is lost by it."""
    found: str | None = None
    lost: list[str] = []
    with suppress(_Tried), _alone(data, db.engine) as connection:
        _must_be_known(migrations.current_revision(connection))
        before = _contents(connection)
        try:
            migrations.downgrade(connection, revision)
        except AlembicError as error:
            raise CommandError(f"{error}") from error
        found = migrations.current_revision(connection)
        lost = list(_lost(before, _contents(connection)))
        if not keep:
            raise _Tried
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
    """What was there before and is not afterwards, in words."""
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
    """Create or update the tables; the revisions before and after. Needs an app context."""
    with _alone(data, db.engine) as connection:
        before = migrations.current_revision(connection)
        _must_be_known(before)
        migrations.upgrade(connection)
        return before, migrations.current_revision(connection)


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
