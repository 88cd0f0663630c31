"""A sweep in which one answer fails: the others are kept, and each is made exactly once."""

import os
import subprocess
import sys
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.core.time_control import GRACE
from service.db.models import Decision, Event, Move
from service.games import deadlines
from service.games.deadlines import Attempt, Waiting, attempt_each, overdue
from service.mail.inbound.unread import has_unread_reply
from tests.support.autoplay import answer_automatically
from tests.support.site import Site
from tests.worker.support import do_everything, rows

ROOT = Path(__file__).parents[2]
GAMES = 4


def overdue_in(site: Site, games: int = GAMES) -> list[Waiting]:
    """The decisions of so many games of two people who let their time run out."""
    for number in range(games):
        site.game_of(
            *site.people(f"Alice{number}", f"Ben{number}"), clock={"kind": "flat", "hours": 1}
        )
    site.clock.advance(hours=1, seconds=GRACE.total_seconds())
    with site.app.app_context():
        return overdue(site.clock(), 100)


def attempted(site: Site, waiting: list[Waiting]) -> list[Attempt]:
    with site.app.app_context():
        return list(attempt_each(waiting, has_unread_reply))


def open_ones(site: Site) -> set[Waiting]:
    """Decisions that are overdue and were not answered."""
    found = select(Decision.game_id, Decision.id).where(
        Decision.closed_at.is_(None), Decision.due_at <= site.clock()
    )
    return {Waiting(*row) for row in rows(site, found)}


def each_was_answered_once(site: Site, waiting: Collection[Waiting]) -> None:
    """One line of the log for each, and everybody told of each line once."""
    found = select(Move.game_id, Move.decision).where(Move.via == "timeout")
    lines = [Waiting(*row) for row in rows(site, found)]
    assert sorted(lines) == sorted(waiting)
    told = select(Event.person_id, Event.data).where(Event.type == "game.moved")
    numbers = [(person, data["from"]) for person, data in rows(site, told)]
    assert len(numbers) == len(set(numbers))
    counted = select(func.max(Event.number) - func.count()).group_by(Event.person_id)
    assert {gap for (gap,) in rows(site, counted)} == {0}


def test_one_that_fails_takes_back_nothing_but_itself(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it fails when it has written all it has to write."""
    waiting = overdue_in(any_site)
    broken = waiting[2].game_id

    def answer(game_id: str, decision: str, at: datetime, _: object) -> Any:
        result = answer_automatically(game_id, decision, at)
        if game_id == broken:
            raise ValueError("a game that cannot go on")
        return result

    monkeypatch.setattr(deadlines, "answer_automatically", answer)
    with capture_logs() as logs:
        attempts = attempted(any_site, waiting)
    assert {one.waiting for one in attempts} == set(waiting)
    of_broken = {one for one in waiting if one.game_id == broken}
    assert {one.waiting for one in attempts if isinstance(one.came, ValueError)} == of_broken
    assert open_ones(any_site) == of_broken
    assert {line["event"] for line in logs} == {"not_answered"}
    each_was_answered_once(any_site, set(waiting) - of_broken)


def test_a_transient_failure_leaves_the_rest_for_later(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = overdue_in(any_site)

    def answer(game_id: str, decision: str, at: datetime, _: object) -> Any:
        result = answer_automatically(game_id, decision, at)
        if Waiting(game_id, decision) == waiting[2]:
            raise OperationalError("UPDATE game", {}, OSError("away"))
        return result

    monkeypatch.setattr(deadlines, "answer_automatically", answer)
    with pytest.raises(OperationalError):
        attempted(any_site, waiting)
    assert open_ones(any_site) == set(waiting[2:])
    monkeypatch.undo()
    assert do_everything(any_site, "deadlines") == len(waiting) - 2
    each_was_answered_once(any_site, waiting)


KILLED_IN_THE_MIDDLE = """
import os, signal, sys
from datetime import datetime
from service.games import deadlines
from service.app import create_app
from service.core.config import from_environment
from service.games.autoplay import answer_automatically
from service.mail.inbound.unread import has_unread_reply

at, left = datetime.fromisoformat(sys.argv[1]), int(sys.argv[2])

def answer(game_id, decision, at, unread_reply):
    global left
    result = answer_automatically(game_id, decision, at, unread_reply)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

deadlines.answer_automatically, deadlines.now = answer, lambda: at
with create_app(from_environment()).app_context():
    list(deadlines.attempt_each(deadlines.overdue(at, 100), has_unread_reply))
"""


def test_a_process_killed_in_the_middle_leaves_only_the_answer_under_way(site: Site) -> None:
    waiting = overdue_in(site)
    env = {
        **os.environ,
        "LAGUNA_DATA": str(site.settings.data),
        "LAGUNA_DATABASE_URL": site.settings.database_url,
        "PYTHONPATH": str(ROOT),
    }
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, site.clock().isoformat(), "3"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -9, killed.stderr
    assert open_ones(site) == set(waiting[2:])
    assert do_everything(site, "deadlines") == len(waiting) - 2
    each_was_answered_once(site, waiting)
