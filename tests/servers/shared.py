"""One server of each kind for the whole run, started when the first test asks for it.

The process the user started owns the servers: workers of pytest-xdist come and go. They ask it for
the URL through a socket, whose address it gives them when they start.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from multiprocessing.connection import Client, Listener
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from tests.servers.server import Server

Kind = Literal["postgres", "redis", "chromium"]


def new_server(kind: Kind) -> Server:
    """Imported only now: most runs of a few tests need none."""
    if kind == "postgres":
        from tests.servers.postgres import PostgresServer

        return PostgresServer()
    if kind == "chromium":
        from tests.servers.chromium import ChromiumServer

        return ChromiumServer()
    from tests.servers.redis import RedisServer

    return RedisServer()


class Servers(Protocol):
    def url(self, kind: Kind) -> str: ...

    def close(self) -> None: ...


class OwnedServers:
    """The servers of this run, in the process that owns them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._started: dict[Kind, str] = {}

    def url(self, kind: Kind) -> str:
        if kind not in self._started:
            self._started[kind] = self._stack.enter_context(new_server(kind)).url
        return self._started[kind]

    def close(self) -> None:
        self._stack.close()
        self._started.clear()


class ServerBroker:
    """Socket on which workers request servers, in a directory that only its owner can enter."""

    def __init__(self, servers: OwnedServers) -> None:
        self._servers = servers
        self._listener = Listener(family="AF_UNIX", backlog=128)
        self.address = str(self._listener.address)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        """One after the other, so that two who come together do not start two servers."""
        while True:
            # A worker that crashes while it waits is no concern of the others.
            with suppress(EOFError, OSError), self._listener.accept() as worker:
                kind = worker.recv()
                if kind is None:
                    return
                try:
                    worker.send(self._servers.url(kind))
                except Exception as error:
                    worker.send(RuntimeError(f"{kind} for all workers: {error}"))

    def close(self) -> None:
        with Client(self.address) as own:
            own.send(None)
        self._thread.join()
        self._listener.close()


class AskedServers:
    """The same servers, seen from a worker."""

    def __init__(self, address: str) -> None:
        self._address = address

    def url(self, kind: Kind) -> str:
        with Client(self._address) as broker:
            broker.send(kind)
            answer = broker.recv()
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    def close(self) -> None:
        """They belong to somebody else."""
