"""Sessions and transactions of the database.

The same code runs on SQLite and on PostgreSQL. A transaction that writes takes its lock at the
start (`BEGIN IMMEDIATE`, or the row lock of the game), so that rows it has read are still true
when it writes.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, TypeVarTuple, cast, overload

from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Engine,
    Executable,
    MetaData,
    Table,
    func,
    select,
)
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.selectable import TypedReturnsRows

from service.core.errors import Problem
from service.core.worker_signal import after_commit
from service.db.sqlite import READING, WRITING
from service.db.time_limits import failure_reason

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
_Given = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

ATTEMPTS = 5
# PostgreSQL: serialization failure, deadlock, unique violation by a concurrent insert.
RETRIED_SQLSTATES = ("40001", "40P01", "23505")
_transient: set[type[Exception]] = {
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


# SQLite stores rows of such a table in the order of their key, without a second tree: a move writes
# a third less. For tables whose key has several columns.
BY_KEY = {"sqlite_with_rowid": False}


class OneConnection(Session):
    """A session that joins the current transaction, if there is one."""

    def get_bind(self, *args: Any, **kwargs: Any) -> Engine | Connection:
        return _connection.get() or super().get_bind(*args, **kwargs)


db = SQLAlchemy(
    model_class=Base,
    session_options={"class_": OneConnection, "join_transaction_mode": "rollback_only"},
)


def table(model: type[Base]) -> Table:
    """A model's table, for statements that need no objects."""
    return cast(Table, model.__table__)


# The connection on which a transaction runs; see `reading` and `transact`.
_connection: ContextVar[Connection | None] = ContextVar("connection", default=None)


def in_transaction() -> bool:
    """Whether this thread is inside `transact`, `reading` or `snapshot`."""
    return _connection.get() is not None


def current_connection() -> Connection:
    """The connection of the current transaction, or of the session."""
    return _connection.get() or db.session.connection()


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


def count_rows(*conditions: ColumnElement[bool]) -> int:
    """The number of rows of a table for which all conditions hold."""
    return db.session.execute(select(func.count()).where(*conditions)).scalar_one()


@contextmanager
def reading() -> Iterator[None]:
    """Read on one connection, by `execute` and by the session alike.

    Every statement sees the data committed when it began. Beginning and ending a transaction would
    cost as much as most reads.
    """
    _end_session()  # it may have another connection
    engine = db.engine
    options = reading_options(engine)
    with engine.connect().execution_options(**options) as connection, _used(connection):
        yield


@contextmanager
def snapshot() -> Iterator[None]:
    """Read a consistent snapshot: every statement sees the same instant, and nobody waits."""
    _end_session()  # objects that were read before are stale
    engine = db.engine
    sqlite = engine.dialect.name == "sqlite"  # where every transaction is a snapshot
    options = {} if sqlite else {"isolation_level": "REPEATABLE READ"}
    with (
        engine.connect().execution_options(**options) as connection,
        _used(connection),
        connection.begin(),
    ):
        yield


def reading_options(engine: Engine) -> dict[str, object]:
    """Execution options of a connection on which every statement commits by itself."""
    sqlite = engine.dialect.name == "sqlite"
    return {READING: True} if sqlite else {"isolation_level": "AUTOCOMMIT"}


@contextmanager
def _used(connection: Connection) -> Iterator[None]:
    """Let `execute` and the session use this connection. Most requests need no session, which would
    be a good part of their cost."""
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
    """Do the work in one transaction that writes, which is committed as a whole or not at all.

    The work may run again after a deadlock or a similar failure.
    """
    assert not in_transaction(), "a transaction within another"
    _end_session()  # objects that were read before are stale
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _run_in_transaction(work)
        except DBAPIError as error:
            if (
                attempt == ATTEMPTS
                or getattr(error.orig, "sqlstate", None) not in RETRIED_SQLSTATES
            ):
                raise
            time.sleep(0.02 * attempt)
    raise AssertionError("the last attempt returns or raises")


def _run_in_transaction(work: Callable[[], T]) -> T:
    engine = db.engine
    with (
        after_commit(),
        engine.connect().execution_options(**{WRITING: True}) as connection,
        _used(connection),
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
    """Whether an error is transient, such as a database that is away or busy, and not the fault of
    the work. A job with many items leaves the rest for later then; else it skips this item."""
    if isinstance(error, Problem):
        return error.code == "unavailable"
    return isinstance(error, tuple(_transient))


def error_fields(error: Exception) -> dict[str, object]:
    """Log fields of an error. The text of a database error may contain values of rows."""
    if isinstance(error, DBAPIError):
        return {"error": type(error.orig).__name__, "reason": failure_reason(error)}
    return {"exc_info": error}


def count_as_transient(kind: type[Exception]) -> None:
    """Count another type of error as transient, such as the worker's signal to end."""
    _transient.add(kind)
