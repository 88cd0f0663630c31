"""Playing over HTTP: decisions, moves and what comes of them."""

from typing import Any

import pytest

from engine.contract import GameType, Json
from engine.registry import GAME_TYPES
from engine.verify import split_lines, verify
from service.games.moves import MOST_MOVES_AT_ONCE
from tests.support import steps
from tests.support.site import Caller, Site


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_a_whole_game_is_played_and_its_record_proves_itself(
    any_site: Site, game: GameType
) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, bots=1, game=game.meta.key)
    started = alice.sees(game_id)
    assert started["seed"] is None
    finished = any_site.play_by_requests(game_id, alice, bob)
    assert finished["status"] == "finished"
    assert finished["commitment"] == started["commitment"]
    record = alice.get(f"/v1/games/{game_id}/record").data
    followed = verify(split_lines(record))
    assert followed.outcome is not None
    assert list(followed.outcome.scores) == finished["outcome"]["scores"]


def test_a_pick_can_be_changed_until_the_last_one_is_in(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    first = alice.plays(game_id, 0)
    changed = alice.plays(game_id, 1)
    assert changed.status_code == 200
    assert changed.json is not None
    assert first.json is not None
    assert changed.json["played"][0]["n"] == first.json["played"][0]["n"]
    assert changed.json["played"][0]["move"] != first.json["played"][0]["move"]
    assert changed.json["version"] == first.json["version"]
    decision = alice.sees(game_id)["decision"]
    assert decision["revising"]
    bob.plays(game_id)
    late = alice.post(
        f"/v1/games/{game_id}/moves",
        {"decision": decision["id"], "move": decision["moves"][0]["move"]},
    )
    assert late.status_code == 409
    assert late.json is not None
    assert late.json["code"] == "decision_closed"


def test_plans_that_a_pick_may_carry_are_told_in_words(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    path = f"/v1/games/{site.game_of(alice, bob)}/plan"
    plans, german = (
        alice.get(path, query_string={"language": language}).get_json()["plans"]
        for language in ("en", "de")
    )
    for plan, translated in zip(plans, german, strict=True):
        assert plan["label"].startswith("Keep ")
        assert translated["label"].startswith("Behalte ")
        assert {**plan, "label": ""} == {**translated, "label": ""}


@pytest.mark.parametrize("count", [MOST_MOVES_AT_ONCE])
def test_several_moves_stop_at_the_first_that_cannot_be_played(site: Site, count: int) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    decision = alice.sees(game_id)["decision"]
    text = decision["moves"][0]["text"]
    played = alice.post(
        f"/v1/games/{game_id}/moves", {"decision": decision["id"], "moves": [text] * count}
    )
    assert played.status_code == 200
    assert played.json is not None
    assert len(played.json["played"]) == 1
    assert played.json["stopped"]["code"] == "not_your_decision"


# A game whose turns have several steps


def a_long_turn(site: Site, gold: int | None = None) -> tuple[Caller, str, str]:
    """Who begins such a game, and what they are asked."""
    players = site.people("Alice", "Bob")
    game_id = site.game_of(*players, game=steps.KEY)
    mover = steps.beginning(site, game_id, gold).mover
    return players[mover], game_id, players[mover].sees(game_id)["decision"]["id"]


def sends(caller: Caller, game_id: str, decision: str, *moves: Any) -> Json:
    answered = caller.post(
        f"/v1/games/{game_id}/moves", {"decision": decision, "moves": list(moves)}
    )
    assert answered.status_code == 200, answered.json
    played: Json | None = answered.json
    assert played is not None
    return played


def test_all_steps_of_a_turn_may_come_in_one_request(site: Site) -> None:
    caller, game_id, decision = a_long_turn(site)
    sail, street, *rest = steps.A_TURN
    answered = sends(caller, game_id, decision, sail, {"type": street}, *rest)
    assert [line["text"] for line in answered["played"]] == list(steps.A_TURN)
    assert answered["stopped"] is None
    assert answered["decision"] is None


def test_a_step_that_does_not_work_stops_the_turn_and_takes_nothing_back(site: Site) -> None:
    caller, game_id, decision = a_long_turn(site)
    answered = sends(caller, game_id, decision, "sail A6 A7", "street", "lay SD-a1", "done")
    assert [line["text"] for line in answered["played"]] == ["sail A6 A7", "street"]
    assert answered["stopped"]["code"] == "illegal_move"
    assert answered["stopped"]["decision"] == answered["decision"]
    seen = caller.sees(game_id)
    assert seen["position"]["street"] is not None, "what was drawn lies open"
    assert {move["move"]["type"] for move in seen["decision"]["moves"]} == {"lay"}


@pytest.mark.parametrize("step", ["dismiss", {"type": "dismiss"}])
def test_a_step_that_made_itself_may_be_written_too(site: Site, step: Any) -> None:
    """Without gold nobody can sail on, so that there is one thing to do: it is done at once."""
    caller, game_id, decision = a_long_turn(site, gold=0)
    answered = sends(caller, game_id, decision, "sail A13 A14", step)
    assert [(line["text"], line["via"]) for line in answered["played"]] == [
        ("sail A13 A14", "player"), ("dismiss", "auto"),
    ]  # fmt: skip
    assert answered["stopped"] is None


def test_after_a_step_that_made_itself_other_steps_are_refused_as_ever(site: Site) -> None:
    caller, game_id, decision = a_long_turn(site, gold=0)
    answered = sends(caller, game_id, decision, "sail A13 A14", "dismiss", "dismiss")
    assert len(answered["played"]) == 2
    assert answered["stopped"]["code"] == "not_your_decision"
