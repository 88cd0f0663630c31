"""Connections to PostgreSQL on which nothing waits for ever.

A module of its own, imported where PostgreSQL is used: psycopg takes a tenth of the start-up time
of a command, and SQLite does without it.
"""

import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")

WAIT_INTERVAL = 0.1  # seconds between looks for a signal, as psycopg has it


class DatabaseTimeout(psycopg.OperationalError):
    """The database did not answer in time; the connection was closed."""


class TimedConnection(psycopg.Connection[Any]):
    """A connection that is closed when an answer takes too long."""

    answer_seconds: float | None = None

    def wait(
        self, gen: PQGen[T], interval: float = WAIT_INTERVAL, timeout: float | None = None
    ) -> T:
        limit = self.answer_seconds if timeout is None else timeout
        began = time.monotonic()
        try:
            return super().wait(gen, interval, limit)
        except psycopg.OperationalError as error:
            if timeout is None and limit is not None and time.monotonic() - began >= limit:
                self.close()
                raise DatabaseTimeout(f"no answer within {limit:.0f} seconds") from error
            raise
