"""Time limits of PostgreSQL connections: a database that hangs must not take its clients along.

The server cancels statements that take too long (`statement_timeout`). A server that hangs cannot,
so the client gives up a little later and closes the connection.
"""

from typing import Any

from sqlalchemy import Connection, Engine, event, text

CONNECT_SECONDS = 5
CLIENT_EXTRA_SECONDS = 2.0  # beyond the server's own limit
IDLE_IN_TRANSACTION_SECONDS = 300
POOL_SECONDS = 5  # to wait for a free connection of the pool
# A server that is gone is noticed within a minute, also between statements.
TCP = {
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}


def connect_arguments(seconds: float) -> dict[str, object]:
    """Arguments of a connection to PostgreSQL; `seconds` is the limit of a statement."""
    limits = {
        "statement_timeout": round(seconds * 1000),
        "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION_SECONDS * 1000,
    }
    options = " ".join(f"-c {name}={value}" for name, value in limits.items())
    return {"connect_timeout": CONNECT_SECONDS, "options": options, **TCP}


def limit_connections(engine: Engine, seconds: float) -> None:
    """Let every connection of this engine to PostgreSQL give up after so many seconds."""
    from service.db.timed_connection import TimedConnection

    @event.listens_for(engine, "do_connect")
    def _connect(_: Any, __: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        connection = TimedConnection.connect(*arguments, **named)
        connection.answer_seconds = seconds + CLIENT_EXTRA_SECONDS
        return connection


def lift_time_limit(connection: Connection) -> None:
    """Let statements of this connection take as long as they need: to change tables."""
    if connection.dialect.name == "postgresql":
        from service.db.timed_connection import TimedConnection

        connection.execute(text("SET statement_timeout = 0"))
        driver = connection.connection.driver_connection
        if isinstance(driver, TimedConnection):
            driver.answer_seconds = None


def failure_reason(error: BaseException) -> str:
    """Why the database is not available, in a word for the log."""
    cause = getattr(error, "orig", None) or error
    said = str(cause).lower()
    state = getattr(cause, "sqlstate", None)
    for reason, states, words in _REASONS:
        if state in states or any(word in said for word in words):
            return reason
    return "lost"


_REASONS = (
    ("timed_out", ("57014", "55P03"), ("timeout expired", "timed out", "no answer within")),
    (
        "too_many_connections",
        ("53300",),
        ("too many clients", "too many connections", "remaining connection slots"),
    ),
    ("pool_exhausted", (), ("queuepool limit",)),
    ("refused", (), ("connection refused",)),
    ("shutting_down", ("57P01", "57P02", "57P03"), ("shutting down", "starting up")),
    ("storage", ("53100",), ("disk i/o error", "database or disk is full", "readonly")),
    ("locked", (), ("database is locked",)),
)
