"""A database that hangs, refuses or is full: requests are answered, and the log says why."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import psycopg
import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from service.db.time_limits import failure_reason
from service.db.timed_connection import DatabaseTimeout
from service.ops.health import BoundedCheck
from tests.ops.web import Web, serving
from tests.servers import postgres
from tests.servers.ports import free_port
from tests.servers.postgres import PostgresServer
from tests.servers.tree import until

TOKEN = "lag_" + "a" * 52
ONE_PROCESS = {"LAGUNA_WEB_WORKERS": "1", "LAGUNA_DATABASE_TIMEOUT": "2"}


def reasons(web: Web) -> set[str]:
    return {line["reason"] for line in web.error_fields("database_unavailable")}


def is_refused_for_now(web: Web) -> None:
    """Requests get 503, health checks are answered."""
    status, headers, body = web.get_all("/v1/me", token=TOKEN)
    assert (status, headers["retry-after"]) == (503, "5"), body
    assert headers["content-type"] == "application/problem+json"
    status, headers, _ = web.get_all("/readyz")
    assert (status, headers["retry-after"]) == (503, "5")
    assert web.get("/healthz")[0] == 200


@contextmanager
def silent_server() -> Iterator[int]:
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.long
def test_a_database_that_never_answers(tmp_path: Path) -> None:
    with silent_server() as port:
        url = f"postgresql://laguna:x@127.0.0.1:{port}/laguna"
        with serving(tmp_path, upgrade=False, LAGUNA_DATABASE_URL=url, **ONE_PROCESS) as web:
            is_refused_for_now(web)
            assert reasons(web) == {"timed_out"}


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    url = f"postgresql://laguna:x@127.0.0.1:{free_port()}/laguna"
    with serving(tmp_path, upgrade=False, LAGUNA_DATABASE_URL=url, **ONE_PROCESS) as web:
        is_refused_for_now(web)
        assert reasons(web) == {"refused"}


@pytest.mark.long
def test_a_database_that_hangs_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgres.SETTINGS, "max_connections", "8")
    with PostgresServer() as server:
        url = server.create_database()
        with serving(tmp_path, True, LAGUNA_DATABASE_URL=url, **ONE_PROCESS) as web:
            assert web.get_all("/v1/me", token=TOKEN)[0] == 401  # the database says so
            with stopped(server):
                is_refused_for_now(web)
                assert reasons(web) == {"timed_out"}
            until(lambda: web.get_all("/v1/me", token=TOKEN)[0] == 401, "the database is back")
            with all_connections(url, web):
                until(lambda: web.get_all("/v1/me", token=TOKEN)[0] == 503, "too many connections")
                assert "too_many_connections" in reasons(web)


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    """All processes of the server hang: they accept data and do nothing."""
    main = psutil.Process(server.pid)
    everything = [main, *main.children(recursive=True)]
    for process in everything:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in everything:
            process.send_signal(signal.SIGCONT)


@contextmanager
def all_connections(url: str, web: Web) -> Iterator[None]:
    """Another application holds every connection, those of the web process too."""
    plain = url.replace("+psycopg", "", 1)
    held: list[psycopg.Connection[Any]] = []
    try:
        while True:
            try:
                held.append(psycopg.connect(plain, autocommit=True))
            except psycopg.OperationalError:
                found = (
                    held[0]
                    .execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid != ALL(%s)",
                        ([one.info.backend_pid for one in held],),
                    )
                    .rowcount
                )
                if not found:
                    break
        yield
    finally:
        for one in held:
            one.close()


def test_a_check_that_hangs_is_not_waited_for() -> None:
    go_on = threading.Event()
    runs: list[int] = []

    def check() -> dict[str, str]:
        runs.append(1)
        go_on.wait(60)
        return {"database": "ok"}

    bounded = BoundedCheck(check)
    assert bounded.result(0.01) is None
    assert bounded.result(0.01) is None
    assert runs == [1]  # it is not begun again while it hangs
    go_on.set()
    assert bounded.result(60) == {"database": "ok"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DatabaseTimeout("no answer within 12 seconds"), "timed_out"),
        (psycopg.errors.ConnectionTimeout("connection timeout expired"), "timed_out"),
        (psycopg.errors.QueryCanceled("canceling statement due to statement timeout"), "timed_out"),
        (
            psycopg.OperationalError("FATAL:  sorry, too many clients already"),
            "too_many_connections",
        ),
        (psycopg.OperationalError("connection failed: Connection refused"), "refused"),
        (psycopg.OperationalError("the database system is shutting down"), "shutting_down"),
        (psycopg.OperationalError("server closed the connection unexpectedly"), "lost"),
    ],
)
def test_the_log_tells_reasons_apart(error: Exception, reason: str) -> None:
    assert failure_reason(OperationalError("SELECT", {}, error)) == reason


def test_a_pool_without_a_free_connection_is_told_apart() -> None:
    error = NoConnectionFree("QueuePool limit of size 5 overflow 8 reached")
    assert failure_reason(error) == "pool_exhausted"
