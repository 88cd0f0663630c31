"""What a person touches for a move."""

from collections.abc import Sequence

import pytest

from engine import millefiori
from engine.contract import Stop
from engine.millefiori.state import State
from tests.engine.millefiori.table import table


def paths(state: State, language: str = "en") -> dict[str, Sequence[Stop]]:
    """By the notation of the move: spots with their words."""
    [seat] = millefiori.pending(state)
    return {
        millefiori.format(move): millefiori.path(state, seat, move, language)
        for move in millefiori.legal_moves(state, seat)
    }


def spots(state: State) -> dict[str, list[str]]:
    return {text: [stop.spot for stop in path] for text, path in paths(state).items()}


def test_a_card_is_kept_by_touching_it() -> None:
    hands = ["coin-1 coin-2", "key-3 key-4", "ash-1 ash-2"]
    state = table(3, hands=hands, mover=None)
    kept = millefiori.legal_moves(state, 1)
    found = [millefiori.path(state, 1, move) for move in kept]
    assert found == [(("card:key-3", "key-3"),), (("card:key-4", "key-4"),)]


def test_a_kept_card_goes_to_a_place_or_sails() -> None:
    state = table(3, kept={0: "key-3"})
    assert spots(state) == {
        "key-3 R1": ["card:key-3", "R1"],
        "key-3 route": ["card:key-3", "route"],
    }


def test_after_a_ship_in_the_harbor_the_own_ship_sails_or_stays() -> None:
    found = spots(table(3, kept={0: "ship-2"}))
    assert found["ship-2 H3"] == ["card:ship-2", "H3", "stay"]
    assert found["ship-2 H3 sail"] == ["card:ship-2", "H3", "route"]
    assert found["ship-2 route"] == ["card:ship-2", "route"]


def test_a_ship_that_has_arrived_is_not_asked_about() -> None:
    found = spots(table(3, kept={0: "ship-2"}, ships={0: 20}))
    assert found["ship-2 H3"] == ["card:ship-2", "H3"]
    assert "ship-2 H3 sail" not in found


def test_an_extra_card_is_taken_from_the_display_even_if_the_hand_has_its_like() -> None:
    hands = ["key-3", "key-4", "key-5"]
    state = table(3, hands=hands, display="key-3", extras=1, tactical=True)
    assert spots(state) == {
        "key-3 R1": ["display:key-3", "R1"],
        "key-3 route": ["display:key-3", "route"],
        "decline": ["decline"],
    }


def test_a_card_of_no_use_is_discarded() -> None:
    state = table(3, kept={0: "key-3"}, ships={0: 20}, left={0: 0})
    assert spots(state) == {"key-3 discard": ["card:key-3", "discard"]}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["ship-2", "H3", "stay"]),
        ("de", ["Schiff-2", "H3", "liegen bleiben"]),
        ("es", ["barco-2", "H3", "quedarse"]),
    ],
)
def test_labels_are_in_the_language_of_the_person(language: str, words: list[str]) -> None:
    found = paths(table(3, kept={0: "ship-2"}), language)
    assert [stop.words for stop in found["ship-2 H3"]] == words
