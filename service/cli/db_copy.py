"""`laguna db copy`: copy all data into another database, such as from SQLite to PostgreSQL."""

import argparse
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, Engine, Table, bindparam, create_engine, func, select
from sqlalchemy.exc import ArgumentError

from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.db.database_app import driver_url
from service.db.migrations import current_revision, newest_revision
from service.db.session import Base, db
from service.db.sqlite import prepare_engine
from service.ops.status import counted

BATCH = 1000  # rows


def copy(options: argparse.Namespace) -> int:
    with opened_app():
        target = _opened(options.to)
        try:
            with (
                db.engine.connect() as source,
                source.begin(),
                target.connect() as connection,
                connection.begin(),
            ):
                _must_be_ready(connection)
                rows = sum(_copy(table, source, connection) for table in _tables())
        finally:
            target.dispose()
    print(f"{counted(rows, 'row')} of {counted(len(_tables()), 'table')} copied and counted.")
    print("Set LAGUNA_DATABASE_URL to the new database, and keep LAGUNA_SECRET_KEY as it is.")
    return 0


def _opened(url: str) -> Engine:
    try:
        engine = create_engine(driver_url(url), hide_parameters=True)
    except (ArgumentError, ImportError) as error:
        raise CommandError("This is not the URL of a database; see LAGUNA_DATABASE_URL.") from error
    prepare_engine(engine)
    return engine


def _tables() -> list[Table]:
    return Base.metadata.sorted_tables


def _must_be_ready(target: Connection) -> None:
    if current_revision(target) != newest_revision():
        raise CommandError(
            "The tables of the new database are not up to date; run `laguna db upgrade` with "
            "LAGUNA_DATABASE_URL set to it first."
        )
    for table in _tables():
        if _count(table, target):
            raise CommandError(f"The new database is not empty: table {table.name} has rows.")


def _count(table: Table, connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _copy(table: Table, source: Connection, target: Connection) -> int:
    """Copy all rows. References to rows of the same table are set when all rows exist."""
    later = [column for column in table.columns if _refers_to_itself(column)]
    for rows in _rows(table, source):
        blank = dict.fromkeys([column.key for column in later])
        target.execute(table.insert(), [row | blank for row in rows])
    for column in later:
        for rows in _rows(table, source):
            found = [row for row in rows if row[column.key] is not None]
            if found:
                _set_references(table, column, found, target)
    if _count(table, source) != _count(table, target):
        raise CommandError(f"Not all rows of {table.name} were copied; the copy was rolled back.")
    return _count(table, target)


def _refers_to_itself(column: "Column[Any]") -> bool:
    return any(key.column.table is column.table for key in column.foreign_keys)


def _rows(table: Table, source: Connection) -> Iterator[list[dict[str, Any]]]:
    found = source.execute(select(table), execution_options={"yield_per": BATCH})
    for some in found.mappings().partitions():
        yield [dict(row) for row in some]


def _set_references(
    table: Table, column: "Column[Any]", rows: list[dict[str, Any]], target: Connection
) -> None:
    [key] = table.primary_key.columns
    target.execute(
        table.update().where(key == bindparam("of_row")).values({column.key: bindparam("value")}),
        [{"of_row": row[key.key], "value": row[column.key]} for row in rows],
    )
