"""Taking back a step of a turn: the log, the position, the clock, events and letters after it."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from engine.contract import Json
from engine.verify import split_lines, verify
from service.access.credentials import Key
from service.access.games import access_seat
from service.core.errors import Problem
from service.core.ids import digest
from service.db.models import Decision, Move, Seat, UndoneMove
from service.db.session import db, transact
from service.games.audit import audit_game
from service.games.undo import UndoneMoves, undo_step
from service.games.undoable import MOST_UNDOS
from tests.games.test_races import elsewhere, numbers_are_whole
from tests.support import steps
from tests.support.site import Caller, Site
from tests.support.together import at_once

DAY = {"kind": "flat", "hours": 24}
BANK = {"kind": "bank", "start_hours": 48, "increment_hours": 12, "cap_hours": 96}


class Turn:
    """A player at the beginning of a turn with several steps."""

    def __init__(self, site: Site, clock: Json = DAY) -> None:
        self.site = site
        players = site.people("Alice", "Bob")
        self.game_id = site.game_of(*players, game=steps.KEY, clock=clock)
        self.seat = steps.beginning(site, self.game_id).mover
        self.player, self.other = players[self.seat], players[1 - self.seat]
        self.path = f"/v1/games/{self.game_id}"

    @property
    def decision(self) -> Json:
        asked: Json = self.sees()["decision"]
        return asked

    def sees(self) -> Json:
        return self.player.sees(self.game_id)

    def sails(self, number: int = 0) -> Json:
        """Play a sail, after which the turn goes on and nothing new is known."""
        asked = self.decision
        sails = [move for move in asked["moves"] if move["move"]["type"] == "sail"]
        return self.plays(asked["id"], sails[number]["text"])

    def plays(self, decision: str, *moves: Any) -> Json:
        body = {"decision": decision, "moves": list(moves)}
        answered = self.player.post(f"{self.path}/moves", body)
        assert answered.status_code == 200, answered.json
        assert answered.json is not None
        assert answered.json["stopped"] is None
        return dict(answered.json)

    def undoes(self, decision: str | None = None) -> Json:
        body = {"decision": decision or self.sees()["undoable"]["decision"]}
        undone = self.player.post(f"{self.path}/undo", body)
        assert undone.status_code == 200, undone.json
        assert undone.json is not None
        return dict(undone.json)

    def refused(self, decision: str, player: Caller | None = None) -> str:
        answered = (player or self.player).post(f"{self.path}/undo", {"decision": decision})
        assert answered.json is not None
        assert answered.status_code == 409, answered.json
        return str(answered.json["code"])

    def log(self, player: Caller | None = None) -> Json:
        found = (player or self.player).get(f"{self.path}/log").json
        assert found is not None
        return dict(found)

    def clock(self) -> Json:
        """The open decision and the seat's time, as they are stored."""
        with self.site.app.app_context():
            [row] = db.session.scalars(
                select(Decision).where(
                    Decision.game_id == self.game_id, Decision.closed_at.is_(None)
                )
            )
            seat = db.session.get_one(Seat, (self.game_id, self.seat))
            return {
                "id": row.id,
                "opened_at": row.opened_at,
                "due_at": row.due_at,
                "allowed": row.allowed,
                "stands": row.stands,
                "person_id": row.person_id,
                "via": row.via,
                "absence_used": seat.absence_used,
            }

    def is_sound(self) -> None:
        """The stored position follows from the log, and the open decision from the position."""
        with self.site.app.app_context():
            assert audit_game(self.game_id, self.site.clock()).clean


def events(player: Caller) -> list[Json]:
    found = player.get("/v1/events").json
    assert found is not None
    items: list[Json] = found["items"]
    return items


def test_a_step_is_taken_back_and_everything_is_as_before(any_site: Site) -> None:
    turn = Turn(any_site)
    before, clock = turn.sees(), turn.clock()
    any_site.clock.advance(minutes=5)
    played = turn.sails()
    [text] = [line["text"] for line in played["played"]]
    seen = turn.sees()
    assert seen["undoable"] == {
        "decision": before["decision"]["id"],
        "texts": [text],
        "until": before["decision"]["due_at"],
    }
    any_site.clock.advance(minutes=5)
    undone = turn.undoes()
    assert undone == {
        "game": turn.game_id,
        "version": seen["version"] + 1,
        "undone": [text],
        "revisable": False,
        "decision": before["decision"]["id"],
        "due_at": before["decision"]["due_at"],
    }
    after = turn.sees()
    assert after["version"] == seen["version"] + 1
    for key in ("position", "decision", "moves", "moved_at", "undoable"):
        assert after[key] == before[key], key
    assert turn.clock() == clock, "the time that has passed stays charged"
    turn.is_sound()


def test_steps_are_taken_back_one_by_one_to_the_beginning_of_the_turn(any_site: Site) -> None:
    turn = Turn(any_site)
    positions = [turn.sees()["position"]]
    for _ in range(2):
        turn.sails()
        positions.append(turn.sees()["position"])
    while positions:
        assert turn.sees()["position"] == positions.pop()
        if positions:
            turn.undoes()
            turn.is_sound()
    assert turn.sees()["undoable"] is None
    again = turn.sails(1)
    assert again["version"] == turn.sees()["version"]
    assert [line["n"] for line in turn.log()["items"]] == [1]
    turn.is_sound()


def test_a_step_of_several_in_one_answer_is_taken_back_alone(any_site: Site) -> None:
    """The decision between two moves of one answer had no clock of its own: it has that of the
    decision that was open."""
    turn = Turn(any_site)
    first = turn.decision
    start = next(move for move in first["moves"] if move["move"]["type"] == "sail")
    turn.sails()
    between = turn.decision
    on = next(move for move in between["moves"] if move["move"]["type"] == "sail")
    turn.undoes()
    any_site.clock.advance(hours=1)
    turn.plays(first["id"], start["text"], on["text"])
    due = turn.clock()["due_at"]
    any_site.clock.advance(hours=1)
    turn.undoes(between["id"])
    assert turn.clock()["id"] == between["id"]
    assert turn.clock()["due_at"] == due
    turn.is_sound()
    turn.undoes(first["id"])
    assert turn.clock()["due_at"] == datetime.fromisoformat(first["due_at"])
    turn.is_sound()


def test_a_repeated_request_takes_nothing_more_back(any_site: Site) -> None:
    turn = Turn(any_site)
    turn.sails()
    turn.sails()
    decision = turn.sees()["undoable"]["decision"]
    turn.undoes(decision)
    assert turn.refused(decision) == "nothing_to_undo"
    assert turn.sees()["moves"] == 1


def test_an_idempotency_key_takes_one_step_back(site: Site) -> None:
    turn = Turn(site)
    turn.sails()
    body = {"decision": turn.sees()["undoable"]["decision"]}
    headers = {"Idempotency-Key": "once"}
    first, again = (turn.player.post(f"{turn.path}/undo", body, headers=headers) for _ in range(2))
    assert first.json == again.json
    assert again.headers["Idempotency-Replayed"] == "true"


def test_what_was_drawn_stays_drawn(any_site: Site) -> None:
    turn = Turn(any_site)
    decision = turn.decision["id"]
    turn.plays(decision, "sail A6 A7", "street")
    assert turn.sees()["undoable"] is None
    assert turn.refused(decision) == "nothing_to_undo"
    asked = turn.decision
    assert turn.refused(asked["id"]) == "nothing_to_undo"
    turn.plays(asked["id"], "lay SD-b2")
    turn.undoes(asked["id"])
    assert turn.decision["id"] == asked["id"], "where it is laid is free again"
    assert turn.refused(decision) == "nothing_to_undo"


def test_a_finished_turn_is_final(any_site: Site) -> None:
    turn = Turn(any_site)
    decision = turn.decision["id"]
    turn.plays(decision, *steps.A_TURN)
    assert turn.sees()["undoable"] is None
    assert turn.refused(decision) == "nothing_to_undo"
    assert turn.other.sees(turn.game_id)["undoable"] is None
    assert turn.refused(decision, turn.other) == "nothing_to_undo"


def test_only_the_own_step_can_be_taken_back_and_only_its_player_is_offered_it(site: Site) -> None:
    turn = Turn(site)
    decision = turn.decision["id"]
    turn.sails()
    assert turn.other.sees(turn.game_id)["undoable"] is None
    assert turn.refused(decision, turn.other) == "nothing_to_undo"
    stranger = site.person("Carol")
    assert stranger.post(f"{turn.path}/undo", {"decision": decision}).status_code == 403
    assert turn.sees()["undoable"] is not None


def test_a_secret_pick_is_changed_and_not_taken_back(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    alice.plays(game_id)
    seen = alice.sees(game_id)
    assert seen["undoable"] is None
    answered = alice.post(f"/v1/games/{game_id}/undo", {"decision": seen["decision"]["id"]})
    assert answered.json is not None
    assert answered.json["revisable"]
    assert answered.json["undone"] == []
    assert alice.sees(game_id) == seen


def test_everybody_is_told_and_the_log_keeps_what_was_taken_back(any_site: Site) -> None:
    turn = Turn(any_site)
    seen = len(events(turn.other)), len(events(turn.player))
    [line] = turn.sails()["played"]
    any_site.clock.advance(minutes=1)
    turn.undoes()
    moved, undone = events(turn.other)[seen[0] :]
    assert moved["type"] == "game.moved"
    assert undone["type"] == "move.undone"
    version = turn.sees()["version"]
    assert undone["data"] == {"version": version, "from": 1, "to": 1, "seat": turn.seat}
    own = [event["type"] for event in events(turn.player)[seen[1] :]]
    assert own == ["game.moved", "decision.opened", "move.undone", "decision.opened"]
    for player in (turn.player, turn.other):
        log = turn.log(player)
        assert log["items"] == []
        [kept] = log["undone"]
        assert kept["text"] == line["text"]
        assert kept["sentences"] == line["sentences"]
        assert kept["at"] == line["at"]
        assert kept["undone_at"] > line["at"]


@pytest.mark.parametrize("clock", [DAY, BANK], ids=lambda clock: str(clock["kind"]))
def test_no_time_is_gained_by_taking_back_again_and_again(any_site: Site, clock: Json) -> None:
    turn = Turn(any_site, clock)
    first = turn.clock()
    for _ in range(5):
        any_site.clock.advance(hours=3)
        turn.sails()
        any_site.clock.advance(hours=1)
        turn.undoes()
        assert turn.clock() == first
    patient = Turn(any_site, clock)
    patient_clock = patient.clock()
    assert patient_clock["allowed"] == first["allowed"]
    any_site.clock.at = first["opened_at"] + timedelta(hours=21)
    turn.sails()
    bank = seat_of(turn).bank
    with_undo = turn.clock()["due_at"] - first["opened_at"]
    any_site.clock.at = patient_clock["opened_at"] + timedelta(hours=21)
    patient.sails()
    assert patient.clock()["due_at"] - patient_clock["opened_at"] == with_undo
    assert seat_of(patient).bank == bank


def seat_of(turn: Turn) -> Seat:
    with turn.site.app.app_context():
        return db.session.get_one(Seat, (turn.game_id, turn.seat))


def test_the_budget_for_absences_is_as_if_the_step_had_not_been_made(any_site: Site) -> None:
    turn = Turn(any_site)
    first, last = (any_site.clock() + timedelta(hours=hours) for hours in (12, 36))
    days = {"from": first.isoformat(), "to": last.isoformat()}
    announced = turn.player.post("/v1/absences", days)
    assert announced.status_code == 201, announced.json
    turn.sails()
    turn.undoes()
    turn.sails()
    before = turn.clock()
    assert before["absence_used"]
    any_site.clock.advance(hours=1)
    turn.sails()
    turn.undoes()
    assert turn.clock() == before


def test_a_step_cannot_be_taken_back_when_the_time_for_it_is_over(any_site: Site) -> None:
    turn = Turn(any_site)
    asked = turn.decision["id"]
    any_site.clock.advance(hours=23)
    turn.sails()
    any_site.clock.advance(minutes=59)
    turn.undoes()
    turn.sails()
    any_site.clock.advance(minutes=1)
    assert turn.sees()["undoable"]["until"] == any_site.clock().isoformat()
    assert turn.refused(asked) == "nothing_to_undo"


def test_in_and_after_a_pause_steps_are_final(any_site: Site) -> None:
    turn = Turn(any_site)
    asked = turn.decision["id"]
    turn.sails()
    for player in (turn.player, turn.other):
        assert player.post(f"{turn.path}/pause").status_code == 200
    assert turn.sees()["paused_until"] is not None
    assert turn.refused(asked) == "nothing_to_undo"
    any_site.clock.advance(hours=1)
    assert turn.player.delete(f"{turn.path}/pause").status_code == 204
    assert turn.refused(asked) == "nothing_to_undo"
    turn.sails()
    turn.undoes()


def test_undo_has_a_limit_in_a_turn(site: Site) -> None:
    turn = Turn(site)
    for _ in range(MOST_UNDOS):
        turn.sails()
        turn.undoes()
    asked = turn.decision["id"]
    turn.sails()
    assert turn.sees()["undoable"] is None
    assert turn.refused(asked) == "nothing_to_undo"


def test_a_player_who_resigned_takes_nothing_back(site: Site) -> None:
    turn = Turn(site)
    asked = turn.decision["id"]
    turn.sails()
    assert turn.player.post(f"{turn.path}/resign").status_code < 300
    assert turn.refused(asked) in ("resigned", "game_over")


def test_the_record_of_a_game_with_steps_taken_back_proves_itself(any_site: Site) -> None:
    turn = Turn(any_site)
    for number in range(2):
        turn.sails(number)
        turn.undoes()
    turn.plays(turn.decision["id"], *steps.A_TURN)
    for player in (turn.player, turn.other):
        assert player.put(f"{turn.path}/end-offer").status_code == 200
    assert turn.sees()["status"] == "finished"
    record = turn.player.get(f"{turn.path}/record").data
    assert verify(split_lines(record)).outcome is not None
    assert len(turn.log()["undone"]) == 2
    assert len(turn.log()["items"]) == len(steps.A_TURN)
    turn.is_sound()
    numbers_are_whole(any_site)


@pytest.mark.parametrize("rounds", [25])
def test_an_undo_and_the_next_step_at_once(any_site: Site, rounds: int) -> None:
    """One of them wins: the step is on the old position, or it finds its decision closed."""
    for _ in range(rounds):
        turn = Turn(any_site)
        phone, laptop = (elsewhere(any_site, turn.player) for _ in range(2))
        turn.sails()
        seen = turn.sees()
        asked, undoable = seen["decision"], seen["undoable"]
        sail = next(move for move in asked["moves"] if move["move"]["type"] == "sail")
        undo, step = at_once(
            [
                partial(phone.post, f"{turn.path}/undo", {"decision": undoable["decision"]}),
                partial(
                    laptop.post,
                    f"{turn.path}/moves",
                    {"decision": asked["id"], "text": sail["text"]},
                ),
            ]
        )
        assert undo.json is not None
        assert step.json is not None
        if undo.status_code == 200:
            assert step.json["code"] == "decision_closed"
            assert turn.sees()["moves"] == 0
        else:
            assert undo.json["code"] == "nothing_to_undo"
            assert step.status_code == 200
            assert turn.sees()["moves"] == 2
        turn.is_sound()
    numbers_are_whole(any_site)


def test_two_undos_at_once_take_one_step_back(any_site: Site) -> None:
    turn = Turn(any_site)
    turn.sails()
    turn.sails()
    body = {"decision": turn.sees()["undoable"]["decision"]}
    clients = [elsewhere(any_site, turn.player) for _ in range(2)]
    answers = at_once([partial(client.post, f"{turn.path}/undo", body) for client in clients])
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert turn.sees()["moves"] == 1
    turn.is_sound()


def test_without_a_decision_the_use_case_takes_the_last_step_back(any_site: Site) -> None:
    """As a mail does, which names no decision."""
    turn = Turn(any_site)
    text = turn.sails()["played"][0]["text"]

    def undo() -> UndoneMoves:
        key = Key(digest(turn.player.token or ""))
        return undo_step(access_seat(key, "games:play", turn.game_id), any_site.clock())

    with any_site.app.app_context():
        undone = transact(undo)
        assert undone.texts == [text]
        with pytest.raises(Problem) as refused:
            transact(undo)
        assert refused.value.code == "nothing_to_undo"
        assert db.session.scalars(select(Move)).all() == []
        assert len(db.session.scalars(select(UndoneMove)).all()) == 1
