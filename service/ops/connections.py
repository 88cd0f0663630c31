"""Client connections: limits on their number, and deadlines against slow clients.

uvicorn reads and writes; `Connection` observes it. A client that sends its request head too slowly,
or does not read its response, is disconnected. None of that takes a thread.
"""

import asyncio
import math
import socket
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
import structlog
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from service.core.errors import Problem

log = structlog.get_logger()

GUARD = "laguna_guard"  # in the state of the ASGI lifespan
CONNECTION = "laguna_connection"  # in the state of each request
SWEEP_SECONDS = 1.0
LONGEST_LINE = 8190  # bytes of a path with its query
LARGEST_HEAD = 32 * 1024  # bytes of a request line and its headers
MOST_HEADERS = 100
LINGER_SECONDS = 2.0  # for the client to read a refusal
IN_FLIGHT_SECONDS = 1.0  # for the next request of an idle connection when the server stops


@dataclass(frozen=True)
class Deadlines:
    """Seconds for each part of a request and its response."""

    head: float = 10.0  # from the first byte (or the connection) to the end of the headers
    body: float = 20.0  # from the end of the headers to the end of the body
    write: float = 30.0  # to read the response, and more for a large one:
    write_rate: float = 20_000.0  # bytes per second


def problem_bytes(refusal: Problem) -> bytes:
    """A refusal as JSON, for responses made without Flask."""
    return orjson.dumps(refusal.as_json())


def _whole_response(refusal: Problem) -> bytes:
    body = problem_bytes(refusal)
    extra = "".join(f"{name}: {value}\r\n" for name, value in refusal.headers.items())
    head = (
        f"HTTP/1.1 {refusal.status} Refused\r\n"
        "Connection: close\r\n"
        "Content-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n{extra}\r\n"
    )
    return head.encode() + body


UNREADABLE = Problem("malformed_request", "The request is not valid HTTP/1.1.")
LINE_TOO_LONG = Problem("address_too_long", "The request URL is too long.")
HEAD_TOO_LARGE = Problem("headers_too_large", "The request headers are too large.")
HEAD_TOO_SLOW = Problem("request_timeout", "The request took too long to arrive.")
TOO_MANY_CONNECTIONS = Problem(
    "unavailable", "Too many connections. Please retry.", headers={"Retry-After": "5"}
)


class Guard:
    """The open connections of this process. 0 means no limit."""

    def __init__(self, deadlines: Deadlines, most: int = 0, most_per_address: int = 0) -> None:
        self.deadlines, self.most, self.most_per_address = deadlines, most, most_per_address
        self.open: set[Connection] = set()
        self.by_address: Counter[str] = Counter()
        self.stoppers: list[Callable[[], None]] = []
        self.stopping = False

    def when_stopping(self, stop: Callable[[], None]) -> None:
        """Call this when the server begins to stop."""
        self.stoppers.append(stop)

    def stop(self) -> None:
        self.stopping = True
        while self.stoppers:
            self.stoppers.pop()()

    def admits(self, address: str) -> bool:
        """Whether one more connection from this address is within the limits."""
        if self.most and len(self.open) >= self.most:
            return False
        return not self.most_per_address or self.by_address[address] < self.most_per_address

    def add(self, connection: "Connection") -> None:
        self.open.add(connection)
        self.by_address[connection.address] += 1

    def remove(self, connection: "Connection") -> None:
        if connection in self.open:
            self.open.remove(connection)
            self.by_address[connection.address] -= 1
            if not self.by_address[connection.address]:
                del self.by_address[connection.address]

    async def run(self) -> None:
        """Disconnect clients whose time is up, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            for connection in list(self.open):
                connection.check(now)


class Connection(HttpToolsProtocol):
    """uvicorn's HTTP protocol with deadlines, and problem+json for unreadable requests."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, CONNECTION: self}, _loop)
        self.guard: Guard = app_state[GUARD]
        self.address = ""
        self.refused = False
        self.busy = False  # a request is being answered
        self.in_head = True
        self.head_bytes = 0
        self.line_bytes = 0
        self.head_by = math.inf
        self.write_by = math.inf

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if isinstance(peer, tuple) else ""
        if not self.guard.admits(self.address):
            log.warning("too_many_connections", open=len(self.guard.open))
            transport.write(_whole_response(TOO_MANY_CONNECTIONS))
            transport.close()
            return
        self.guard.add(self)
        self.head_by = self.loop.time() + self.guard.deadlines.head
        if self.guard.stopping:  # it was accepted just before
            self.shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.guard.remove(self)

    def data_received(self, data: bytes) -> None:
        if self.refused:
            return
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_by == math.inf:
                self.head_by = self.loop.time() + self.guard.deadlines.head
        super().data_received(data)
        if self.in_head and self.head_bytes > LARGEST_HEAD and not self.refused:
            self._refuse(LINE_TOO_LONG if self.line_bytes > LONGEST_LINE else HEAD_TOO_LARGE)

    # Callbacks of the parser, see the documentation of httptools

    def on_url(self, url: bytes) -> None:
        self.line_bytes += len(url)
        super().on_url(url)

    def on_headers_complete(self) -> None:
        self.in_head = False
        self.busy = True
        self.head_by = math.inf
        super().on_headers_complete()
        if self.guard.stopping:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self.in_head = True
        self.head_bytes = self.line_bytes = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(UNREADABLE)

    def shutdown(self) -> None:
        """Close the connection, because the server stops.

        The next request of an idle connection may be in flight; closing at once would reset it.
        The response to it closes the connection.
        """
        self.guard.stop()
        if self.busy:
            super().shutdown()
        else:
            self.loop.call_later(IN_FLIGHT_SECONDS, super().shutdown)

    def expect_write(self, size: int) -> None:
        """Set the deadline by which the client must have read a response of this size."""
        if self.write_by == math.inf:
            deadlines = self.guard.deadlines
            self.write_by = self.loop.time() + deadlines.write + size / deadlines.write_rate

    def check(self, now: float) -> None:
        """Disconnect the client if its time is up."""
        if self.transport.get_write_buffer_size() == 0:
            self.write_by = math.inf
        elif now > self.write_by:
            log.info("client_too_slow")
            self._reset()
            return
        if now > self.head_by:
            self.head_by = math.inf
            if self.head_bytes:
                self._refuse(HEAD_TOO_SLOW)
            else:
                self.transport.close()

    def _reset(self) -> None:
        """End the connection at once; the kernel drops unsent data."""
        opened = self.transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _refuse(self, refusal: Problem) -> None:
        """Send the refusal, and close a little later: closing at once would reset a connection on
        which the client is still sending, before it has read the refusal."""
        self.refused = True
        self.head_by = math.inf
        if not self.transport.is_closing():
            log.info("request_refused", code=refusal.code)
            self.transport.write(_whole_response(refusal))
            if self.busy:  # uvicorn may still write, which is an error after `write_eof`
                self.transport.close()
            else:
                self.transport.write_eof()
                self.loop.call_later(LINGER_SECONDS, self.transport.abort)
