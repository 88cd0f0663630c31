"""A live site with a running clock, links to itself in its mails, and bots that play."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.core.clock import wall_clock
from service.core.config import Limits, Settings
from service.db.session import db
from tests.clients.live import DATABASE, LiveServer
from tests.support.site import Caller, ManualClock, Site, settings_for

LOOK_EVERY = 0.1  # seconds: nobody wants to wait, and the browser needs the processor too
NO_LIMITS = Limits(
    requests="100000 per minute",
    anonymous_requests="100000 per minute",
    sign_ins_per_client="100000 per hour",
    joins="100000 per hour",
    offers="100000 per hour",
)


class RunningClock(ManualClock):
    """The time of the browser, which shows how much of it is left."""

    def __call__(self) -> datetime:
        return wall_clock()


def served(home: str) -> Flask:
    """The app that the server runs."""
    return create_app(_settings(Path(home)))


def _settings(home: Path) -> Settings:
    return settings_for(
        home,
        f"sqlite:///{home / DATABASE}",
        public_url=(home / "url").read_text(),
        limits=NO_LIMITS,
        mail_delay=0,
    )


class SiteServer(LiveServer):
    application = "tests.browser.running_site:served"

    def settle(self, port: int) -> None:
        super().settle(port)
        (self.home / "url").write_text(self.url)


class RunningSite:
    """The server, and the same site in process, to sign people in and let bots play."""

    def __init__(self, server: SiteServer) -> None:
        self.server, self.url = server, server.url
        clock = RunningClock()
        self.inside = Site(_settings(server.home), clock)
        self.inside.clock = clock
        # That answers fit the contract is shown elsewhere.
        self.inside.client = FlaskClient(self.inside.app, self.inside.app.response_class)
        self._guests = 0
        self._playing = threading.Lock()

    def address(self, name: str) -> str:
        """One that nobody had before: several tests have an Anna."""
        self._guests += 1
        return f"{name.lower()}-{self._guests}@example.org"

    def person(self, name: str) -> Caller:
        """Somebody who needs no browser."""
        return self.inside.person(name, self.address(name))

    def let_bots_play(self) -> None:
        with self._playing:
            self.inside.let_bots_play()

    def restart(self) -> None:
        """The server is gone at once, and back."""
        self.server.kill()
        self.server.start()


@contextmanager
def running_site_of(migrated: Path) -> Iterator[RunningSite]:
    """A site in which bots play."""
    with SiteServer(migrated) as server:
        running_site, over = RunningSite(server), threading.Event()

        def keep_playing() -> None:
            while not over.wait(LOOK_EVERY):
                running_site.let_bots_play()

        bots = threading.Thread(target=keep_playing)
        bots.start()
        try:
            yield running_site
        finally:
            over.set()
            bots.join()
            with running_site.inside.app.app_context():
                db.engine.dispose()
