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
from tests.support.site import Site, settings_for
from tests.worker.running_site import RunningSite
from tests.worker.support import never
from worker.jobs import runner_for
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
def running_site(request: pytest.FixtureRequest, tmp_path: Path) -> RunningSite:
    return RunningSite(tmp_path, request.getfixturevalue(f"{request.param}_url"), None)


def test_a_worker_three_days_ahead_answers_nothing_and_says_so(running_site: RunningSite) -> None:
    with running_site:
        people = running_site.site.people("Alice", "Bob")
        running_site.site.game_of(*people, clock={"kind": "flat", "hours": 24})
        running_site.execute(update(Decision).values(due_at=wall_clock() + timedelta(days=1)))
        worker = running_site.start("work", program=("-c", THREE_DAYS_AHEAD))
        until(lambda: worker.has_said("clock_differs"), "the worker's refusal")
        answer = running_site.site.client.get("/readyz")
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
        assert running_site.count(Decision.closed_at.is_not(None)) == 0
        with running_site.site.app.app_context():
            assert heartbeats.job_heartbeats(database_now()) == []


def command(site: Site, *arguments: str) -> tuple[int, str]:
    env = {
        "PATH": "/usr/bin:/bin",
        "LAGUNA_DATA": str(site.settings.data),
        "LAGUNA_DATABASE_URL": site.settings.database_url,
        "LAGUNA_SECRET_KEY": site.settings.secret_key,
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
    site = Site(settings_for(tmp_path, sqlite_url), wall_clock)
    code, said = command(site, "sweep")
    assert code == 2
    assert "This machine's clock differs from the database's by 3 days" in said
    assert "Traceback" not in said
    code, said = command(site, "work", "--once", "--queues", "deadlines")
    assert code == 2
    assert '"clock_differs"' in said
    code, said = command(site, "status", "--json")
    warnings = json.loads(said)["warnings"]
    assert any("3 days, 0:00:00 ahead of the database's" in warning for warning in warnings)
    code, said = command(site, "status", "--queues", "deadlines")
    assert code == 1
    assert said.startswith("! A worker's clock is 3 days")


def app_with(site: Site, difference: timedelta) -> Flask:
    """An app on the site's database whose clock differs from the site's by a constant."""
    return create_app(site.settings, lambda: site.clock() + difference, site.clock)


@pytest.mark.parametrize("difference", [MOST_DIFFERENCE, -MOST_DIFFERENCE])
def test_clocks_may_differ_a_little(site: Site, difference: timedelta) -> None:
    job = job_named("deadlines")
    runner = runner_for(app_with(site, difference), never)
    runner.run(job)
    assert not runner.failures
    with site.app.app_context():
        [job_heartbeat] = heartbeats.job_heartbeats(site.clock())
        assert (job_heartbeat.at, job_heartbeat.silent) == (site.clock(), False), (
            "written by the database's clock"
        )
        assert heartbeats.wrong_clock(site.clock()) is None


def test_a_clock_that_was_set_right_works_again(site: Site) -> None:
    job = job_named("deadlines")
    behind = runner_for(app_with(site, -2 * MOST_DIFFERENCE), never)
    with capture_logs() as logs:
        behind.run(job)
    assert [(line["event"], line["seconds"]) for line in logs] == [("clock_differs", -120)]
    with site.app.app_context():
        assert heartbeats.wrong_clock(site.clock()) == (
            "A worker's clock is 0:02:00 behind the database's; it does nothing until they agree."
        )
    runner_for(site.app, never).run(job)
    assert site.client.get("/readyz").json["worker"] == "ok"  # type: ignore[index]
    site.clock.advance(minutes=3)
    with site.app.app_context():
        assert heartbeats.wrong_clock(site.clock()) is None, "it is long ago"


def test_a_heartbeat_from_the_future_keeps_nothing_green(any_site: Site) -> None:
    runner_for(any_site.app, never).run(job_named("deadlines"))
    assert any_site.client.get("/readyz").status_code == 200
    with any_site.app.app_context():
        later = update(Heartbeat).values(at=any_site.clock() + AHEAD)
        transact(lambda: db.session.execute(later))
    answer = any_site.client.get("/readyz")
    assert answer.status_code == 503
    assert "has not run since" in answer.json["worker"]  # type: ignore[index]


def test_the_clock_of_the_database_is_read_from_it(any_site: Site) -> None:
    with any_site.app.app_context():
        assert abs(read_database_clock() - wall_clock()) < timedelta(hours=1)
        assert database_now() == any_site.clock(), "a clock that is handed in stands for both"
