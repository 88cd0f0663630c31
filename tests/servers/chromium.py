"""A real browser, which takes orders of Playwright."""

import json
import secrets
import socket
import sys

from tests.servers.guarded import Guarded
from tests.servers.programs import chromium_program
from tests.servers.server import Server


class ChromiumServer(Server):
    """The system's Chromium. Whoever knows the address may open pages in it."""

    name = "chromium"

    def prepare(self) -> None:
        self._path = f"/{secrets.token_hex(16)}"

    def settle(self, port: int) -> None:
        self.port = port
        self.url = f"ws://127.0.0.1:{port}{self._path}"
        options = {
            "host": "127.0.0.1",
            "port": port,
            "wsPath": self._path,
            "executablePath": str(chromium_program()),
        }
        (self.home / "options.json").write_text(json.dumps(options))

    def launch(self) -> Guarded:
        order = ("launch-server", "--browser", "chromium", "--config", "options.json")
        return Guarded([sys.executable, "-m", "playwright", *order], self.home)

    def answers(self) -> bool:
        """It listens once the browser runs."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self) -> None:
        if self._process:
            self._process.kill()
