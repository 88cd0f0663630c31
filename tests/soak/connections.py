"""Broken connections of honest clients: excused only by the kill of the process that held them.

The killer suspends a process, lists its connections and then kills it, so that each loss is
compared with the connections that this kill must have broken.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

WEB = "web"
WEB_SUPERVISOR = "web supervisor"
WEB_RESTART = "web restart"


@dataclass(frozen=True)
class Kill:
    """SIGKILL to one process, or the restart of the web processes."""

    at: float
    role: str
    ports: frozenset[int] = frozenset()  # the clients' ends of the connections it held
    stopped: float | None = None  # when web processes had ended that stopped because of it


@dataclass(frozen=True)
class Loss:
    """A request or a stream without a complete response."""

    what: str
    began: float  # the request
    at: float
    opened: float  # when the client began to connect
    port: int | None  # the client's end; None: there was no connection
    reused: bool = False  # the connection had answered a request before
    answered: bool = False  # the head of the response had come
    timeout: bool = False  # the client gave up


class Verdict(Enum):
    """Reason for a loss."""

    KILLED = "connections lost, held by a killed web process"
    KILLED_IDLE = "connections lost, idle when their web process was killed"
    STOPPED_IDLE = "connections lost, idle when their web process stopped"
    UNEXCUSED = "connections lost without excuse"


def judge(loss: Loss, kills: Iterable[Kill]) -> Verdict:
    """Find the kill that must have broken this connection.

    A web process that stops, for a restart or because its supervisor was killed, answers the
    requests under way and closes idle connections. The next request of a client can cross that:
    HTTP/1.1 cannot avoid it (RFC 9112, 9.3.1), and clients send such a request again.
    """
    if loss.timeout or loss.port is None:
        return Verdict.UNEXCUSED
    unanswered = loss.reused and not loss.answered
    for kill in kills:
        if kill.role == WEB and loss.port in kill.ports and loss.opened <= kill.at <= loss.at:
            if loss.began <= kill.at:
                return Verdict.KILLED
            if unanswered:
                return Verdict.KILLED_IDLE
        if kill.stopped is not None and unanswered and kill.at <= loss.at <= kill.stopped:
            return Verdict.STOPPED_IDLE
    return Verdict.UNEXCUSED


class Trace:
    """The connection of a client that sends one request at a time; httpcore calls it."""

    def __init__(self) -> None:
        self.began = self.opened = 0.0
        self.port: int | None = None
        self.reused = self.answered = False

    def begin(self) -> Mapping[str, Any]:
        """Extensions of the next request."""
        self.began = time.monotonic()
        self.reused, self.answered = True, False
        return {"trace": self}

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.started":
            self.opened, self.port, self.reused = time.monotonic(), None, False
        elif event == "connection.connect_tcp.complete":
            self.port = info["return_value"].get_extra_info("client_addr")[1]
        elif event == "http11.receive_response_headers.complete":
            self.answered = True

    def loss(self, what: str, error: Exception, timeout: bool) -> Loss:
        now = time.monotonic()
        use = "reused" if self.reused else "new"
        return Loss(
            f"{what}: {error!r} after {now - self.began:.2f} s on a {use} connection",
            self.began,
            now,
            self.opened,
            self.port,
            self.reused,
            self.answered,
            timeout,
        )
