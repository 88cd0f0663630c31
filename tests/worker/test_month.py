"""A month with many games and people, by a clock that only the test moves.

Every game ends, whatever its players do; every decision is closed exactly once; and the letters of
every person are those that follow from the rules, counted by a second calculation.
"""

import os
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import event

from service.core.config import Retention
from service.db.session import db
from service.games import audit as auditing
from tests.support.site import Site, settings_for
from tests.worker.month.comparing import Reckoned, counted, reckoned
from tests.worker.month.people import BEGIN, END, everybody
from tests.worker.month.reckoning import DAY, HOUR, MINUTE, Span
from tests.worker.month.simulation import Simulation
from tests.worker.month.tables import all_tables

SEED = int(os.environ.get("MONTH_SEED", "2026"))  # another month: other people, other habits
PEOPLE = 60
GAMES = 210  # at some of these tables nobody sits down any more
AT_LEAST = 200
MAIL_DELAY = 10 * MINUTE
# Twice the worker does not run: for a night, and while Europe puts its clocks back.
OUTAGES = (
    Span(BEGIN + 9 * DAY + 6 * HOUR, BEGIN + 9 * DAY + 20 * HOUR),
    Span(BEGIN + 22 * DAY + 15 * HOUR, BEGIN + 22 * DAY + 16 * HOUR + 40 * MINUTE),
)
LETTERS = {
    *("turn", "digest", "reminder", "away", "started", "finished", "mention", "cancelled"),
    "rematch",
}
# How often something has to happen at least to have been shown.
WANTED = {
    "due moved by sleep": 100,
    "clock stood for an absence": 50,
    "clocks on the wall changed": 30,
    "answered too late": 100,
    "due while the worker was out": 2,
    "kept by a bot": 30,
    "came back": 8,
    "answered twice": 10,
    "answered twice: decision_closed": 100,
    "answered: decision_closed": 10,
    "changed a pick": 5,
    "resigned": 2,
    "left for good": 2,
    "ended a pause": 2,
    "pauses that expired": 1,
    "answered by bots": 500,
    "announced an absence": 15,
    "waited a little longer": 10,
}


@pytest.fixture
def month(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulation]:
    """The month before it begins: people have moved in, and know what they will play."""
    rng = Random(SEED)
    monkeypatch.setattr(secrets, "token_bytes", rng.randbytes)  # ids and shuffles
    kept = Retention(**dict.fromkeys(Retention.__dataclass_fields__, 0))  # for ever: all is read
    site = Site(settings_for(tmp_path, sqlite_url, mail_delay=MAIL_DELAY.seconds, retention=kept))
    with site.app.app_context():
        event.listen(db.engine, "connect", _in_a_hurry)
        simulation = Simulation(site, rng, BEGIN, OUTAGES)
        people = everybody(rng, PEOPLE)
        simulation.cast.move_in(people)
        simulation.hosting.lay(all_tables(rng, people, GAMES))
        yield simulation
        db.session.remove()
        db.engine.dispose()
    simulation.peek.file.close()


def _in_a_hurry(connection: Any, _: object) -> None:
    """Nobody pulls the plug of a test."""
    connection.execute("PRAGMA synchronous=OFF")


@pytest.mark.timeout(1800)  # minutes of computing; several times that on a busy machine
@pytest.mark.long
@pytest.mark.usefixtures("without_pictures")
def test_a_month(month: Simulation) -> None:
    month.run()
    record_events(month)
    every_game_ended(month)
    every_decision_was_closed_once(month)
    every_log_holds(month)
    found = reckoned(month, MAIL_DELAY)
    complaints = [complaint for one in found for complaint in one.complaints]
    assert not complaints, "\n".join([f"{len(complaints)} complaints", *complaints[:20]])
    everything_happened(month, found)


def every_game_ended(simulation: Simulation) -> None:
    found = Counter(status for (status,) in simulation.peek.rows("SELECT status FROM game"))
    assert found["running"] == found["open"] == 0
    assert found["finished"] == len(simulation.cast.games) >= AT_LEAST


def every_decision_was_closed_once(simulation: Simulation) -> None:
    """Each has one line in the log, unless the players agreed to end the game while it was open.
    Lines without a question made themselves, or end a turn that somebody missed."""
    moves = {
        (game, decision): (via, at, seat)
        for game, decision, via, at, seat in simulation.peek.rows(
            "SELECT game_id, decision, via, at, seat FROM move"
        )
    }
    ended = dict(simulation.peek.rows("SELECT id, ended_at FROM game"))
    decisions = simulation.peek.rows("SELECT game_id, id, via, closed_at, seat FROM decision")
    for game, decision, via, closed, _ in decisions:
        assert closed is not None, f"{game} {decision} is open"
        if via is None:
            assert (game, decision) not in moves
            assert closed == ended[game]
        else:
            how, at, _ = moves[game, decision]
            assert at == closed
            assert how == via or how == "player"  # a pick that was changed
    asked = {(game, decision) for game, decision, *_ in decisions}
    by_house = ("timeout", "plan")  # by a ranked list, or without one
    missed = {(game, seat, at) for game, _, via, at, seat in decisions if via in by_house}
    for (game, decision), (via, at, seat) in moves.items():
        if (game, decision) not in asked:
            assert via in ("auto", "plan") or (via == "timeout" and (game, seat, at) in missed)


def every_log_holds(simulation: Simulation) -> None:
    """Every game, played again from its seed, is the game that is stored."""
    for game_id in simulation.cast.games:
        audit = auditing.audit_game(game_id, simulation.agenda.now)
        assert audit.clean, audit


def everything_happened(simulation: Simulation, found: list[Reckoned]) -> None:
    """What this month is to show was really in it, and not only once."""
    ends = frozenset(outage.end for outage in OUTAGES)
    happened = simulation.agenda.did | Counter(counted(found, ends))
    rare = {what: happened[what] for what in WANTED if happened[what] < WANTED[what]}
    assert not rare, f"too rare: {rare}"
    assert {letter.kind for one in found for letter in one.letters if letter.sent} == LETTERS
    assert simulation.agenda.now >= END


def record_events(simulation: Simulation) -> None:
    """A short table for those who look on (-s)."""
    counts = {
        "moves": "SELECT via, count(*) FROM move GROUP BY via",
        "letters": "SELECT kind || ' ' || state || coalesce(': ' || reason, ''), count(*)"
        " FROM letter GROUP BY kind, state, reason ORDER BY 1",
    }
    days = f"{BEGIN:%d %b %Y} to {simulation.agenda.now:%d %b %Y}"
    size = f"{len(simulation.cast.games)} games, {len(simulation.cast.players)} people"
    ((decisions,),) = simulation.peek.rows("SELECT count(*) FROM decision")
    lines = [f"Month {SEED}, {days}: {size}, {decisions} decisions, {simulation.steps} instants"]
    for title, query in counts.items():
        lines += ["", title, *(f"{count:7} {what}" for what, count in simulation.peek.rows(query))]
    lines += [
        "",
        "done",
        *(f"{count:7} {what}" for what, count in sorted(simulation.agenda.did.items())),
    ]
    sys.stdout.write("\n".join(["", *lines, ""]))
