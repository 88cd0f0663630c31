"""Where one writes at a time several answers share a turn to write, and are as safe as alone."""

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
from service.core.worker_signal import set_waker
from service.db.models import Decision, Event, Move
from service.games import deadlines
from service.games.deadlines import Attempt, Waiting, attempt_some, overdue
from service.games.moves import Result, answer_for_absent
from tests.support.house import House
from tests.worker.support import do_everything, rows

ROOT = Path(__file__).parents[2]
GAMES = 4


@pytest.fixture(autouse=True)
def _no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, a turn is as long as a test wants it."""
    monkeypatch.setattr(deadlines, "LONGEST_TURN", 60.0)


def overdue_in(house: House, games: int = GAMES) -> list[Waiting]:
    """The decisions of so many games of two people who let their time run out."""
    for number in range(games):
        house.game_of(
            *house.people(f"Alice{number}", f"Ben{number}"), clock={"kind": "flat", "hours": 1}
        )
    house.clock.advance(hours=1, seconds=GRACE.total_seconds())
    with house.app.app_context():
        return overdue(house.clock(), 100)


def attempted(house: House, waiting: list[Waiting]) -> list[Attempt]:
    with house.app.app_context():
        return attempt_some(waiting, house.clock())


def open_ones(house: House) -> set[Waiting]:
    """Decisions that are overdue and were not answered."""
    found = select(Decision.game_id, Decision.id).where(
        Decision.closed_at.is_(None), Decision.due_at <= house.clock()
    )
    return {Waiting(*row) for row in rows(house, found)}


def each_was_answered_once(house: House, waiting: Collection[Waiting]) -> None:
    """One line of the log for each, and everybody told of each line once."""
    found = select(Move.game_id, Move.decision).where(Move.via == "timeout")
    lines = [Waiting(*row) for row in rows(house, found)]
    assert sorted(lines) == sorted(waiting)
    told = select(Event.person_id, Event.data).where(Event.type == "game.moved")
    numbers = [(person, data["from"]) for person, data in rows(house, told)]
    assert len(numbers) == len(set(numbers))
    counted = select(func.max(Event.number) - func.count()).group_by(Event.person_id)
    assert {gap for (gap,) in rows(house, counted)} == {0}


def test_several_share_a_turn_where_there_is_only_one_at_a_time(any_house: House) -> None:
    waiting = overdue_in(any_house)
    attempts = attempted(any_house, waiting)
    on_sqlite = any_house.settings.database_url.startswith("sqlite")
    assert [one.waiting for one in attempts] == (waiting if on_sqlite else waiting[:1])
    assert all(isinstance(one.came, Result) for one in attempts)
    each_was_answered_once(any_house, [one.waiting for one in attempts])


@pytest.mark.parametrize(("limit", "value", "together"), [
    ("MOST_IN_A_TURN", 3, 3),
    ("LONGEST_TURN", 0.0, 1),
])  # fmt: skip
def test_a_turn_ends_before_others_wait_for_long(
    house: House, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, together: int
) -> None:
    waiting = overdue_in(house)
    monkeypatch.setattr(deadlines, limit, value)
    assert [one.waiting for one in attempted(house, waiting)] == waiting[:together]
    assert open_ones(house) == set(waiting[together:])
    assert do_everything(house, "deadlines") == len(waiting) - together
    each_was_answered_once(house, waiting)


def test_who_waits_to_write_is_let_in_between_turns(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = overdue_in(house)
    monkeypatch.setattr(deadlines, "MOST_IN_A_TURN", 3)
    left: list[int] = []
    monkeypatch.setattr(deadlines, "give_way", lambda: left.append(len(open_ones(house))))
    assert do_everything(house, "deadlines") == len(waiting) == 8
    assert left == [5, 2], "others could read what was done, and write"


def test_one_that_fails_takes_back_nothing_but_itself(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it fails when it has written all it has to write."""
    waiting = overdue_in(house)
    broken = waiting[2].game_id

    def answer(game_id: str, decision: str, at: datetime) -> Any:
        result = answer_for_absent(game_id, decision, at)
        if game_id == broken:
            raise ValueError("a game that cannot go on")
        return result

    monkeypatch.setattr(deadlines, "answer_for_absent", answer)
    with capture_logs() as logs:
        attempts = attempted(house, waiting)
    assert {one.waiting for one in attempts} == set(waiting)
    of_broken = {one for one in waiting if one.game_id == broken}
    assert {one.waiting for one in attempts if isinstance(one.came, ValueError)} == of_broken
    assert open_ones(house) == of_broken
    assert {line["event"] for line in logs} == {"not_answered"}
    each_was_answered_once(house, set(waiting) - of_broken)


def test_what_lies_in_the_moment_leaves_the_whole_turn_for_later(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = overdue_in(house)
    woken: list[Collection[str]] = []
    set_waker(house.app, woken.append)

    def answer(game_id: str, decision: str, at: datetime) -> Any:
        result = answer_for_absent(game_id, decision, at)
        if Waiting(game_id, decision) == waiting[2]:
            raise OperationalError("UPDATE game", {}, OSError("away"))
        return result

    monkeypatch.setattr(deadlines, "answer_for_absent", answer)
    with pytest.raises(OperationalError):
        attempted(house, waiting)
    assert open_ones(house) == set(waiting)
    assert woken == [], "nothing happened that anybody would have to look at"
    monkeypatch.undo()
    assert do_everything(house, "deadlines") == len(waiting)
    each_was_answered_once(house, waiting)


KILLED_IN_THE_MIDDLE = """
import os, signal, sys
from datetime import datetime
from service.games import deadlines
from service.app import create_app
from service.core.config import from_environment
from service.games.moves import answer_for_absent

at, left = datetime.fromisoformat(sys.argv[1]), int(sys.argv[2])

def answer(game_id, decision, at):
    global left
    result = answer_for_absent(game_id, decision, at)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

deadlines.answer_for_absent, deadlines.LONGEST_TURN = answer, 60.0
with create_app(from_environment()).app_context():
    deadlines.attempt_some(deadlines.overdue(at, 100), at)
"""


def test_who_is_killed_in_the_middle_of_a_turn_leaves_all_of_it(house: House) -> None:
    waiting = overdue_in(house)
    env = {
        **os.environ,
        "LAGUNA_DATA": str(house.settings.data),
        "LAGUNA_DATABASE_URL": house.settings.database_url,
        "PYTHONPATH": str(ROOT),
    }
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, house.clock().isoformat(), "3"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -9, killed.stderr
    assert open_ones(house) == set(waiting)
    assert do_everything(house, "deadlines") == len(waiting)
    each_was_answered_once(house, waiting)
