"""The audit: what is stored is what the moves lead to, and what is not is found and frozen."""

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import delete, select, text, update
from structlog.testing import capture_logs

from engine.contract import Json
from service.db.models import Decision, Game, Move
from service.db.session import db, transact
from service.games import audit as auditing
from service.games import replay_check
from service.games.audit import Audit, audit_game, audit_some, games_to_audit
from service.games.move_log import moves_of
from service.games.repair import repair, thaw
from service.games.replay_check import UNREADABLE, CannotMend, Difference
from service.ops.status import oldest_audit
from tests.support.browser import Browser
from tests.support.site import Caller, Site

FLAT = {"kind": "flat", "hours": 24}
DAY = 24 * 3600


@pytest.fixture
def table(any_site: Site) -> "Table":
    return Table(any_site)


class Table:
    """A running game of two people, a few moves old, and what may be done to its rows."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.people = site.people("Anna", "Ben")
        self.game_id = self.another()

    def another(self) -> str:
        game_id = self.site.game_of(*self.people, clock=FLAT)
        for _ in range(2):
            self.play_on(game_id)
        return game_id

    def play_on(self, game_id: str | None = None) -> None:
        """Everybody who is asked something answers it."""
        game_id = game_id or self.game_id
        for person in self.people:
            decision = person.sees(game_id)["decision"]
            if decision is not None and not decision["revising"]:
                assert person.plays(game_id).status_code == 200

    def audited(self, game_id: str | None = None) -> Audit:
        with self.site.app.app_context():
            return audit_game(game_id or self.game_id, self.site.clock())

    def does(self, work: Callable[[], Any]) -> Any:
        with self.site.app.app_context():
            return transact(work)

    def change(self, **values: Any) -> None:
        self.does(
            lambda: db.session.execute(update(Game).where(Game.id == self.game_id).values(**values))
        )

    def change_move(self, n: int, **values: Any) -> None:
        self.does(
            lambda: db.session.execute(
                update(Move).where(Move.game_id == self.game_id, Move.n == n).values(**values)
            )
        )

    def row(self, game_id: str | None = None) -> Any:
        with self.site.app.app_context():
            return db.session.execute(
                select(Game.__table__).where(Game.id == (game_id or self.game_id))
            ).one()

    def moves(self) -> list[Any]:
        with self.site.app.app_context():
            return list(
                db.session.execute(
                    select(Move.__table__).where(Move.game_id == self.game_id).order_by(Move.n)
                )
            )

    def open_decisions(self) -> list[Any]:
        with self.site.app.app_context():
            return list(
                db.session.execute(
                    select(Decision.__table__)
                    .where(Decision.game_id == self.game_id, Decision.closed_at.is_(None))
                    .order_by(Decision.id)
                )
            )

    def told(self, kind: str) -> list[Json]:
        """The events of this kind, of all people."""
        return [
            event
            for person in self.people
            for event in person.get("/v1/events?limit=500").json["items"]  # type: ignore[index]
            if event["type"] == kind
        ]


def count(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


def places(audit: Audit) -> list[str]:
    return [difference.place for difference in audit.differences]


def test_the_audit_accepts_games_of_every_kind(any_site: Site) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    running = any_site.game_of(anna, ben)
    anna.plays(running)
    assert anna.sees(running)["decision"]["revising"]
    assert anna.plays(running, 2).status_code == 200  # a pick that was changed
    ben.plays(running)
    finished = any_site.game_of(anna, bots=1)
    any_site.play_to_the_end(finished, anna)
    agreed = any_site.game_of(anna, ben)
    anna.plays(agreed)
    for person in (anna, ben):
        assert person.put(f"/v1/games/{agreed}/end-offer", {}).status_code == 200
    assert anna.sees(agreed)["outcome"]["reason"] == "agreed"
    before = count("laguna_audited_games_total"), count("laguna_audit_differences_total")
    with any_site.app.app_context():
        assert set(games_to_audit(finished=False)) == {running}
        assert set(games_to_audit(finished=True)) == {running, finished, agreed}
        for game_id in (running, finished, agreed):
            audit = audit_game(game_id, any_site.clock())
            assert audit == Audit(game_id, (), False)
            assert audit.clean
    after = count("laguna_audited_games_total"), count("laguna_audit_differences_total")
    assert after == (before[0] + 3, before[1])


TAMPERING: dict[str, tuple[Callable[[Table], Any], str]] = {
    "state": (lambda table: table.change(state=first_state(table)), "game: state"),
    "count": (lambda table: table.change(moves=1), "game: moves"),
    "commitment": (lambda table: table.change(commitment="0" * 64), "game: commitment"),
    "opening": (lambda table: table.change(opening={"chance": [], "events": []}), "game: opening"),
    "status": (lambda table: table.change(status="finished"), "game: status"),
    "seed": (lambda table: table.change(seed=b"s" * 32), ""),
    "no seed": (lambda table: table.change(seed=None), "game: cannot be set up"),
    "options": (lambda table: table.change(options={"colour": "red"}), "game: cannot be set up"),
    "scores": (lambda table: table.change_move(2, scores=[500, 0]), "move 2: scores"),
    "events": (lambda table: table.change_move(1, events=[]), "move 1: events"),
    "chance": (
        lambda table: table.change_move(1, chance=[{"label": "x", "outcome": 1}]),
        "move 1: chance",
    ),
    "move": (lambda table: table.change_move(1, move={"keep": "?"}), "move 1: cannot be played"),
    "via": (lambda table: table.change_move(1, via="auto"), "move 1: cannot be played"),
    "lost": (lambda table: lose_move(table, 1), "move 1: number"),
    "decision": (lambda table: close_decisions(table), "game: open decisions"),
}


def first_state(table: Table) -> str:
    fresh = table.site.game_of(*table.people)
    return str(table.row(fresh).state)


def lose_move(table: Table, n: int) -> None:
    table.does(
        lambda: db.session.execute(delete(Move).where(Move.game_id == table.game_id, Move.n == n))
    )


def close_decisions(table: Table) -> None:
    table.does(
        lambda: db.session.execute(
            update(Decision)
            .where(Decision.game_id == table.game_id, Decision.closed_at.is_(None))
            .values(closed_at=table.site.clock())
        )
    )


@pytest.mark.parametrize("what", TAMPERING)
def test_the_audit_finds_every_difference_from_the_moves(site: Site, what: str) -> None:
    table = Table(site)
    tamper, place = TAMPERING[what]
    tamper(table)
    before = count("laguna_audit_differences_total")
    with capture_logs() as logs:
        audit = table.audited()
    assert any(found.endswith(place) for found in places(audit)), audit
    assert not audit.clean
    assert count("laguna_audit_differences_total") == before + 1
    [line] = [line for line in logs if line["event"] == "audit_difference"]
    assert line["log_level"] == "critical"
    assert line["game"] == table.game_id


def test_a_game_that_differs_is_frozen_alone_and_its_players_are_told(table: Table) -> None:
    other = table.another()
    version = table.row().version
    table.change(state=first_state(table))
    table.site.clock.advance(minutes=5)
    audit = table.audited()
    assert audit.frozen
    row = table.row()
    assert row.frozen_at == table.site.clock()
    assert row.frozen_why == "; ".join(places(audit))
    assert row.version == version + 1
    told = table.told("game.frozen")
    assert [(event["game"], event["data"]) for event in told] == [(table.game_id, {})] * 2
    assert table.row(other).frozen_at is None
    assert table.audited(other).clean

    # Looking again finds the same, and neither freezes nor tells a second time.
    again = table.audited()
    assert again.differences
    assert not again.frozen
    assert len(table.told("game.frozen")) == 2
    assert table.row() == row


def test_audit_findings_reveal_no_secrets(site: Site) -> None:
    table = Table(site)
    secret = table.moves()[0].events
    table.change_move(1, events=[{"type": "planted", "seat": 0}])
    with capture_logs() as logs:
        audit = table.audited()
    [difference] = audit.differences
    assert difference == Difference(
        "move 1", "events", '[{"type":"planted","seat":0}]', difference.right
    )
    assert difference.right.startswith(json.dumps(secret, separators=(",", ":"))[:60])
    assert "planted" not in str(logs)
    assert "planted" not in table.row().frozen_why


def test_a_finished_game_that_differs_is_reported_and_left_as_it_is(site: Site) -> None:
    anna = site.person("Anna")
    game_id = site.game_of(anna, bots=1)
    outcome = site.play_to_the_end(game_id, anna)["outcome"]
    with site.app.app_context():
        wrong = outcome | {"winners": [0, 1]}
        transact(
            lambda: db.session.execute(update(Game).where(Game.id == game_id).values(outcome=wrong))
        )
        audit = audit_game(game_id, site.clock())
        assert places(audit) == ["game: outcome"]
        assert not audit.frozen
        assert repair(game_id, site.clock()) == audit.differences
        assert audit_game(game_id, site.clock()).clean
    assert anna.sees(game_id)["outcome"] == outcome


def test_a_game_that_cannot_be_read_is_frozen_and_keeps_no_other_from_its_turn(
    any_site: Site,
) -> None:
    table = Table(any_site)
    first, second, third = sorted([table.game_id, table.another(), table.another()])
    table.does(
        lambda: db.session.execute(
            text("UPDATE move SET events = '[broken' WHERE game_id = :game"), {"game": first}
        )
    )
    table.does(
        lambda: db.session.execute(
            text("UPDATE game SET clock = '{broken' WHERE id = :game"), {"game": second}
        )
    )
    table.game_id = third
    table.change(moves=1)
    with any_site.app.app_context():
        assert audit_some(any_site.clock(), 9) == 3
        found = db.session.execute(select(Game.frozen_at, Game.frozen_why).order_by(Game.id)).all()
    why = ["game: cannot be read", "game: cannot be read", "game: moves"]
    assert [tuple(one) for one in found] == [(any_site.clock(), one) for one in why]
    assert [event["game"] for event in table.told("game.frozen")] == [first, second, third] * 2
    with any_site.app.app_context():
        for mend in (repair, thaw):
            with pytest.raises(CannotMend, match=r"cannot be read.*backup"):
                mend(first, any_site.clock())
        assert audit_game(first, any_site.clock()).differences == (UNREADABLE,)


def test_an_audit_that_fails_is_told_and_freezes_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(site)
    games = sorted([table.game_id, table.another()])
    compare = replay_check.differences_in

    def fail(stored: Any) -> Any:
        if stored.row.id == games[0]:
            raise ValueError("a mistake of ours")
        return compare(stored)

    monkeypatch.setattr(auditing, "differences_in", fail)
    with capture_logs() as logs:
        assert table.audited(games[0]).unknown is not None
        with site.app.app_context():
            assert audit_some(site.clock(), 9) == 2
    assert [line["event"] for line in logs] == ["game_not_audited"] * 2
    assert table.row(games[0]).frozen_at is None


def test_rules_we_do_not_have_freeze_nothing(site: Site) -> None:
    table = Table(site)
    table.change(rules=99)
    with capture_logs() as logs:
        audit = table.audited()
    assert audit.unknown is not None
    assert "99" in audit.unknown
    assert not audit.clean
    assert table.row().frozen_at is None
    assert [line["event"] for line in logs] == ["game_not_audited"]


def test_a_move_during_the_audit_is_no_difference(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading the game and reading its moves somebody plays."""
    looked_again: list[Any] = []

    def played_meanwhile(*args: Any) -> Any:
        player = threading.Thread(target=table.play_on)
        player.start()
        player.join()
        return moves_of(*args)

    monkeypatch.setattr(replay_check, "moves_of", played_meanwhile)
    monkeypatch.setattr(auditing, "_freeze", lambda *args: looked_again.append(args))
    before = table.row().moves
    assert table.audited().clean
    assert looked_again == []
    assert table.row().moves > before


def test_a_difference_that_is_gone_under_the_lock_is_none(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare = replay_check.differences_in
    seen = iter([(Difference("game", "state", "a", "b"),)])
    monkeypatch.setattr(
        auditing, "differences_in", lambda stored: next(seen, None) or compare(stored)
    )
    with capture_logs() as logs:
        assert table.audited().clean
    assert logs == []
    assert table.row().frozen_at is None


def test_a_game_that_is_played_all_the_time_is_never_reported(any_site: Site) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    game_id = any_site.game_of(anna, ben, clock=FLAT)
    over = threading.Event()

    def play() -> None:
        with_own_client = [Caller(any_site.app.test_client(), one.token) for one in (anna, ben)]
        try:
            any_site.play_to_the_end(game_id, *with_own_client)
        finally:
            over.set()

    player = threading.Thread(target=play)
    player.start()
    audits = []
    while not over.is_set():
        with any_site.app.app_context():
            audits.append(audit_game(game_id, any_site.clock()))
    player.join()
    assert anna.sees(game_id)["status"] == "finished"
    assert len(audits) > 2
    assert all(audit.clean for audit in audits)


def test_every_running_game_has_its_turn_before_any_has_a_second(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(any_site)
    games = sorted([table.game_id, *(table.another() for _ in range(4))])
    audited: list[str] = []
    monkeypatch.setattr(auditing, "audit_game", lambda game_id, _: audited.append(game_id))

    def rounds(most: int, times: int) -> list[str]:
        audited.clear()
        with any_site.app.app_context():
            done = [audit_some(any_site.clock(), most) for _ in range(times)]
        assert sum(done) == len(audited)
        return audited

    with any_site.app.app_context():
        assert oldest_audit() == any_site.clock(), "when they began"
    assert rounds(2, 2) == games[:4]
    any_site.clock.advance(hours=1)
    assert rounds(3, 2) == [games[4], *games[:2], *games[2:4]]
    assert rounds(9, 1) == [], "none twice within an hour"
    any_site.clock.advance(hours=1)
    with any_site.app.app_context():
        assert oldest_audit() == any_site.clock() - timedelta(hours=1)
    assert rounds(9, 1) == games
    any_site.clock.advance(hours=1)
    monkeypatch.undo()
    frozen = games[1]
    with any_site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Game).where(Game.id == frozen).values(frozen_at=any_site.clock())
            )
        )
        assert audit_some(any_site.clock(), 9) == 4
        assert oldest_audit() == any_site.clock(), "a frozen game is audited when it goes on"


def test_without_games_a_round_is_nothing(site: Site) -> None:
    with site.app.app_context():
        assert oldest_audit() is None
        assert audit_some(site.clock(), 10) == 0


def test_a_game_that_kills_the_process_is_not_met_by_every_round(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(site)
    games = sorted([table.game_id, table.another()])

    def kill(game_id: str, _: object) -> None:
        raise MemoryError

    with site.app.app_context():
        monkeypatch.setattr(auditing, "audit_game", kill)
        with pytest.raises(MemoryError):
            audit_some(site.clock(), 1)
        met: list[str] = []
        monkeypatch.setattr(auditing, "audit_game", lambda game_id, _: met.append(game_id))
        audit_some(site.clock(), 1)
    assert met == [games[1]]


@pytest.mark.parametrize(
    "what", ["state", "count", "commitment", "opening", "scores", "chance", "decision"]
)
def test_repair_writes_a_game_again_from_its_log(site: Site, what: str) -> None:
    spoil_and_repair(Table(site), what)


def test_lines_of_the_log_can_be_written_anew_on_both_databases(table: Table) -> None:
    spoil_and_repair(table, "events")


def spoil_and_repair(table: Table, what: str) -> None:
    state, moves = table.row().state, table.moves()
    asked = [decision.id for decision in table.open_decisions()]
    TAMPERING[what][0](table)
    found = table.audited()
    assert found.frozen
    table.site.clock.advance(hours=1)
    with table.site.app.app_context():
        assert repair(table.game_id, table.site.clock()) == found.differences
    assert table.audited().clean
    row = table.row()
    assert (row.frozen_at, row.frozen_why, row.state) == (None, None, state)
    assert table.moves() == moves
    assert [decision.id for decision in table.open_decisions()] == asked
    assert len(table.told("game.thawed")) == 2
    table.play_on()
    assert table.row().moves > row.moves


def test_decisions_that_were_lost_are_asked_again_with_fresh_time(table: Table) -> None:
    close_decisions(table)
    table.audited()
    table.site.clock.advance(days=3)
    with table.site.app.app_context():
        repair(table.game_id, table.site.clock())
    asked = table.open_decisions()
    assert asked
    for decision in asked:
        assert decision.opened_at == table.site.clock()
        assert decision.due_at == table.site.clock() + timedelta(hours=24)
    told = [event["data"]["decision"] for event in table.told("decision.opened")]
    assert {decision for decision in told if told.count(decision) == 2} == {one.id for one in asked}


def test_a_decision_that_nobody_is_asked_is_closed(table: Table) -> None:
    [asked, *_] = table.open_decisions()
    extra = asked._asdict() | {"id": f"r9.t9.keep.s{asked.seat}"}
    table.does(lambda: db.session.add(Decision(**extra)))
    assert places(table.audited()) == ["game: open decisions"]
    with table.site.app.app_context():
        repair(table.game_id, table.site.clock())
    assert extra["id"] not in [decision.id for decision in table.open_decisions()]
    assert table.audited().clean


def test_a_game_that_was_over_all_the_while_is_finished(site: Site) -> None:
    anna = site.person("Anna")
    game_id = site.game_of(anna, bots=1)
    shown = site.play_to_the_end(game_id, anna)
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Game)
                .where(Game.id == game_id)
                .values(status="running", outcome=None, ended_at=None)
            )
        )
        assert audit_game(game_id, site.clock()).frozen
        repair(game_id, site.clock())
        assert audit_game(game_id, site.clock()).clean
    after = anna.sees(game_id)
    assert (after["status"], after["outcome"]) == ("finished", shown["outcome"])
    assert after["ended_at"] is not None


@pytest.mark.parametrize("what", ["move", "via", "lost", "no seed"])
def test_a_log_that_cannot_be_followed_is_not_made_up(site: Site, what: str) -> None:
    table = Table(site)
    TAMPERING[what][0](table)
    table.audited()
    frozen = table.row(), table.moves()
    with site.app.app_context(), pytest.raises(CannotMend, match="backup"):
        repair(table.game_id, site.clock())
    assert (table.row(), table.moves()) == frozen


def test_a_log_that_lost_its_end_is_not_played_shorter(table: Table) -> None:
    lose_move(table, table.row().moves)
    assert places(table.audited()) == [f"move {len(table.moves()) + 1}: is missing"]
    frozen = table.row(), table.moves(), table.open_decisions()
    with table.site.app.app_context(), pytest.raises(CannotMend, match="backup"):
        repair(table.game_id, table.site.clock())
    assert (table.row(), table.moves(), table.open_decisions()) == frozen


def test_the_result_of_a_game_whose_log_lost_its_end_stays(site: Site) -> None:
    table = Table(site)
    site.play_to_the_end(table.game_id, *table.people)
    kept = table.row()
    for n in (kept.moves, kept.moves - 1):
        lose_move(table, n)
        assert not table.audited().clean
        with site.app.app_context(), pytest.raises(CannotMend, match="backup"):
            repair(table.game_id, site.clock())
        assert table.row() == kept


def test_a_result_that_nobody_agreed_on_is_none(site: Site) -> None:
    table = Table(site)
    outcome = {"scores": [1, 0], "winners": [0], "reason": "end"}
    table.change(status="finished", outcome=outcome)
    assert places(table.audited()) == ["game: status", "game: outcome"]
    with site.app.app_context():
        repair(table.game_id, site.clock())
    assert (table.row().status, table.row().outcome) == ("running", None)


class Trio(Table):
    """Three people, of whom the third leaves for good while the game is frozen."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.people = site.people("Anna", "Ben", "Carla")
        self.game_id = self.another()

    def third_leaves(self) -> None:
        assert self.people[2].delete("/v1/me").status_code == 204
        del self.people[2]


def test_a_thawed_game_ends_if_all_others_voted_for_it(any_site: Site) -> None:
    trio = Trio(any_site)
    state = json.loads(trio.row().state)
    for person in trio.people[:2]:
        assert person.put(f"/v1/games/{trio.game_id}/end-offer").status_code == 200
    trio.change(state=json.dumps(spoiled(state)))
    assert trio.audited().frozen
    trio.third_leaves()
    row = trio.row()
    assert (row.status, row.outcome) == ("running", None)
    assert [one["data"] for one in trio.told("seat.resigned")] == [{"seat": 2}] * 2
    assert [one.person_id for one in trio.open_decisions() if one.seat == 2] in ([], [None])
    with any_site.app.app_context():
        repair(trio.game_id, any_site.clock())
    shown = trio.people[0].sees(trio.game_id)
    assert (shown["status"], shown["outcome"]["reason"]) == ("finished", "agreed")
    assert trio.audited().clean
    kinds = [
        event["type"]
        for event in trio.people[0].get("/v1/events?limit=500").json["items"]  # type: ignore[index]
    ]
    assert kinds.index("game.thawed") < kinds.index("game.finished")


def spoiled(state: Any) -> Any:
    """The same, but for the first number that stands in it."""
    if isinstance(state, dict):
        for key, value in state.items():
            if (other := spoiled(value)) != value:
                return state | {key: other}
    return state + 1 if type(state) is int else state


def test_a_pause_all_others_wanted_begins_when_a_game_is_thawed(any_site: Site) -> None:
    trio = Trio(any_site)
    state = trio.row().state
    for person in trio.people[:2]:
        assert person.post(f"/v1/games/{trio.game_id}/pause").status_code == 200
    any_site.clock.advance(hours=4)
    trio.change(state=first_state(trio))
    assert trio.audited().frozen
    any_site.clock.advance(days=5)
    trio.third_leaves()
    assert trio.row().paused_at is None
    any_site.clock.advance(days=5)
    trio.change(state=state)
    with any_site.app.app_context():
        thaw(trio.game_id, any_site.clock())
    assert trio.row().paused_at == any_site.clock()
    left = [one.left for one in trio.open_decisions() if one.person_id is not None]
    assert left
    assert set(left) == {20 * 3600}


def test_players_of_an_unreadable_game_can_look_and_leave(site: Site) -> None:
    table = Table(site)
    anna, ben = table.people
    for person in (anna, ben):
        person.post(f"/v1/games/{table.game_id}/pause")
    table.change(state="garbage")
    table.does(lambda: db.session.execute(text("UPDATE move SET events = '[broken'")))
    assert table.audited().frozen
    path = f"/v1/games/{table.game_id}"
    for look in (path, f"{path}?at=1"):
        shown = anna.get(look)
        assert shown.status_code == 200
        assert shown.json is not None
        assert shown.json["frozen"]
        assert [shown.json[name] for name in ("position", "waiting", "decision")] == [None] * 3
    assert anna.get(f"{path}/plan").json == {"wishes": [], "plans": []}
    for look in ("board.txt", "board.svg", "board.png", "log", "record", "record?legal=true"):
        answer = anna.get(f"{path}/{look}")
        assert answer.json is not None
        assert answer.json["code"] == "game_frozen", look
    browser = Browser(site)
    page = browser.open(f"/games/{table.game_id}")
    assert page.status == 200
    assert "The game is frozen" in page.text
    assert "board.svg" not in page.text
    assert "record.jsonl" not in page.text
    assert anna.delete("/v1/me").status_code == 204
    assert ben.sees(table.game_id)["seats"][0]["resigned"]


def test_a_game_is_not_thawed_while_it_differs(table: Table) -> None:
    state = table.row().state
    table.change(state=first_state(table))
    with table.site.app.app_context():
        with pytest.raises(CannotMend, match="not frozen"):
            thaw(table.game_id, table.site.clock())
        audit_game(table.game_id, table.site.clock())
        with pytest.raises(CannotMend, match=r"state.*repair"):
            thaw(table.game_id, table.site.clock())
    assert table.row().frozen_at is not None
    table.change(state=state)
    with table.site.app.app_context():
        thaw(table.game_id, table.site.clock())
    assert table.row().frozen_at is None
    assert len(table.told("game.thawed")) == 2


def test_clocks_stand_still_while_a_game_is_frozen(table: Table) -> None:
    state = table.row().state
    before = {decision.id: decision for decision in table.open_decisions()}
    table.site.clock.advance(hours=3)
    table.change(state=first_state(table))
    table.audited()
    table.site.clock.advance(days=5)
    table.change(state=state)
    with table.site.app.app_context():
        thaw(table.game_id, table.site.clock())
    for decision in table.open_decisions():
        assert decision.due_at == before[decision.id].due_at + timedelta(days=5)
        assert (decision.stands, decision.held) == (None, 5 * DAY)
    shown = table.people[0].sees(table.game_id)
    assert shown["waiting"]["until"] > shown["waiting"]["since"]
    assert shown["waiting"]["until"] > table.site.clock().isoformat()


def test_a_table_without_moves_cannot_be_audited(site: Site) -> None:
    anna = site.person("Anna")
    game_id = anna.opens()["id"]
    with site.app.app_context():
        for call in (audit_game, repair, thaw):
            with pytest.raises(CannotMend, match="is open"):
                call(game_id, site.clock())
            with pytest.raises(CannotMend, match="no game nowhere"):
                call("nowhere", site.clock())
