"""A test site behind the real web server, in a thread of the test."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import uvicorn

from service.ops.asgi import Bridge
from service.ops.connections import Deadlines
from service.ops.server import server_config
from tests.support.site import Site

CLIENT_SECONDS = 60
START_SECONDS = 60


class Served:
    """Requests by HTTP."""

    def __init__(self, port: int, bridge: Bridge, server: uvicorn.Server) -> None:
        self.port, self.bridge, self.server = port, bridge, server
        self.connections: list[HTTPConnection] = []
        self.responses: list[HTTPResponse] = []

    def open(
        self, path: str, token: str | None = None, **headers: str
    ) -> tuple[HTTPConnection, HTTPResponse]:
        """Send a request and read the head of its response."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=CLIENT_SECONDS)
        self.connections.append(connection)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        self.responses.append(response)
        return connection, response

    def get(self, path: str, token: str | None = None) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON."""
        connection, response = self.open(path, token)
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = response.read()
        connection.close()
        return response.status, headers, json.loads(body)

    def stream(self, token: str | None, after: int = 0) -> "Stream":
        connection, response = self.open(
            f"/v1/events?after={after}", token, Accept="text/event-stream"
        )
        return Stream(connection, response)

    def stop(self) -> None:
        """Ask the server to stop."""
        self.server.should_exit = True

    def close(self) -> None:
        """Hang up, wherever a test did not."""
        for response in self.responses:
            response.close()
        for connection in self.connections:
            connection.close()

    def raw(self, request: bytes, ends: bool = False) -> bytes:
        """All that the server sends before it closes."""
        with socket.create_connection(("127.0.0.1", self.port), CLIENT_SECONDS) as connection:
            connection.sendall(request)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)


class Stream:
    """A stream of events as a client reads it."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        self.connection, self.response = connection, response

    def blocks(self) -> Iterator[dict[str, str]]:
        """The fields of each block; ends with the stream."""
        fields: dict[str, str] = {}
        for line in self.response:
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif fields:
                yield fields
                fields = {}

    def events(self) -> Iterator[dict[str, Any]]:
        for fields in self.blocks():
            if "data" in fields:
                yield json.loads(fields["data"])

    def close(self) -> None:
        self.response.close()
        self.connection.close()


@contextmanager
def served(site: Site, deadlines: Deadlines | None = None) -> Iterator[Served]:
    """The web server of the service for a test site, on a free port."""
    bridge = Bridge(site.app, site.settings, deadlines=deadlines)
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    server = uvicorn.Server(server_config(site.settings, lambda: bridge))
    thread = threading.Thread(target=server.run, args=([listening],), name="server")
    thread.start()
    running = Served(listening.getsockname()[1], bridge, server)
    try:
        yield running
    finally:
        running.stop()
        thread.join(START_SECONDS)
        running.close()
        assert not thread.is_alive()
