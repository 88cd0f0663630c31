"""What a person touches for a move."""

from collections.abc import Sequence

import pytest

from engine import murano
from engine.contract import Stop
from engine.murano.state import State
from tests.engine.murano.table import arrived, gondoliers, having, laid, ships, table

SHIPS = ("A1", "A3", "A5", "A8", "A10", "A12", "A14")


def paths(state: State, language: str = "en") -> dict[str, Sequence[Stop]]:
    """By the notation of the move: spots with their words."""
    return {
        murano.format(move): murano.path(state, state.mover, move, language)
        for move in murano.legal_moves(state, state.mover)
    }


def spots(state: State) -> dict[str, list[str]]:
    return {text: [stop.spot for stop in path] for text, path in paths(state).items()}


def test_a_ship_is_touched_and_then_where_it_sails() -> None:
    found = paths(ships(table(), "A17", *SHIPS))
    assert found["sail A14 A15"] == (("ship:A14", "ship on A14"), ("A15", "A15: take gold"))
    assert found["sail A17 A18"][0] == ("ship:red", "red ship on A17")
    assert found["pass A17 A18"] == (
        ("pass", "Pass"),
        ("ship:red", "red ship on A17"),
        ("A18", "A18"),
    )


def test_of_two_ships_on_a_space_each_can_be_touched() -> None:
    found = spots(ships(table(), "A14", *SHIPS))
    assert found["pass A14 A15"] == ["pass", "ship:A14", "A15"]
    assert found["pass A14 A15 red"] == ["pass", "ship:red", "A15"]


@pytest.mark.parametrize(
    ("space", "move", "expected"),
    [
        ("A15", "gold", ["A15"]),
        ("A2", "buy glassworks", ["A2"]),
        ("A4", "buy special", ["A4"]),
        ("A8", "buy shop", ["A8", "top"]),
        ("A8", "search shop", ["A8", "search"]),
        ("A18", "search palace", ["A18", "search"]),
        ("A3", "recruit", ["A3"]),
        ("A6", "gondolier SD white", ["A6", "dock:SD-white"]),
        ("A7", "street", ["A7", "stack:street"]),
        ("A7", "build shop red SD-a1", ["A7", "tile:shop-red", "SD-a1"]),
        ("A7", "build glassworks SD-a1", ["A7", "tile:glassworks", "SD-a1"]),
        ("A12", "income SD", ["A12", "island:SD"]),
        ("A5", "produce 1", ["A5", "produce:1"]),
        ("A14", "hire", ["A14", "hire"]),
        ("A14", "dismiss", ["A14", "dismiss"]),
    ],
)
def test_an_action_begins_where_the_ship_has_arrived(
    space: str, move: str, expected: list[str]
) -> None:
    state = laid(table(), SD_a2="street red", SD_b1="shop red 0", SD_c1="glassworks 0")
    state = having(gondoliers(state, 0, "SP white"), 0, gold=20, shops="r", glassworks=1)
    found = spots(arrived(state, space))
    assert found[move] == expected
    assert all(path[0] == space or path[0].startswith("ship:") for path in found.values())


def test_tiles_after_the_first_begin_with_the_tile() -> None:
    state = laid(having(table(), 0, shops="rg"), SD_a2="street red")
    found = spots(arrived(state, "A7")._replace(phase="build", built=1))
    assert found["build shop grey SD-a1"] == ["tile:shop-grey", "SD-a1"]
    assert found["street"] == ["stack:street"]
    assert found["done"] == ["done"]


def test_what_is_built_at_once_only_needs_a_place() -> None:
    state = laid(having(table(), 0, shops="r"), SD_a2="street red")
    found = spots(state._replace(phase="at-once", shown=("shop", "red"), trigger=1))
    assert found["build shop red SD-a1"] == ["SD-a1"]
    assert found["done"] == ["done"]


def test_shown_cards_can_be_touched() -> None:
    state = table()
    assert spots(state._replace(phase="recruit", shown=(7, 8))) == {
        "choose 7": ["character:7"],
        "choose 8": ["character:8"],
        "decline": ["decline"],
    }
    cards = spots(state._replace(phase="card", shown=("bank", "inn")))
    assert cards == {"choose bank": ["card:bank"], "choose inn": ["card:inn"]}
    kinds = spots(state._replace(phase="take", shown=("shop",)))
    assert kinds["take red"] == ["shown:shop-red"]
    assert spots(state._replace(phase="lay", shown=("0",)))["lay SD-b2"] == ["SD-b2"]


def test_beads_are_sold_by_a_button_and_returned_by_touching_them() -> None:
    state = having(table(), 0, beads=(2, 0, 1), cards=("studio-red-green",))
    found = spots(state._replace(phase="sell", shown=(1,)))
    assert found["sell red 2 green 1"] == ["sell:red-2-green-1"]
    assert found["keep"] == ["keep"]
    assert spots(state._replace(phase="return")) == {
        "return red": ["bead:red"],
        "return green": ["bead:green"],
    }


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["place a gondolier", "San Donato, white dock"]),
        ("de", ["Gondoliere einsetzen", "San Donato, Anleger weiß"]),
        ("es", ["colocar gondolero", "San Donato, muelle blanco"]),
    ],
)
def test_labels_are_in_the_language_of_the_person(language: str, words: list[str]) -> None:
    state = having(arrived(table(), "A6"), 0, gold=9)
    assert [stop.words for stop in paths(state, language)["gondolier SD white"]] == words
