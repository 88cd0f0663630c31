"""Receiver of webhooks: a real HTTP server with prescribed responses."""

import ssl
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import NamedTuple, Self


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Keeps what it is sent. `answers` are given in turn, then 204.

    `on_request` runs before the answer; `raw` writes an answer of its own to the connection.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.answers: list[tuple[int, Mapping[str, str]]] = []
        self.on_request: Callable[[], object] | None = None
        self.raw: Callable[[Callable[[bytes], object]], object] | None = None
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._tls = tls is not None
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, host: str = "127.0.0.1", path: str = "/hook") -> str:
        return f"http{'s' if self._tls else ''}://{host}:{self.port}{path}"

    @property
    def ids(self) -> list[str]:
        return [received.headers["webhook-id"] for received in self.received]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that hung up; the test looks at the caller's side."""


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            if receiver.on_request is not None:
                receiver.on_request()
            if receiver.raw is not None:
                receiver.raw(self.wfile.write)
                return
            status, extra = receiver.answers.pop(0) if receiver.answers else (204, {})
            self.send_response(status)
            for name, value in extra.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    return Handler
