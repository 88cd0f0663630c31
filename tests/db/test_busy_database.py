"""SQLite while others write: a waiting writer gets its turn, or a clear answer."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.core.errors import Problem
from service.db import sqlite
from service.db.session import is_transient, transact
from tests.support.site import Site


def _path(site: Site) -> Path:
    return Path(site.settings.database_url.removeprefix("sqlite:///"))


@pytest.fixture
def _locked(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another writer holds the lock for longer than anybody waits."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(_path(site), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@pytest.mark.usefixtures("_locked")
def test_a_locked_database_is_a_transient_failure(site: Site) -> None:
    with site.app.app_context(), pytest.raises(Problem) as raised:
        transact(lambda: None)
    assert is_transient(raised.value)


def test_a_request_to_a_locked_database_may_be_repeated(
    site: Site, request: pytest.FixtureRequest
) -> None:
    anna = site.person("Anna")
    request.getfixturevalue("_locked")
    answer = anna.post("/v1/games", {"game": "millefiori", "seats": 2})
    problem = answer.json
    assert problem is not None
    assert (answer.status_code, problem["code"]) == (503, "unavailable")
    assert problem["detail"] == "The database is busy. Nothing was changed; please retry."
    assert answer.headers["Retry-After"] == "5"


def test_a_waiting_writer_gets_the_lock_at_the_first_poll_after_its_release(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's own busy handler would sleep up to 0.1 s, and miss the gaps of a continuous
    writer."""
    other = sqlite3.connect(_path(site), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    polls: list[float] = []

    def sleep(seconds: float) -> None:
        polls.append(seconds)
        if len(polls) == 3:
            other.rollback()

    monkeypatch.setattr(sqlite, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    with site.app.app_context():
        transact(lambda: None)
    other.close()
    assert polls == [sqlite.WRITE_LOCK_POLL_SECONDS] * 3
