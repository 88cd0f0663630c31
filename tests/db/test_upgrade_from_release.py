"""The step from a released version's data to the present tables: nothing is lost, games go on.

`releases/0.1.0.db.xz` was written by that release: finished, running, paused and open games of both
types, letters, deliveries, and events for which nobody had settled yet what to mail.
"""

import json
import lzma
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Boolean,
    Connection,
    DateTime,
    Engine,
    MetaData,
    Table,
    create_engine,
    func,
    inspect,
    select,
    text,
)

from engine.verify import verify
from service.db.migrations import current_revision, downgrade, newest_revision, upgrade
from service.db.models import Decision
from service.db.session import Base, db
from service.db.sqlite import prepare_engine
from service.games import audit
from tests.support.commands import Said, set_environment
from tests.support.site import Caller, Site, settings_for
from tests.worker.support import do_everything

RELEASE = Path(__file__).parent / "releases"
KNOWN = json.loads((RELEASE / "0.1.0.json").read_text(encoding="utf-8"))
GAMES: dict[str, str] = KNOWN["games"]
FIRST = "0001"
# Which rows there are is nobody's data: when jobs ran, and where they left off.
NOT_DATA = {"alembic_version", "heartbeat", "bookmark"}


def released_file(folder: Path) -> Path:
    path = folder / "laguna.db"
    path.write_bytes(lzma.decompress((RELEASE / "0.1.0.db.xz").read_bytes()))
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database as 0.1.0 left it."""
    path = released_file(tmp_path)
    if request.param == "sqlite":
        engine = create_engine(f"sqlite:///{path}")
    else:
        engine = create_engine(request.getfixturevalue("fresh_postgres"))
        with engine.begin() as connection:
            upgrade(connection, FIRST)
            _copy(path, connection)
    prepare_engine(engine)
    yield engine
    engine.dispose()


def _copy(path: Path, target: Connection) -> None:
    tables = MetaData()
    tables.reflect(target)
    with sqlite3.connect(path) as source:
        source.row_factory = sqlite3.Row
        for table in tables.sorted_tables:
            if table.name == "alembic_version":
                continue
            order = "ORDER BY created_at" if "created_at" in table.c else ""
            rows = source.execute(f'SELECT * FROM "{table.name}" {order}')  # noqa: S608 - our names
            for row in rows:
                target.execute(table.insert().values(_values(table, dict(row))))
    source.close()


def _values(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """SQLite keeps instants as text in UTC and truth as a number."""
    for column in table.columns:
        value = row[column.name]
        if value is not None and isinstance(column.type, DateTime):
            row[column.name] = datetime.fromisoformat(value).replace(tzinfo=UTC)
        elif value is not None and isinstance(column.type, Boolean):
            row[column.name] = bool(value)
    return row


def counts(connection: Connection) -> dict[str, int]:
    """Rows by table."""
    names = set(inspect(connection).get_table_names()) - NOT_DATA
    return {
        name: connection.execute(text(f'SELECT count(*) FROM "{name}"')).scalar_one()  # noqa: S608
        for name in names
    }


@pytest.fixture
def site(released: Engine, tmp_path: Path) -> Iterator[Site]:
    """The present service on the data of 0.1.0, at the instant when that release stopped."""
    with released.begin() as connection:
        upgrade(connection)
    url = released.url.render_as_string(hide_password=False).replace("+psycopg", "")
    site = Site(settings_for(tmp_path, url, secret_key=KNOWN["secret_key"]))
    site.clock.at = datetime.fromisoformat(KNOWN["at"])
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def people(site: Site) -> list[Caller]:
    return [Caller(site.client, KNOWN["tokens"][name], name) for name in ("Anna", "Ben", "Cleo")]


def test_all_rows_are_there_after_every_migration(released: Engine) -> None:
    with released.begin() as connection:
        assert current_revision(connection) == FIRST
        before = counts(connection)
        assert before["move"] > 100
        upgrade(connection)
        assert current_revision(connection) == newest_revision()
        after = counts(connection)
    assert {name: after[name] for name in before} == before


def test_going_back_and_forth_keeps_what_0_1_0_had(released: Engine) -> None:
    with released.begin() as connection:
        before = counts(connection)
        upgrade(connection)
        downgrade(connection, FIRST)
        assert counts(connection) == before
        upgrade(connection)
        for table in Base.metadata.sorted_tables:  # and the models can read all of it
            connection.execute(select(table)).all()


def test_games_that_ended_are_as_they_were(site: Site) -> None:
    anna = people(site)[0]
    game = anna.sees(GAMES["finished"])
    assert game["outcome"]["scores"] == KNOWN["finished"]["scores"]
    record = anna.get(f"/v1/games/{GAMES['finished']}/record").text.splitlines()
    assert verify(record).outcome is not None
    log = anna.get(f"/v1/games/{GAMES['finished']}/log?limit=200").json
    assert log is not None
    assert len(log["items"]) == KNOWN["finished"]["moves"]


@pytest.mark.parametrize("game", ["running", "second", "timed_out", "to_be_settled"])
def test_running_games_are_played_to_the_end(site: Site, game: str) -> None:
    anna, ben, cleo = people(site)
    game_id = GAMES[game]
    players = (ben, cleo) if game in ("second", "timed_out") else (anna, ben)
    shown = site.play_to_the_end(game_id, *players)
    assert shown["status"] == "finished"
    record = players[0].get(f"/v1/games/{game_id}/record").text.splitlines()
    assert verify(record).outcome is not None


def test_every_game_passes_the_audit(site: Site) -> None:
    with site.app.app_context():
        games = audit.games_to_audit(finished=True)
        assert len(games) >= 6
        assert all(audit.audit_game(game_id, site.clock()).clean for game_id in games)


def test_the_worker_goes_on_where_it_stopped(site: Site) -> None:
    """Events that were not settled become letters; deadlines, reminders and pauses are kept."""
    site.clock.advance(minutes=10)
    do_everything(site)
    told = [letter for letter in site.letters() if letter.game_id == GAMES["to_be_settled"]]
    assert {letter.to for letter in told} == {"anna@example.org", "ben@example.org"}
    site.clock.advance(days=2)
    do_everything(site)
    with site.app.app_context():
        answered = select(func.count()).where(
            Decision.game_id == GAMES["to_be_settled"], Decision.via == "timeout"
        )
        assert db.session.execute(answered).scalar_one() > 0
        paused = select(func.count()).where(
            Decision.game_id == GAMES["paused"], Decision.via == "timeout"
        )
        assert db.session.execute(paused).scalar_one() == 0
    anna = people(site)[0]
    assert anna.sees(GAMES["paused"])["status"] == "running"
    assert anna.get("/v1/webhooks").status_code == 200


def test_a_database_of_0_1_0_starts_with_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = released_file(tmp_path)
    set_environment(monkeypatch, f"sqlite:///{path}", tmp_path)
    said = Said(capsys)
    assert "revision 0001" in said.wrong("status")
    assert said.well("db", "upgrade").startswith("upgraded from 0001 to ")
    assert "audited, 0 with differences" in said.well("audit", "--all")
