"""Fixtures of test sites, on SQLite or on both databases."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from sqlalchemy import create_engine
from structlog.typing import EventDict

from service.db.migrations import upgrade
from service.db.session import db
from service.db.sqlite import prepare_engine
from tests.servers.postgres import Postgres
from tests.support.limited import LimitedSites
from tests.support.post import mail_arrives
from tests.support.site import Caller, Site, settings_for


@pytest.fixture(scope="session", autouse=True)
def quiet_logs() -> None:
    """Only what went wrong is worth reading beside a failed test. (Tests may still capture all.)"""

    def only_errors(_: object, method: str, event: EventDict) -> EventDict:
        if method not in ("error", "exception", "critical"):
            raise structlog.DropEvent
        return event

    structlog.configure(
        processors=[
            only_errors,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(),
        ],
        cache_logger_on_first_use=False,
    )


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all tables and nothing in them."""
    path = tmp_path_factory.mktemp("template") / "laguna.db"
    engine = create_engine(f"sqlite:///{path}")
    prepare_engine(engine)
    with engine.begin() as connection:
        upgrade(connection)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> str:
    """A fresh database in a file of its own."""
    path = tmp_path / "laguna.db"
    shutil.copy(migrated_sqlite, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: Postgres) -> str:
    """A database with all tables, to make others from."""
    url = postgres_server.create_database()
    engine = create_engine(url)
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    return url


@pytest.fixture
def postgresql_url(postgres_server: Postgres, migrated_postgres: str) -> Iterator[str]:
    """A fresh database of the real thing."""
    url = postgres_server.create_database(migrated_postgres)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    """The service on SQLite."""
    yield from _lived_in(Site(settings_for(tmp_path, sqlite_url)))


@pytest.fixture(params=["sqlite", "postgresql"])
def any_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """The service, once on each database."""
    url = request.getfixturevalue(f"{request.param}_url")
    yield from _lived_in(Site(settings_for(tmp_path, url)))


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters as they are when nothing can be drawn, for tests of who gets which of them when: to
    draw takes a third of what a letter takes."""
    monkeypatch.setattr("service.mail.outgoing.compose.game_context.Table.picture", lambda _: None)


def _lived_in(site: Site) -> Iterator[Site]:
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def limited(sqlite_url: str, tmp_path: Path) -> Iterator[LimitedSites]:
    """Factory of sites with limits that a test can reach."""
    sites = LimitedSites(tmp_path, sqlite_url)
    yield sites
    sites.close()


@pytest.fixture
def anna(site: Site) -> Caller:
    return site.person("Anna")


@pytest.fixture
def ben(site: Site) -> Caller:
    return site.person("Ben")


@pytest.fixture
def game(site: Site, anna: Caller, ben: Caller) -> str:
    """A game in which both are asked, and have a mail that says so."""
    game_id = site.game_of(anna, ben, title="Evening round")
    mail_arrives(site)
    return game_id
