"""The worker as a process of its own, without Redis, and how its commands are called."""

import gc
from pathlib import Path
from typing import Any

import pytest
from celery import signals
from sqlalchemy import text

from service.cli import main
from service.cli.up import _children
from service.core.clock import wall_clock
from service.db import heartbeats
from service.db.session import db
from tests.servers.tree import until
from tests.support.site import SECRET_KEY, Site, settings_for
from tests.worker.running_site import RunningSite
from worker import runner
from worker.schedule import JOBS, QUEUES


def test_one_process_does_everything_and_ends_when_asked_to(
    tmp_path: Path, sqlite_url: str
) -> None:
    with RunningSite(tmp_path, sqlite_url, None) as running_site:
        running_site.overdue_games(1)
        (dora,) = running_site.site.people("Dora")
        game_id = running_site.site.game_of(dora, bots=2)
        dora.plays(game_id)
        running_site.letters("anna")
        worker = running_site.start("work")
        running_site.until_done()
        running_site.until_mailed("anna", "dora")
        assert dora.sees(game_id)["decision"]["revising"] is False

        def job_heartbeats() -> set[str]:
            with running_site.site.app.app_context():
                return {
                    job_heartbeat.name
                    for job_heartbeat in heartbeats.job_heartbeats(wall_clock())
                    if not job_heartbeat.silent
                }

        until(lambda: job_heartbeats() == {job.name for job in JOBS}, "a run of every job")
        running_site.check()
        assert worker.stop() == 0
        events = [line["event"] for line in worker.said()]
        assert (events[0], events[-1]) == ("worker_started", "worker_stopped")
        assert not [line for line in worker.said() if line["level"] != "info"]


def test_new_processes_use_no_connection_of_the_one_they_come_from(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))

    def connect() -> Any:
        with site.app.app_context():
            with db.engine.connect() as connection:
                connection.execute(text("SELECT 1"))
            return db.engine.pool

    assert connect().checkedin() == 1
    runner._prepare_to_fork(site.app)
    with site.app.app_context():
        assert db.engine.pool.checkedin() == 0  # type: ignore[attr-defined]
    before = connect()
    signals.worker_process_init.send(sender=None)
    with site.app.app_context():
        assert db.engine.pool is not before
    assert before.checkedin() == 1, "it is left to the process that opened it"
    before.dispose()
    assert frozen == [True]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"DATA": str(tmp_path), "REDIS_URL": "", "SECRET_KEY": SECRET_KEY}.items():
        monkeypatch.setenv(f"LAGUNA_{name}", value)


@pytest.mark.usefixtures("environment")
def test_beat_needs_redis_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["beat"]) == 2
    assert "needs LAGUNA_REDIS_URL" in capsys.readouterr().err


@pytest.mark.usefixtures("environment")
def test_an_unknown_queue_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["work", "--queues", "mail,nails"]) == 2
    assert "There is no queue 'nails'; the queues are deadlines, mail" in capsys.readouterr().err


@pytest.mark.parametrize("redis_url", [None, "redis://localhost"])
def test_up_starts_a_worker_for_every_queue(redis_url: str | None) -> None:
    settings = settings_for(Path("unused"), "sqlite://", redis_url=redis_url)
    commands = {child.name: list(child.command[3:]) for child in _children(settings, socket=7)}
    for command in commands.values():
        assert command[-1] == "--until-stdin-ends"
    queues: list[str] = []
    for command in commands.values():
        if command[0] == "work":
            given = command[command.index("--queues") + 1] if "--queues" in command else ""
            queues += given.split(",") if given else QUEUES
    assert sorted(queues) == sorted(QUEUES)
    expected = {"web", "worker"} if redis_url is None else {"web", "worker", "bots", "beat"}
    assert set(commands) == expected
