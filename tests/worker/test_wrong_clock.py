"""A worker whose clock is wrong: it judges nothing, says so, and keeps nobody believing in it."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import update
from structlog.testing import capture_logs

from service.app import create_app
from service.core.clock import wall_clock
from service.db import heartbeats
from service.db.models import Decision, Heartbeat
from service.db.server_clock import MOST_DIFFERENCE, database_now, read_database_clock
from service.db.session import db, transact
from tests.servers.guarded import ROOT
from tests.servers.tree import until
from tests.support.house import House, settings_for
from tests.worker.support import never
from tests.worker.town import Town
from worker.jobs import rounds_for
from worker.schedule import job_named

AHEAD = timedelta(days=3)
# A command on a machine whose clock is three days ahead.
THREE_DAYS_AHEAD = """
import sys
from datetime import timedelta
import service.app
from service.app import create_app
from service.cli import main
from service.core.clock import wall_clock
from service.db.server_clock import read_database_clock

def ahead():
    return wall_clock() + timedelta(days=3)

service.app.create_app = lambda settings: create_app(settings, ahead, read_database_clock)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def town(request: pytest.FixtureRequest, tmp_path: Path) -> Town:
    return Town(tmp_path, request.getfixturevalue(f"{request.param}_url"), None)


def test_a_worker_three_days_ahead_answers_nothing_and_says_so(town: Town) -> None:
    with town:
        people = town.house.people("Alice", "Bob")
        town.house.game_of(*people, clock={"kind": "flat", "hours": 24})
        town.execute(update(Decision).values(due_at=wall_clock() + timedelta(days=1)))
        worker = town.start("work", program=("-c", THREE_DAYS_AHEAD))
        until(lambda: worker.has_said("clock_differs"), "the worker's refusal")
        answer = town.house.client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json is not None
        assert answer.json["worker"] == (
            "A worker's clock is 3 days, 0:00:00 ahead of the database's; "
            "it does nothing until they agree."
        )
        until(
            lambda: (
                {line.get("job") for line in worker.said() if line["event"] == "clock_differs"}
                >= {"deadlines", "purge", "letters"}
            ),
            "every job's refusal",
        )
        assert worker.stop() == 0
        assert town.count(Decision.closed_at.is_not(None)) == 0
        with town.house.app.app_context():
            assert heartbeats.lanes(database_now()) == []


def command(house: House, *arguments: str) -> tuple[int, str]:
    env = {
        "PATH": "/usr/bin:/bin",
        "LAGUNA_DATA": str(house.settings.data),
        "LAGUNA_DATABASE_URL": house.settings.database_url,
        "LAGUNA_SECRET_KEY": house.settings.secret_key,
        "LAGUNA_LOG_LEVEL": "error",
    }
    done = subprocess.run(
        [sys.executable, "-c", THREE_DAYS_AHEAD, *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_commands_refuse_too(tmp_path: Path, sqlite_url: str) -> None:
    house = House(settings_for(tmp_path, sqlite_url), wall_clock)
    code, said = command(house, "sweep")
    assert code == 2
    assert "This machine's clock differs from the database's by 3 days" in said
    assert "Traceback" not in said
    code, said = command(house, "work", "--once", "--queues", "deadlines")
    assert code == 2
    assert '"clock_differs"' in said
    code, said = command(house, "status", "--json")
    worries = json.loads(said)["worries"]
    assert any("3 days, 0:00:00 ahead of the database's" in worry for worry in worries)
    code, said = command(house, "status", "--queues", "deadlines")
    assert code == 1
    assert said.startswith("! A worker's clock is 3 days")


def app_with(house: House, difference: timedelta) -> Flask:
    """The house's database on a machine whose clock differs; it stands as the house's does."""
    return create_app(house.settings, lambda: house.clock() + difference, house.clock)


@pytest.mark.parametrize("difference", [MOST_DIFFERENCE, -MOST_DIFFERENCE])
def test_clocks_may_differ_a_little(house: House, difference: timedelta) -> None:
    job = job_named("deadlines")
    rounds = rounds_for(app_with(house, difference), never)
    rounds.do(job)
    assert not rounds.failures
    with house.app.app_context():
        [lane] = heartbeats.lanes(house.clock())
        assert (lane.at, lane.silent) == (house.clock(), False), "written by the database's clock"
        assert heartbeats.wrong_clock(house.clock()) is None


def test_a_clock_that_was_set_right_works_again(house: House) -> None:
    job = job_named("deadlines")
    behind = rounds_for(app_with(house, -2 * MOST_DIFFERENCE), never)
    with capture_logs() as logs:
        behind.do(job)
    assert [(line["event"], line["seconds"]) for line in logs] == [("clock_differs", -120)]
    with house.app.app_context():
        assert heartbeats.wrong_clock(house.clock()) == (
            "A worker's clock is 0:02:00 behind the database's; it does nothing until they agree."
        )
    rounds_for(house.app, never).do(job)
    assert house.client.get("/readyz").json["worker"] == "ok"  # type: ignore[index]
    house.clock.advance(minutes=3)
    with house.app.app_context():
        assert heartbeats.wrong_clock(house.clock()) is None, "it is long ago"


def test_a_heartbeat_from_the_future_keeps_nothing_green(any_house: House) -> None:
    rounds_for(any_house.app, never).do(job_named("deadlines"))
    assert any_house.client.get("/readyz").status_code == 200
    with any_house.app.app_context():
        later = update(Heartbeat).values(at=any_house.clock() + AHEAD)
        transact(lambda: db.session.execute(later))
    answer = any_house.client.get("/readyz")
    assert answer.status_code == 503
    assert "was not heard of since" in answer.json["worker"]  # type: ignore[index]


def test_the_clock_of_the_database_is_read_from_it(any_house: House) -> None:
    with any_house.app.app_context():
        assert abs(read_database_clock() - wall_clock()) < timedelta(hours=1)
        assert database_now() == any_house.clock(), "a clock that is handed in stands for both"
