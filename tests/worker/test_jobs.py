"""What the worker does while nobody is calling, job by job."""

import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import func, select
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from structlog.testing import capture_logs

from engine.verify import verify
from service.accounts.sign_in import ask_to_sign_in
from service.core.errors import Problem
from service.core.time_control import GRACE, PAUSE_FOR
from service.db.models import Decision, Delivery, Event, Game, KeptAnswer, Letter, SignIn
from service.db.session import is_transient, transact
from service.games import audit as auditing
from service.games import deadlines
from service.games.deadlines import Waiting, overdue, waiting_for_bots
from service.mail.outgoing import sender
from service.notify import letter_planner as planner
from service.notify import reminders
from tests.support.autoplay import answer_automatically
from tests.support.receiver import Receiver
from tests.support.site import FIRST_GAME, Site
from tests.worker.support import Ticking, do_everything, never, rows
from worker import jobs
from worker.job_run import RUN_SECONDS, JobRunner
from worker.jobs import DEFER_SECONDS, AnswerJob, functions, runner_for
from worker.schedule import JOBS, jobs_of

ROOT = Path(__file__).parents[2]
A_DAY = {"kind": "flat", "hours": 24}


def count(site: Site, model: type) -> int:
    [[number]] = rows(site, select(func.count()).select_from(model))
    return int(number)


def test_bots_answer_until_it_is_a_persons_turn(any_site: Site) -> None:
    (alice,) = any_site.people("Alice")
    game_id = any_site.game_of(alice, bots=2)
    alice.plays(game_id)
    assert do_everything(any_site, "bots") > 0
    assert alice.sees(game_id)["decision"]["revising"] is False
    assert do_everything(any_site, "bots") == 0


def test_a_decision_is_answered_when_its_time_is_up_and_not_before(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, clock=A_DAY)
    first = alice.sees(game_id)["decision"]["id"]
    any_site.clock.advance(hours=24, seconds=GRACE.total_seconds() - 1)
    assert do_everything(any_site, "deadlines") == 0
    any_site.clock.advance(seconds=1)
    assert do_everything(any_site, "deadlines") == 2
    assert rows(any_site, select(Decision.closed_at, Decision.via).where(Decision.id == first)) == [
        (any_site.clock(), "timeout")
    ]


@pytest.mark.parametrize("which", ["bots", "deadlines"])
def test_a_game_that_cannot_go_on_stops_no_other(
    site: Site, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    if which == "bots":
        broken, sound = site.game_of(alice, bots=1), site.game_of(bob, bots=1)
        find = lambda _, most: waiting_for_bots(most)  # noqa: E731
    else:
        broken = site.game_of(alice, bob, clock=A_DAY)
        sound = site.game_of(bob, carol, clock=A_DAY)
        site.clock.advance(hours=24, seconds=GRACE.total_seconds())
        find = overdue
    tried: list[str] = []

    def sometimes(game_id: str, *rest: object) -> object:
        tried.append(game_id)
        if game_id == broken:
            raise RuntimeError("a bot that cannot think")
        return answer_automatically(game_id, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(deadlines, "answer_automatically", sometimes)
    clock = Ticking()
    answering = AnswerJob(find, clock)
    with site.app.app_context(), capture_logs() as logs:
        answered = answering(never)
        assert answered == tried.count(sound) > 0
        failures = tried.count(broken)
        assert answering(never) == 0
        assert tried.count(broken) == failures, "it rests"
        clock.at += DEFER_SECONDS
        answering(never)
        assert tried.count(broken) == 2 * failures
    assert {line["event"] for line in logs} == {"not_answered"}


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("SELECT :secret", {"secret": "s3cret"}, OSError("away")),
        SoftTimeLimitExceeded(),
        Problem("unavailable", "The database is busy."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_transient_error_ends_the_run(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    (alice,) = site.people("Alice")
    site.game_of(alice, bots=1)
    tried: list[object] = []

    def fail(*arguments: object) -> None:
        tried.append(arguments)
        raise error

    monkeypatch.setattr(deadlines, "answer_automatically", fail)
    runner = runner_for(site.app, never)
    with capture_logs() as logs:
        assert runner.run_all(jobs_of(["bots"])) == (0, False)
    assert [(line["event"], line["job"]) for line in logs] == [("job_failed", "bots")]
    assert "s3cret" not in str(logs)
    assert len(tried) == 1
    answering = runner.functions["bots"]
    assert isinstance(answering, AnswerJob)
    assert answering.deferred == {}, "it is tried again with the next run"


def test_processes_do_not_all_begin_with_the_same_decision() -> None:
    waiting = [Waiting(game, "r1") for game in "abc"]
    orders = [jobs._from_random_place(waiting) for _ in range(200)]
    assert all(sorted(order) == waiting for order in orders)
    assert len({order[0] for order in orders}) == 3
    assert jobs._from_random_place([]) == []


def test_events_become_letters_and_reminders(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    any_site.game_of(alice, bob, clock=A_DAY)
    any_site.clock.advance(minutes=5)
    do_everything(any_site, "mail")
    sent = [letter for letter in any_site.letters() if letter.sent_at is not None]
    assert {letter.to for letter in sent} == {"alice@example.org", "bob@example.org"}
    any_site.clock.advance(hours=20)
    do_everything(any_site)
    reminded = select(func.count()).where(Event.type == "decision.reminder")
    assert rows(any_site, reminded) == [(2,)]
    do_everything(any_site)
    assert rows(any_site, reminded) == [(2,)]


def fails(*_: object) -> int:
    raise RuntimeError("cannot be done")


@pytest.mark.parametrize("failing", ["plan_letters", "send_letters"])
def test_settling_and_sending_do_not_stop_each_other(
    site: Site, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    alice, bob = site.people("Alice", "Bob")
    site.game_of(alice, bob)
    with site.app.app_context():
        transact(lambda: ask_to_sign_in("carol@example.org", site.clock()))
    monkeypatch.setattr(planner if failing == "plan_letters" else sender, failing, fails)
    with capture_logs() as logs:
        _, well = runner_for(site.app, never).run_all(jobs_of(["mail"]))
    assert not well
    assert {line["event"] for line in logs} >= {"job_failed"}
    found = {(letter.kind, letter.state) for letter in site.letters()}
    expected = ("sign_in", "sent") if failing == "plan_letters" else ("turn", "pending")
    assert expected in found


def test_settling_for_long_does_not_keep_a_code_waiting(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Ticking()

    def without_end(*_: object) -> int:
        clock.at += RUN_SECONDS / 2
        return 50

    monkeypatch.setattr(planner, "plan_letters", without_end)
    with site.app.app_context():
        transact(lambda: ask_to_sign_in("carol@example.org", site.clock()))
    runner = JobRunner(site.app, functions(print), never, clock)
    for job in jobs_of(["mail"]):
        runner.run(job)
    assert [letter.state for letter in site.letters()] == ["sent"]


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (OperationalError("SELECT", {}, OSError("away")), True),
        (InterfaceError("SELECT", {}, OSError("away")), True),
        (NoConnectionFree("all are used"), True),
        (Problem("unavailable", "The database is busy."), True),
        (SoftTimeLimitExceeded(), True),
        (Problem("not_found", "There is no such game."), False),
        (IntegrityError("INSERT", {}, ValueError("a row")), False),
        (DataError("INSERT", {}, ValueError("a value")), False),
        (RuntimeError("a bot that cannot think"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_transient_and_permanent_failures_are_distinguished(
    error: Exception, passing: bool
) -> None:
    assert is_transient(error) == passing


def test_webhooks_are_called(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    object.__setattr__(any_site.settings, "open_webhooks", True)
    with Receiver() as receiver:
        made = alice.post("/v1/webhooks", {"url": receiver.url()})
        assert made.status_code == 201, made.json
        any_site.game_of(alice, bob)
        do_everything(any_site, "webhooks")
        assert count(any_site, Delivery) == len(receiver.received) > 0
        do_everything(any_site, "webhooks")
        assert len(set(receiver.ids)) == len(receiver.received)


def test_a_pause_that_took_long_enough_ends(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, clock=A_DAY)
    for player in (alice, bob):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    paused = select(Game.paused_at)
    do_everything(any_site, "upkeep")
    assert rows(any_site, paused) == [(any_site.clock(),)]
    any_site.clock.at += PAUSE_FOR
    do_everything(any_site, "upkeep")
    assert rows(any_site, paused) == [(None,)]


def test_running_games_are_audited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    audited: list[str] = []
    whole = auditing.audit_game

    def audit(game: str, at: datetime) -> auditing.Audit:
        audited.append(game)
        return whole(game, at)

    monkeypatch.setattr(auditing, "audit_game", audit)
    do_everything(site, "upkeep")
    assert audited == [game_id]


@pytest.mark.parametrize(("share", "games"), [(0, 0), (5, 15), (10, 30), (33, 40)])
def test_audits_take_their_share_of_a_minute(
    site: Site, monkeypatch: pytest.MonkeyPatch, share: int, games: int
) -> None:
    """A game takes 0.2 seconds here: in three seconds there is time for fifteen."""
    clock, left = Ticking(), [40]

    def some(_: datetime, most: int) -> int:
        done = min(most, left[0])
        left[0] -= done
        clock.at += 0.2 * done
        return done

    monkeypatch.setattr(auditing, "audit_some", some)
    object.__setattr__(site.settings, "audit_share", share)
    with site.app.app_context():
        assert jobs.audit_games(never, clock) == games
        assert jobs.audit_games(lambda: True, clock) == 0


def test_expired_rows_are_purged(site: Site) -> None:
    (alice,) = site.people("Alice")
    wanted = {"game": FIRST_GAME, "seats": 2}
    made = alice.post("/v1/games", wanted, headers={"Idempotency-Key": "k"})
    assert made.status_code == 201
    with site.app.app_context():
        transact(lambda: ask_to_sign_in("bob@example.org", site.clock()))
    do_everything(site)
    assert (count(site, KeptAnswer), count(site, SignIn)) == (1, 1)
    site.clock.advance(days=1, seconds=1)
    do_everything(site)
    assert (count(site, KeptAnswer), count(site, SignIn)) == (0, 1)
    site.clock.advance(days=6)
    do_everything(site)
    assert (count(site, SignIn), count(site, Letter)) == (0, 1)
    site.clock.at += timedelta(days=30)
    do_everything(site)
    assert count(site, Letter) == 0


def test_a_job_goes_on_until_nothing_is_left_or_it_is_asked_to_stop(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {"plan_letters": 3, "remind": 3, "send_letters": 3}

    def some(name: str) -> int:
        left[name] -= 1
        return 50 if left[name] >= 0 else 0

    monkeypatch.setattr(planner, "plan_letters", lambda *_: some("plan_letters"))
    monkeypatch.setattr(reminders, "remind", lambda *_: some("remind"))
    monkeypatch.setattr(sender, "send_letters", lambda *_: some("send_letters"))
    with site.app.app_context():
        asked = iter([False, False, True])
        assert jobs.remind(lambda: next(asked)) == 100
        assert jobs.plan_letters(never) == 150
        assert jobs.send_letters(never) == 150
    assert left == {"plan_letters": -1, "remind": 1, "send_letters": -1}


def test_every_job_has_a_function() -> None:
    assert set(functions(print)) == {job.name for job in JOBS}


def test_two_workers_answer_every_decision_exactly_once(site: Site) -> None:
    """Two processes on one file, and a game that only bots play."""
    (alice,) = site.people("Alice")
    game_id = site.game_of(alice, bots=2)
    site.leave_to_bots(game_id)
    env = {
        **os.environ,
        "LAGUNA_DATA": str(site.settings.data),
        "LAGUNA_DATABASE_URL": site.settings.database_url,
        "LAGUNA_LOG_LEVEL": "warning",
    }
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "service.cli", "work", "--once", "--queues", "bots"],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], said
    assert [errors for _, errors in said] == ["", ""]
    answered = sum(int(out.split()[0]) for out, _ in said)
    # The first one to find nothing ends; then the other plays alone. Together they did it all.
    assert alice.sees(game_id)["status"] == "finished"
    assert answered == count(site, Decision)
    record = alice.get(f"/v1/games/{game_id}/record").text.splitlines()
    assert verify(record).outcome is not None
