"""Servers for tests: shared by the whole run, or one's own to be mistreated.

Every run loads this file, so the clients of the servers are imported by who needs them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.programs import NotInstalled, chromium_program
from tests.servers.shared import AskedServers, OwnedServers, ServerBroker, Servers

if TYPE_CHECKING:
    from tests.servers.postgres import Postgres, PostgresServer
    from tests.servers.redis import Redis, RedisServer

ADDRESS = "laguna_servers"
BROWSER_REQUIRED = "LAGUNA_BROWSER_REQUIRED"
SERVERS = pytest.StashKey[Servers]()
BROKER = pytest.StashKey[ServerBroker]()
ENDING = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {})
    servers = AskedServers(given[ADDRESS]) if ADDRESS in given else OwnedServers()
    config.stash[SERVERS] = servers
    config.stash[ENDING] = ExitStack()
    config.stash[ENDING].callback(servers.close)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of pytest-xdist is about to start; this is the process that owns the servers."""
    stash = node.config.stash
    if BROKER not in stash:
        stash[BROKER] = ServerBroker(stash[SERVERS])
        stash[ENDING].callback(stash[BROKER].close)
    node.workerinput[ADDRESS] = stash[BROKER].address


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[ENDING].close()


@pytest.fixture(scope="session")
def postgres_server(pytestconfig: pytest.Config) -> Postgres:
    """The PostgreSQL of this run; tests take a database of it (`fresh_postgres`)."""
    from tests.servers.postgres import Postgres

    return Postgres(pytestconfig.stash[SERVERS].url("postgres"))


@pytest.fixture(scope="session")
def redis_server(pytestconfig: pytest.Config) -> Redis:
    """The Redis of this run; tests take a database of it (`fresh_redis`)."""
    from tests.servers.redis import Redis

    return Redis(pytestconfig.stash[SERVERS].url("redis"))


@pytest.fixture(scope="session")
def chromium_server(pytestconfig: pytest.Config) -> str:
    """Where the Chromium of this run takes orders: one for all workers, each test has a profile of
    its own in it. Without a browser these tests are skipped, unless that is not wanted."""
    try:
        chromium_program()
    except NotInstalled as missing:
        if os.environ.get(BROWSER_REQUIRED):
            raise
        pytest.skip(str(missing))
    return pytestconfig.stash[SERVERS].url("chromium")


@pytest.fixture
def fresh_postgres(postgres_server: Postgres) -> Iterator[str]:
    """URL of a new, empty database."""
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def fresh_redis(redis_server: Redis) -> Iterator[str]:
    """URL of an empty logical database; channels (publish, subscribe) are common to all."""
    url = redis_server.take_database()
    yield url
    redis_server.drop_database(url)


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that only this test uses, and may kill."""
    from tests.servers.postgres import PostgresServer

    with PostgresServer() as server:
        yield server


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A Redis that only this test uses, and may kill."""
    from tests.servers.redis import RedisServer

    with RedisServer() as server:
        yield server
