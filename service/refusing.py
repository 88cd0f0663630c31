"""Requests that gunicorn cannot even read: refused in the same form as everything else."""

import socket
import struct
from typing import Any

import orjson
import structlog
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from service.problems import Refused

log = structlog.get_logger()
PATIENCE = 10  # seconds for the next bytes of a request


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads, with problems instead of its pages."""

    def handle(self, conn: Any) -> Any:
        be_patient(conn.sock)
        return super().handle(conn)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        if not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        refusal = _refusal(exc)
        log.info("unreadable_request", code=refusal.code)
        try:
            write_nonblock(client, _answer(refusal))
        except OSError:
            log.debug("unreadable_request_gone")


def be_patient(client: socket.socket, microseconds: int = PATIENCE * 1_000_000) -> None:
    """Wait so long for the next bytes and no longer: whoever sends half a request would keep a
    thread for good. By the system, since gunicorn sets the limit of the socket itself to none."""
    limit = struct.pack("ll", *divmod(microseconds, 1_000_000))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)


def _refusal(error: ParseException) -> Refused:
    if isinstance(error, LimitRequestLine):
        return Refused("address_too_long", "The address of the request is too long.")
    if isinstance(error, LimitRequestHeaders):
        return Refused("headers_too_large", "The headers of the request are too large.")
    return Refused("malformed_request", "This is not a request of HTTP that we can read.")


def _answer(refusal: Refused) -> bytes:
    body = orjson.dumps(refusal.as_json())
    head = (
        f"HTTP/1.1 {refusal.status} Refused\r\n"
        "Connection: close\r\n"
        "Content-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
