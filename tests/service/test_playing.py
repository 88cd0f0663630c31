"""Playing over HTTP: decisions, moves and what comes of them."""

import pytest

from engine.contract import AnyGame
from engine.registry import GAMES
from engine.verify import split_lines, verify
from service.play import MOST_MOVES_AT_ONCE
from tests.service.support.house import House


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_a_whole_game_is_played_and_its_record_proves_itself(
    any_house: House, game: AnyGame
) -> None:
    alice, bob = any_house.people("Alice", "Bob")
    game_id = any_house.game_of(alice, bob, bots=1, game=game.meta.key)
    started = alice.sees(game_id)
    assert started["seed"] is None
    finished = any_house.play_by_requests(game_id, alice, bob)
    assert finished["status"] == "finished"
    assert finished["commitment"] == started["commitment"]
    record = alice.get(f"/v1/games/{game_id}/record").data
    followed = verify(split_lines(record))
    assert followed.outcome is not None
    assert list(followed.outcome.scores) == finished["outcome"]["scores"]


def test_a_pick_can_be_changed_until_the_last_one_is_in(any_house: House) -> None:
    alice, bob = any_house.people("Alice", "Bob")
    game_id = any_house.game_of(alice, bob)
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


@pytest.mark.parametrize("count", [MOST_MOVES_AT_ONCE])
def test_several_moves_stop_at_the_first_that_cannot_be_played(house: House, count: int) -> None:
    alice, bob = house.people("Alice", "Bob")
    game_id = house.game_of(alice, bob)
    decision = alice.sees(game_id)["decision"]
    text = decision["moves"][0]["text"]
    played = alice.post(
        f"/v1/games/{game_id}/moves", {"decision": decision["id"], "moves": [text] * count}
    )
    assert played.status_code == 200
    assert played.json is not None
    assert len(played.json["played"]) == 1
    assert played.json["stopped"]["code"] == "not_your_decision"
