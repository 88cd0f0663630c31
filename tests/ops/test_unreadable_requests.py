"""Requests that cannot be read, or come too slowly, by the real web server."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from service.ops.connections import Deadlines
from tests.support.served import CLIENT_SECONDS, Served, served
from tests.support.site import Site

HOST = b"Host: localhost\r\n"
CLOSE = b"Connection: close\r\n"
JSON = b"Content-Type: application/json\r\n"
SOON = Deadlines(head=0.2, body=0.2)


@pytest.fixture
def server(site: Site) -> Iterator[Served]:
    with served(site, SOON) as running:
        yield running


def problem(answer: bytes) -> tuple[int, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head.lower()
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), json.loads(body)["code"]


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"NONSENSE\r\n\r\n", 400, "malformed_request"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"No colon\r\n\r\n", 400, "malformed_request"),
        (
            b"POST /v1/games HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
            400,
            "malformed_request",
        ),
        (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, "address_too_long"),
        (b"GET /" + b"x" * 100_000, 414, "address_too_long"),
        (
            b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 40_000 + b"\r\n\r\n",
            431,
            "headers_too_large",
        ),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 300_000, 431, "headers_too_large"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: x\r\n" * 101 + b"\r\n", 431, "headers_too_large"),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X-Slow: ", 408, "request_timeout"),
        (
            b"POST /v1/sign-ins HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 10\r\n\r\n{",
            408,
            "request_timeout",
        ),
    ],
)
def test_an_unreadable_request_is_refused_in_the_usual_form(
    server: Served, request_bytes: bytes, status: int, code: str
) -> None:
    assert problem(server.raw(request_bytes)) == (status, code)


def test_a_large_body_is_refused_and_not_kept(server: Served) -> None:
    head = b"POST /v1/sign-ins HTTP/1.1\r\n" + HOST + JSON
    body = b" " * 1_100_000
    told = b"Content-Length: %d\r\n" % len(body) + CLOSE
    assert problem(server.raw(head + told + b"\r\n" + body)) == (413, "body_too_large")
    untold = b"Transfer-Encoding: chunked\r\n" + CLOSE
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert problem(server.raw(head + untold + b"\r\n" + chunk)) == (413, "body_too_large")


def test_a_silent_connection_is_closed(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), CLIENT_SECONDS) as connection:
        assert connection.recv(1) == b""
    assert not server.bridge.guard.open


def test_a_header_with_an_underscore_does_not_pass_for_another(server: Served) -> None:
    request = b"GET /v1/me HTTP/1.1\r\n" + HOST + CLOSE
    answer = server.raw(request + b"X_Request_Id: forged\r\n\r\n")
    assert b"forged" not in answer
    assert b"forged" in server.raw(request + b"X-Request-Id: forged\r\n\r\n")


def test_too_many_connections_are_refused(site: Site) -> None:
    with served(site) as server:
        server.bridge.guard.most_per_address = 2
        opened = [
            socket.create_connection(("127.0.0.1", server.port), CLIENT_SECONDS) for _ in range(2)
        ]
        for connection in opened:
            connection.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
        refused = server.raw(b"")
        assert problem(refused) == (503, "unavailable")
        assert b"Retry-After" in refused
        for connection in opened:
            connection.close()
