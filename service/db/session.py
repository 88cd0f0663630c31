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
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, cast, overload

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
    Table,
    Text,
    event,
)
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.selectable import TypedReturnsRows
from sqlalchemy.types import TypeDecorator

from service.core.errors import Problem
from service.core.private_files import make_private
from service.core.worker_signal import after_commit
from service.db.statements import Parameters, Prepared, Rows
from service.db.time_limits import failure_reason
from service.db.write_lock import turns_for

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
_Given = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
AnyRow = Any  # a row of a query, with the columns it names as attributes

WRITING = "laguna_writing"
READING = "laguna_reading"
ATTEMPTS = 5
# PostgreSQL: serialization failure, deadlock, somebody else was first to insert the same. A second
# try finds the world in order again, or says what is wrong with it.
RETRIED_SQLSTATES = ("40001", "40P01", "23505")
_passing: set[type[Exception]] = {
    OperationalError,
    InterfaceError,
    NoConnectionFree,
    MemoryError,
}


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


# SQLite keeps rows of such a table in the order of their key, and needs no second tree for it:
# a move writes a third less. For tables whose key has several columns.
BY_KEY = {"sqlite_with_rowid": False}


class OneConnection(Session):
    """A session that takes part in the transaction that is going on, if there is one."""

    def get_bind(self, *args: Any, **kwargs: Any) -> Engine | Connection:
        return _connection.get() or super().get_bind(*args, **kwargs)


db = SQLAlchemy(
    model_class=Base,
    session_options={"class_": OneConnection, "join_transaction_mode": "rollback_only"},
)


def table(model: type[Base]) -> Table:
    """A model's table, for statements that need no objects."""
    return cast(Table, model.__table__)


class Instant(TypeDecorator[datetime]):
    """An aware point in time, kept in UTC. SQLite drops offsets silently, so naive is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    # SQLite keeps text. A move reads and writes a dozen of these, so they take no detours.

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return super().bind_processor(dialect)
        return lambda value: None if value is None else _text_of(value)

    def result_processor(self, dialect: Dialect, coltype: Any) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return super().result_processor(dialect, coltype)
        return lambda text: None if text is None else datetime.fromisoformat(text + _OF_UTC)


_OF_UTC = "+00:00"  # which SQLite is not told


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return value.astimezone(UTC)


def _text_of(value: datetime) -> str:
    return _in_utc(value).isoformat(" ", "microseconds").removesuffix(_OF_UTC)


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
    path = str(engine.url.database or "")
    files = [Path(path + end) for end in ("", "-wal", "-shm")] if path.startswith("/") else []

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",  # an answered move survives the plug being pulled
            "foreign_keys=ON",
            "busy_timeout=10000",
            "cache_size=-4000",  # kB of each connection, of which all threads have one
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        for file in files:
            make_private(file)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get(READING):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING) else "BEGIN")


def one_writes_at_a_time() -> bool:
    """Whether all writers queue, whatever they write: on SQLite."""
    return db.engine.dialect.name == "sqlite"


def turn_to_write(engine: Engine) -> AbstractContextManager[None]:
    """On SQLite writers queue; on PostgreSQL they only meet at the same game."""
    if engine.dialect.name != "sqlite" or engine.url.database in (None, "", ":memory:"):
        return nullcontext()
    return turns_for(str(engine.url.database)).turn()


# The connection on which a transaction runs; see `reading` and `transact`.
_connection: ContextVar[Connection | None] = ContextVar("connection", default=None)


def in_transaction() -> bool:
    """Whether this thread is inside `transact`, `reading` or `snapshot`."""
    return _connection.get() is not None


def current_connection() -> Connection:
    """The connection of the transaction that is going on, or of the session."""
    return _connection.get() or db.session.connection()


def run(statement: Prepared, parameters: Parameters) -> Rows:
    """Execute a prepared statement on the connection of the transaction; what it found."""
    return statement.run(current_connection(), parameters)


def run_each(statement: Prepared, parameters: Sequence[Parameters]) -> None:
    """Execute a prepared statement for each of these parameters."""
    if parameters:
        statement.run_each(current_connection(), parameters)


@overload
def execute(statement: TypedReturnsRows[*Ts], parameters: _Given = None) -> CursorResult[*Ts]: ...
@overload
def execute(statement: Executable, parameters: _Given = None) -> CursorResult[*tuple[Any, ...]]: ...
def execute(statement: Executable, parameters: _Given = None) -> CursorResult[*tuple[Any, ...]]:
    """Execute a statement on the connection of the transaction.

    Pending changes of the session are not flushed before; a list of parameters inserts each of
    them, and must not be empty.
    """
    return current_connection().execute(statement, parameters)


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


@contextmanager
def snapshot() -> Iterator[None]:
    """Read what belongs together: every statement sees the same instant, and nobody waits."""
    _end_session()  # whatever was read before does not count
    engine = db.engine
    sqlite = engine.dialect.name == "sqlite"  # where any transaction is one of these
    options = {} if sqlite else {"isolation_level": "REPEATABLE READ"}
    with (
        engine.connect().execution_options(**options) as connection,
        _used(connection),
        connection.begin(),
    ):
        yield


def reading_options(engine: Engine) -> dict[str, Any]:
    """How a connection is told that each statement stands for itself."""
    sqlite = engine.dialect.name == "sqlite"
    return {READING: True} if sqlite else {"isolation_level": "AUTOCOMMIT"}


@contextmanager
def _used(connection: Connection) -> Iterator[None]:
    """Let prepared statements and the session work on this connection. Most requests need no
    session, and its weight would be a good part of what they cost."""
    outer = _connection.set(connection)
    try:
        yield
    finally:
        _connection.reset(outer)
        _end_session()


def _flush_session() -> None:
    if db.session.registry.has():
        db.session.flush()


def _end_session() -> None:
    if db.session.registry.has():
        db.session.remove()


def transact(work: Callable[[], T]) -> T:
    """Do the work in one transaction that writes; all of it is kept, or nothing.

    The work may be done again when the database gave up on it for a passing reason.
    """
    assert not in_transaction(), "a transaction within another"
    _end_session()  # whatever was read before does not count
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _transacted(work)
        except DBAPIError as error:
            if (
                attempt == ATTEMPTS
                or getattr(error.orig, "sqlstate", None) not in RETRIED_SQLSTATES
            ):
                raise
            time.sleep(0.02 * attempt)
    raise AssertionError("the last attempt returns or raises")


def _transacted(work: Callable[[], T]) -> T:
    engine = db.engine
    with (
        after_commit(),
        engine.connect().execution_options(**{WRITING: True}) as connection,
        _used(connection),
        turn_to_write(engine),
        connection.begin(),
    ):
        result = work()
        _flush_session()
        return result


@contextmanager
def savepoint() -> Iterator[None]:
    """A part of a transaction that rolls back by itself when it ends with an error.

    Objects that the session loaded or holds are forgotten with the part that rolls back.
    """
    _flush_session()
    try:
        with current_connection().begin_nested():
            yield
            _flush_session()
    except BaseException:
        _end_session()
        raise


def is_transient(error: BaseException) -> bool:
    """Whether something failed for a reason that lies in the moment, and not in what was to be
    done: the database cannot be reached, or is too busy.

    Whoever does many things of which one must not stop the others leaves all of them for later
    when it is, and only this one when it is not.
    """
    if isinstance(error, Problem):
        return error.code == "unavailable"
    return isinstance(error, tuple(_passing))


def error_fields(error: Exception) -> dict[str, Any]:
    """What the log says of an error: all about it, unless its text may have values of rows."""
    if isinstance(error, DBAPIError):
        return {"error": type(error.orig).__name__, "reason": failure_reason(error)}
    return {"exc_info": error}


def count_as_transient(kind: type[Exception]) -> None:
    """Such an error lies in the moment, too: the worker is told to end by one of its own."""
    _passing.add(kind)
