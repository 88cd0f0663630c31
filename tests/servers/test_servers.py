"""The servers of the tests are real, can be mistreated, and leave nothing behind."""

import socket
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import psycopg
import pytest
import redis

from tests.servers import postgres, server
from tests.servers import redis as redis_
from tests.servers.account import may_enter
from tests.servers.guarded import NotStarted
from tests.servers.ports import free_port
from tests.servers.postgres import Postgres, PostgresServer
from tests.servers.redis import Redis, RedisServer
from tests.servers.tree import runs

SEGMENTS = Path("/proc/sysvipc/shm")


def write(url: str) -> None:
    with postgres.connection(url) as database:
        database.execute("CREATE TABLE pots (colour text)")
        database.execute("INSERT INTO pots VALUES ('amber')")


def read(url: str) -> list[tuple[str, ...]]:
    with postgres.connection(url) as database:
        return database.execute("SELECT colour FROM pots").fetchall()


def test_a_row_can_be_written_and_read(fresh_postgres: str) -> None:
    write(fresh_postgres)
    assert read(fresh_postgres) == [("amber",)]


def test_two_fresh_databases_know_nothing_of_each_other(
    fresh_postgres: str, postgres_server: Postgres
) -> None:
    write(fresh_postgres)
    other = postgres_server.create_database()
    with pytest.raises(psycopg.errors.UndefinedTable):
        read(other)
    postgres_server.drop_database(other)


def test_a_database_can_be_the_copy_of_another(
    fresh_postgres: str, postgres_server: Postgres
) -> None:
    write(fresh_postgres)
    copy = postgres_server.create_database(template=fresh_postgres)
    assert read(copy) == [("amber",)]
    postgres_server.drop_database(copy)


def test_a_dropped_database_is_gone_though_somebody_was_connected(
    postgres_server: Postgres,
) -> None:
    url = postgres_server.create_database()
    with postgres.connection(url) as client:
        postgres_server.drop_database(url)
        with pytest.raises(psycopg.OperationalError):
            client.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        read(url)


def test_what_was_committed_survives_kill_and_start(own_postgres: PostgresServer) -> None:
    first = own_postgres.pid
    children = psutil.Process(first).children()
    write(own_postgres.url)
    own_postgres.kill()
    assert children
    assert not any(map(runs, children))
    with pytest.raises(psycopg.OperationalError):
        read(own_postgres.url)
    own_postgres.start()
    assert read(own_postgres.url) == [("amber",)]
    assert own_postgres.pid != first


def test_a_stopped_postgres_starts_again(own_postgres: PostgresServer) -> None:
    write(own_postgres.url)
    own_postgres.stop("fast")
    assert not own_postgres.answers()
    own_postgres.start()
    assert read(own_postgres.url) == [("amber",)]


def test_after_the_context_no_process_and_no_file_of_postgres_is_left() -> None:
    with PostgresServer() as own:
        process = psutil.Process(own.pid)
        everybody = [process, *process.children(recursive=True)]
        assert runs(process)
    assert not any(map(runs, everybody))
    assert not own.home.exists()


@pytest.mark.skipif(not SEGMENTS.exists(), reason="this system does not list them")
def test_a_killed_postgres_leaves_no_shared_memory() -> None:
    with PostgresServer() as own:
        pid = str(own.pid)
        creators = [line.split()[4] for line in SEGMENTS.read_text().splitlines()]
        assert pid in creators
        own.kill()
    assert pid not in [line.split()[4] for line in SEGMENTS.read_text().splitlines()]


def test_what_redis_answered_survives_kill_and_start(own_redis: RedisServer) -> None:
    with redis_.connection(own_redis.url) as client:
        client.set("pot", "amber")
    own_redis.kill()
    with pytest.raises(redis.ConnectionError), redis_.connection(own_redis.url) as client:
        client.ping()
    own_redis.start()
    with redis_.connection(own_redis.url) as client:
        assert client.get("pot") == "amber"


def test_a_paused_redis_is_silent_until_it_is_resumed(own_redis: RedisServer) -> None:
    own_redis.pause()
    impatient = f"{own_redis.url}?socket_timeout=0.2"
    with pytest.raises(redis.TimeoutError), redis_.connection(impatient) as client:
        client.ping()
    own_redis.resume()
    with redis_.connection(own_redis.url) as client:
        assert client.ping()


def test_after_the_context_even_a_paused_redis_is_gone() -> None:
    with RedisServer() as own:
        process = psutil.Process(own.pid)
        own.pause()
        assert runs(process)
    assert not runs(process)
    assert not own.home.exists()


def test_fresh_redis_is_empty_and_apart(fresh_redis: str, redis_server: Redis) -> None:
    other = redis_server.take_database()
    with redis_.connection(fresh_redis) as one, redis_.connection(other) as two:
        assert one.dbsize() == 0
        one.set("pot", "amber")
        assert two.get("pot") is None
        redis_server.drop_database(fresh_redis)
        assert one.dbsize() == 0


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_only_this_machine_can_connect(kind: str, request: pytest.FixtureRequest) -> None:
    own: server.Server = request.getfixturevalue(f"own_{kind}")
    socket.create_connection(("127.0.0.1", own.port)).close()
    for address in ("127.0.0.2", "::1"):
        with pytest.raises(OSError, match=r"refused|assign|unreachable|timed out"):
            socket.create_connection((address, own.port), timeout=2)


def test_connections_need_the_password(postgres_server: Postgres, redis_server: Redis) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        read(postgres_server.url.replace("laguna:", "laguna:not-"))
    with (
        pytest.raises(redis.AuthenticationError),
        redis_.connection(f"redis://{redis_server.url.partition('@')[2]}") as client,
    ):
        client.ping()


def test_a_taken_port_is_left_to_its_user(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = iter([own_redis.port, free_port()])
    monkeypatch.setattr(server, "free_port", lambda: next(ports))
    with RedisServer() as second:
        assert second.port != own_redis.port
        assert own_redis.answers()


def test_a_server_that_cannot_start_says_why(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "free_port", lambda: own_redis.port)
    with pytest.raises(NotStarted, match="Address already in use"), RedisServer():
        pass


def test_postgres_runs_though_the_temporary_folder_and_the_programs_are_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(postgres, "may_enter", lambda folder: False)
    assert not may_enter(tmp_path)
    with PostgresServer() as own:
        write(own.url)
        assert read(own.url) == [("amber",)]
