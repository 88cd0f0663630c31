"""SQLite connections: pragmas, explicit transactions, and a close wait for the write lock."""

import sqlite3
import time
from pathlib import Path

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from service.core.errors import Problem
from service.core.private_files import make_private

# Execution options of a connection: begin with the write lock, or begin nothing at all.
WRITING = "laguna_writing"
READING = "laguna_reading"

BUSY_SECONDS = 10.0
WRITE_LOCK_POLL_SECONDS = 0.0003
BUSY_TIMEOUT = f"PRAGMA busy_timeout={round(BUSY_SECONDS * 1000)}"
PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # an answered move survives the plug being pulled
    "PRAGMA foreign_keys=ON",
    BUSY_TIMEOUT,
    "PRAGMA cache_size=-4000",  # kB of each connection, of which all threads have one
)


def prepare_engine(engine: Engine) -> None:
    """Make SQLite behave: foreign keys, WAL, durable commits and explicit transactions."""
    if engine.dialect.name != "sqlite":
        return
    path = str(engine.url.database or "")
    files = [Path(path + end) for end in ("", "-wal", "-shm")] if path.startswith("/") else []

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # the "begin" event says BEGIN
        for pragma in PRAGMAS:
            connection.execute(pragma)
        for file in files:
            make_private(file)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(WRITING):
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            begin_immediate(driver)
        elif not options.get(READING):
            connection.exec_driver_sql("BEGIN")


def begin_immediate(connection: sqlite3.Connection) -> None:
    """Begin a transaction with the write lock, waiting for it at most `BUSY_SECONDS`.

    The wait polls closely. SQLite's own busy handler sleeps up to 0.1 s between attempts and so
    misses the gaps between the transactions of a continuous writer for seconds; see `give_way`.
    """
    until = time.monotonic() + BUSY_SECONDS
    connection.execute("PRAGMA busy_timeout=0")
    try:
        while not _begun(connection):
            if time.monotonic() >= until:
                raise Problem(
                    "unavailable",
                    "The database is busy. Nothing was changed; please retry.",
                    headers={"Retry-After": "5"},
                )
            time.sleep(WRITE_LOCK_POLL_SECONDS)
    finally:
        connection.execute(BUSY_TIMEOUT)


def give_way(engine: Engine) -> None:
    """Let waiting writers in, between two transactions of a job that makes many."""
    if engine.dialect.name == "sqlite":
        time.sleep(2 * WRITE_LOCK_POLL_SECONDS)


def _begun(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return False
        raise OperationalError("BEGIN IMMEDIATE", None, error) from error
    return True
