"""`laguna serve` as a process, and clients that measure it."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.servers.guarded import ROOT
from tests.servers.ports import free_port
from tests.servers.tree import kill_tree, runs, until

NO_LIMITS = {
    "LAGUNA_LIMIT_REQUESTS": "1000000 per minute",
    "LAGUNA_LIMIT_ANONYMOUS_REQUESTS": "1000000 per minute",
}
CLIENT_SECONDS = 60  # that a client waits for a response


class Web:
    """A running `laguna serve`."""

    def __init__(self, data: Path, program: Path | str = ROOT, **environment: str) -> None:
        self.port = free_port()
        self.data, self.program = data, program
        clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
        clean.pop("PROMETHEUS_MULTIPROC_DIR", None)
        self.environment = {
            **clean,
            **NO_LIMITS,
            "LAGUNA_DATA": str(data),
            "LAGUNA_PORT": str(self.port),
            "LAGUNA_SECRET_KEY": "0123456789abcdef" * 4,
            "LAGUNA_WEB_WORKERS": "2",
            **environment,
        }
        self.log = data / "serve.log"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "serve"],
                cwd=self.program,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.tree = psutil.Process(self.process.pid)
        until(self.answers, "an answer of the web process")

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def get(self, path: str, seconds: float = CLIENT_SECONDS) -> tuple[int, bytes]:
        """Status and body."""
        status, _, body = self.get_all(path, seconds)
        return status, body

    def get_all(
        self, path: str, seconds: float = CLIENT_SECONDS, token: str | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection(*self.address, timeout=seconds)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            given = {name.lower(): value for name, value in response.getheaders()}
            return response.status, given, response.read()
        finally:
            connection.close()

    def answers(self) -> bool:
        try:
            return self.get("/healthz")[0] == 200
        except (OSError, HTTPException):
            return False

    def took(self, path: str, times: int) -> float:
        """The median seconds of so many requests."""
        return median(self._took(path) for _ in range(times))

    def _took(self, path: str) -> float:
        began = time.perf_counter()
        assert self.get(path)[0] == 200
        return time.perf_counter() - began

    def workers(self) -> set[int]:
        """The processes that serve."""
        found = set()
        for child in self.tree.children(recursive=True):
            with contextlib.suppress(psutil.Error):  # it has just ended
                if runs(child) and "resource_tracker" not in " ".join(child.cmdline()):
                    found.add(child.pid)
        return found

    def raw(self, request: bytes) -> bytes:
        """All that the server sends before it closes."""
        with socket.create_connection(self.address, timeout=CLIENT_SECONDS) as connection:
            connection.sendall(request)
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)

    def command(self, *words: str) -> str:
        """What another command says, run with the same settings."""
        done = subprocess.run(
            [sys.executable, "-m", "service.cli", *words],
            cwd=ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def error_fields(self, event: str) -> list[dict[str, Any]]:
        """The lines of the log for an event."""
        lines = (json.loads(line) for line in self.log.read_text().splitlines() if line[:1] == "{")
        return [line for line in lines if line["event"] == event]


@contextmanager
def serving(
    data: Path, upgrade: bool = True, program: Path | str = ROOT, **environment: str
) -> Iterator[Web]:
    """A web server on a database of its own, if none is named."""
    web = Web(data, program, **environment)
    if upgrade:
        web.command("db", "upgrade")
    try:
        web.start()
        yield web
    finally:
        kill_tree(web.tree)
        web.process.wait()
