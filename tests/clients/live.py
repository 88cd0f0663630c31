"""A live site: the real app behind a real HTTP server, with bots that play."""

import shutil
import socket
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from importlib import import_module
from pathlib import Path

from flask import Flask

from service.app import create_app
from service.core.config import Settings
from service.db.session import db
from service.ops import watcher
from service.ops.asgi import Bridge
from service.ops.server import serve_forever
from tests.servers.guarded import ROOT, Guarded
from tests.servers.server import Server
from tests.support.site import ManualClock, Site, settings_for

BACKLOG = 2048
LOOK_EVERY = 0.02  # seconds: these players do not think for days
DATABASE = "laguna.db"


def served(home: str) -> Flask:
    """The app that the server runs. Its clock stands, as inside."""
    return create_app(_settings(Path(home)), ManualClock())


def _settings(home: Path) -> Settings:
    return settings_for(home, f"sqlite:///{home / DATABASE}")


def serve(application: str, home: str, port: str) -> None:
    """Run the server of the service on this port, with the app of a function of the tests."""
    module, _, name = application.partition(":")
    app: Flask = getattr(import_module(module), name)(home)
    watcher.POLL_SECONDS = LOOK_EVERY
    settings: Settings = app.config["LAGUNA"]
    listening = socket.create_server(("127.0.0.1", int(port)), backlog=BACKLOG)
    serve_forever(settings, listening.detach(), lambda _: Bridge(app, settings))


class LiveServer(Server):
    """The server of the service with our app on a database of its own."""

    name = "site"
    application = "tests.clients.live:served"

    def __init__(self, migrated: Path) -> None:
        super().__init__()
        self._migrated = migrated

    def prepare(self) -> None:
        shutil.copy(self._migrated, self.home / DATABASE)

    def settle(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def launch(self) -> Guarded:
        program = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tests.clients.live as live"
        )
        call = f"live.serve({self.application!r}, {str(self.home)!r}, {str(self.port)!r})"
        command = [sys.executable, "-c", f"{program}; {call}"]
        return Guarded(command, self.home)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=10) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except (OSError, HTTPException):  # also a busy machine that takes too long to answer
            return False

    def close(self) -> None:
        if self._process:
            self._process.kill()


class LiveSite:
    """The server, and the same site in process, to sign people in and let bots play."""

    def __init__(self, server: LiveServer) -> None:
        self.url = server.url
        self.inside = Site(_settings(server.home))

    def token(self, name: str) -> str:
        """What a person who has signed in would make for a program."""
        person = self.inside.person(name)
        secret = person.token_with("games:read", "games:play", "tables:seek").token
        assert secret is not None
        return secret


@contextmanager
def living(migrated: Path, bots_look_every: float = LOOK_EVERY) -> Iterator[LiveSite]:
    """A site in which bots play until the test is over."""
    with LiveServer(migrated) as server:
        site = LiveSite(server)
        over = threading.Event()

        def keep_playing() -> None:
            while not over.wait(bots_look_every):
                site.inside.let_bots_play()

        bots = threading.Thread(target=keep_playing)
        bots.start()
        try:
            yield site
        finally:
            over.set()
            bots.join()
            with site.inside.app.app_context():
                db.engine.dispose()
