"""Hostile clients: slow, silent, or with a response that nobody reads.

Each class is one way to hold a connection. `Attack` opens many of them, keeps them going in one
thread and counts those that the server has closed.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

DRIP_SECONDS = 0.5
TICK_SECONDS = 0.1
RENEWED_PER_TICK = 2
GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n"


class Attacker:
    """One hostile connection; it opens and says nothing."""

    reads = True  # what the server sends is read and dropped

    def __init__(self, address: tuple[str, int], source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(address, timeout=10, source_address=(source, 0))
        self.prepare(self.socket)
        self.socket.setblocking(False)
        self.closed = False  # by the server
        self.next_drip = 0.0

    def prepare(self, connection: socket.socket) -> None:
        """Send the first bytes."""

    def drip(self) -> bytes:
        """The next bytes, twice a second."""
        return b""

    def keep_going(self, now: float) -> None:
        if now >= self.next_drip:
            self.next_drip = now + DRIP_SECONDS
            data = self.drip()
            if data:
                self._unless_closed(lambda: self.socket.send(data))
        if self.reads:
            self._unless_closed(self._read)

    def is_closed_by_server(self) -> bool:
        """Whether the server has closed the connection, also if nothing was read of it."""
        if not self.closed and not self.reads:
            self.closed = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
        return self.closed

    def _read(self) -> None:
        while True:
            if self.socket.recv(65536) == b"":
                self.closed = True
                return

    def _unless_closed(self, action: Callable[[], object]) -> None:
        try:
            action()
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.close()


class SaysNothing(Attacker):
    """Opens a connection and sends nothing."""


class NeverHangsUp(Attacker):
    """Asks for `Connection: close`, and does not close after the response."""

    def prepare(self, connection: socket.socket) -> None:
        connection.sendall(GET % b"/healthz" + b"Connection: close\r\n\r\n")


class DripsHead(Attacker):
    """Sends a header a byte at a time."""

    def prepare(self, connection: socket.socket) -> None:
        connection.sendall(GET % b"/healthz" + b"X-Slow: ")

    def drip(self) -> bytes:
        return b"x"


class DripsBody(Attacker):
    """Announces a body and sends it a byte at a time."""

    def prepare(self, connection: socket.socket) -> None:
        connection.sendall(
            b"POST /v1/sign-ins HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
        )

    def drip(self) -> bytes:
        return b" "


class NeverReads(Attacker):
    """Asks for large responses and reads none of them."""

    reads = False
    path = b"/openapi.json"
    requests = 12

    def prepare(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.sendall((GET % self.path + b"\r\n") * self.requests)


ALL: Sequence[type[Attacker]] = (NeverHangsUp, NeverReads, DripsHead, DripsBody, SaysNothing)


class Attack:
    """Many hostile clients at once, until the end of the context."""

    def __init__(
        self,
        address: tuple[str, int],
        count: int,
        kinds: Sequence[type[Attacker]] = ALL,
        source: str = "127.0.0.1",
        renew: bool = False,
    ) -> None:
        """With `renew` a client that the server has closed is followed by a new one."""
        self.address, self.count, self.kinds, self.source = address, count, kinds, source
        self.renew = renew
        self.attackers: list[Attacker] = []
        self.renewed = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._run, name="attack", daemon=True)

    def __enter__(self) -> Self:
        for number in range(self.count):
            kind = self.kinds[number % len(self.kinds)]
            self.attackers.append(kind(self.address, self.source))
        self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self.thread.join()
        for attacker in self.attackers:
            attacker.close()

    def _run(self) -> None:
        while not self.over.wait(TICK_SECONDS):
            now = time.monotonic()
            for attacker in self.attackers:
                if not attacker.closed:
                    attacker.keep_going(now)
            if self.renew:
                self._replace_closed()

    def _replace_closed(self) -> None:
        closed = [number for number, one in enumerate(self.attackers) if one.closed]
        for number in closed[:RENEWED_PER_TICK]:
            old = self.attackers[number]
            with contextlib.suppress(OSError):  # the server is being restarted: again in a moment
                self.attackers[number] = type(old)(self.address, self.source)
                old.close()
                self.renewed += 1

    def closed_by_server(self, kind: type[Attacker]) -> int:
        return sum(one.is_closed_by_server() for one in self.attackers if type(one) is kind)

    def all_closed(self, kind: type[Attacker]) -> bool:
        wanted = [one for one in self.attackers if type(one) is kind]
        return self.closed_by_server(kind) == len(wanted)
