"""Connections of a web server that stops: no request on its way meets a closed connection."""

import socket
from http.client import HTTPConnection, HTTPResponse

import pytest

from service.ops import connections
from service.ops import server as web_server
from tests.servers.tree import until
from tests.support.served import CLIENT_SECONDS, Served, served
from tests.support.site import Site

HOUR = 3600.0


def opened(server: Served, requests: int) -> HTTPConnection:
    """A connection that has had so many requests and is idle."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=CLIENT_SECONDS)
    server.connections.append(connection)
    connection.connect()
    for _ in range(requests):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert response.getheader("Connection") is None
        response.read()
    guard = server.bridge.guard
    until(lambda: any(not one.busy for one in guard.open), "an idle connection")
    return connection


@pytest.mark.parametrize("requests", [0, 1, 2])
def test_the_request_of_an_idle_connection_is_answered_while_the_server_stops(
    site: Site, monkeypatch: pytest.MonkeyPatch, requests: int
) -> None:
    monkeypatch.setattr(connections, "IN_FLIGHT_SECONDS", HOUR)
    with served(site) as server:
        connection = opened(server, requests)
        server.stop()
        until(lambda: server.bridge.guard.stopping, "the stop")
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert (response.status, response.getheader("Connection")) == (200, "close")
        response.read()


@pytest.mark.parametrize("requests", [0, 1])
def test_a_connection_that_stays_idle_is_closed_when_the_server_stops(
    site: Site, monkeypatch: pytest.MonkeyPatch, requests: int
) -> None:
    monkeypatch.setattr(connections, "IN_FLIGHT_SECONDS", 0.0)
    with served(site) as server:
        connection = opened(server, requests)
        server.stop()
        assert connection.sock.recv(1) == b""


def test_a_request_beyond_the_grace_period_gets_503(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "GRACE", 0.1)
    with (
        served(site) as server,
        socket.create_connection(("127.0.0.1", server.port), CLIENT_SECONDS) as connection,
    ):
        head = b"POST /v1/sign-ins HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
        connection.sendall(head)
        until(lambda: any(one.busy for one in server.bridge.guard.open), "a request under way")
        server.stop()
        response = HTTPResponse(connection)
        response.begin()
        assert (response.status, response.getheader("Connection")) == (503, "close")
        assert response.getheader("Retry-After") == "2"
        assert b'"unavailable"' in response.read()
