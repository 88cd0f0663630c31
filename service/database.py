"""The database: types that keep what they promise, and transactions that can be relied on.

The same code runs on SQLite and on PostgreSQL. A transaction that writes takes its lock at the
start (`BEGIN IMMEDIATE`, or the row lock of the game), so that what was read is still true when
it is written.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import orjson
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import (
    Connection,
    CursorResult,
    DateTime,
    Dialect,
    Engine,
    Executable,
    MetaData,
    Row,
    Table,
    Text,
    event,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

from service.turns import turns_for

T = TypeVar("T")
AnyRow = Row[*tuple[Any, ...]]  # of columns that the query names

WRITING = "laguna_writing"
READING = "laguna_reading"
ATTEMPTS = 5
# PostgreSQL: serialization failure, deadlock, somebody else was first to insert the same. A second
# try finds the world in order again, or says what is wrong with it.
PASSING_FAILURES = ("40001", "40P01", "23505")


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


# The connection on which a transaction runs; see `reading` and `transact`.
_connection: ContextVar[Connection | None] = ContextVar("connection", default=None)


class OneConnection(Session):
    """A session that takes part in the transaction that is going on, if there is one."""

    def get_bind(self, *args: Any, **kwargs: Any) -> Engine | Connection:
        return _connection.get() or super().get_bind(*args, **kwargs)


db = SQLAlchemy(
    model_class=Base,
    session_options={"class_": OneConnection, "join_transaction_mode": "rollback_only"},
)


def table(model: type[Base]) -> Table:
    """A model's table, for statements that need no objects.

    Those of the hot path are built once, from tables: a short statement that goes through the
    ORM, or is built anew, spends most of its time there.
    """
    return cast(Table, model.__table__)


class Instant(TypeDecorator[datetime]):
    """An aware point in time, kept in UTC. SQLite drops offsets silently, so naive is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A JSON value as compact text, its keys in the order they were given."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else orjson.loads(value)


def prepare_engine(engine: Engine) -> None:
    """Make SQLite behave: foreign keys, WAL, durable commits and explicit transactions."""
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",  # an answered move survives the plug being pulled
            "foreign_keys=ON",
            "busy_timeout=10000",
            "cache_size=-16000",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get(READING):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING) else "BEGIN")


def turn_to_write(engine: Engine) -> AbstractContextManager[None]:
    """On SQLite writers queue; on PostgreSQL they only meet at the same game."""
    if engine.dialect.name != "sqlite" or engine.url.database in (None, "", ":memory:"):
        return nullcontext()
    return turns_for(str(engine.url.database)).turn()


def run(
    statement: Executable, parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
) -> CursorResult[*tuple[Any, ...]]:
    """Execute a statement built from tables, on the connection of the transaction."""
    connection = _connection.get()
    if connection is None:
        connection = db.session.connection()
    return connection.execute(statement, parameters)


@contextmanager
def reading() -> Iterator[None]:
    """Read on one connection, by `run` and by the session alike.

    Every statement sees what was committed when it began, as on PostgreSQL in any case; beginning
    and ending a transaction would cost as much as most of what is read.
    """
    engine = db.engine
    options = reading_options(engine)
    with engine.connect().execution_options(**options) as connection, _used(connection):
        yield


def reading_options(engine: Engine) -> dict[str, Any]:
    """How a connection is told that each statement stands for itself."""
    sqlite = engine.dialect.name == "sqlite"
    return {READING: True} if sqlite else {"isolation_level": "AUTOCOMMIT"}


@contextmanager
def _used(connection: Connection) -> Iterator[None]:
    """Let `run` and the session work on this connection. Most requests need no session, and its
    weight would be a good part of what they cost."""
    outer = _connection.set(connection)
    try:
        yield
    finally:
        _connection.reset(outer)
        db.session.remove()


def transact(work: Callable[[], T]) -> T:
    """Do the work in one transaction that writes; all of it is kept, or nothing.

    The work may be done again when the database gave up on it for a passing reason.
    """
    assert _connection.get() is None, "a transaction within another"
    db.session.remove()  # whatever was read before does not count
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _transacted(work)
        except DBAPIError as error:
            if attempt == ATTEMPTS or getattr(error.orig, "sqlstate", None) not in PASSING_FAILURES:
                raise
            time.sleep(0.02 * attempt)
    raise AssertionError("the last attempt returns or raises")


def _transacted(work: Callable[[], T]) -> T:
    engine = db.engine
    with (
        turn_to_write(engine),
        engine.connect().execution_options(**{WRITING: True}) as connection,
        _used(connection),
    ):
        result = work()
        if db.session.registry.has():
            db.session.flush()
        connection.commit()
        return result
