"""The written forms of moves."""

from typing import Any

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.errors import Unreadable
from engine.murano.board import own_boards
from engine.murano.moves import (
    BEADS,
    BOUGHT,
    CUSTOMERS,
    KINDS,
    SEARCHED,
    Build,
    Buy,
    ChooseCard,
    ChooseCharacter,
    Gondolier,
    Income,
    Lay,
    Move,
    Pass,
    Produce,
    Return,
    Sail,
    Search,
    Sell,
    Take,
)
from engine.policies import simulate

DEFAULT = own_boards()[-1]

# Text and JSON as every client sees them.
WRITTEN: list[tuple[str, dict[str, Any]]] = [
    ("sail A5 A6", {"type": "sail", "from": "A5", "to": "A6"}),
    ("sail A5 A6 red", {"type": "sail", "from": "A5", "to": "A6", "red": True}),
    ("pass A17 A1", {"type": "pass", "from": "A17", "to": "A1"}),
    ("pass A17 A1 red", {"type": "pass", "from": "A17", "to": "A1", "red": True}),
    ("gold", {"type": "gold"}),
    ("buy shop", {"type": "buy", "tile": "shop"}),
    ("buy glassworks", {"type": "buy", "tile": "glassworks"}),
    ("search palace", {"type": "search", "tile": "palace"}),
    ("take 3", {"type": "take", "kind": "3"}),
    ("take grey", {"type": "take", "kind": "grey"}),
    ("recruit", {"type": "recruit"}),
    ("choose 17", {"type": "choose", "character": 17}),
    ("decline", {"type": "decline"}),
    ("gondolier SD orange", {"type": "gondolier", "island": "SD", "dock": "orange"}),
    ("street", {"type": "street"}),
    ("lay SD-b2", {"type": "lay", "at": "SD-b2"}),
    ("build shop red SD-a1", {"type": "build", "tile": "shop", "kind": "red", "at": "SD-a1"}),
    ("build palace 2 SD-a1", {"type": "build", "tile": "palace", "kind": "2", "at": "SD-a1"}),
    ("build glassworks SD-a1", {"type": "build", "tile": "glassworks", "at": "SD-a1"}),
    ("build special SD-a1", {"type": "build", "tile": "special", "at": "SD-a1"}),
    ("choose bank", {"type": "choose", "card": "bank"}),
    ("choose studio-red-green", {"type": "choose", "card": "studio-red-green"}),
    ("done", {"type": "done"}),
    ("income SD", {"type": "income", "island": "SD"}),
    ("produce 2", {"type": "produce", "count": 2}),
    ("produce 0", {"type": "produce", "count": 0}),
    ("sell green 3", {"type": "sell", "beads": {"green": 3}}),
    ("sell red 1 green 2", {"type": "sell", "beads": {"red": 1, "green": 2}}),
    ("keep", {"type": "keep"}),
    ("return blue", {"type": "return", "bead": "blue"}),
    ("hire", {"type": "hire"}),
    ("dismiss", {"type": "dismiss"}),
]


@pytest.mark.parametrize(("text", "data"), WRITTEN)
def test_text_and_json_are_the_same_move(text: str, data: dict[str, Any]) -> None:
    move = murano.parse(text)
    assert move == murano.move_from_json(data)
    assert murano.format(move) == text
    assert murano.move_to_json(move) == data
    assert list(murano.move_to_json(move)) == list(data), "the keys stand in this order"


def conceivable() -> list[Move]:
    ring, spaces = DEFAULT.ring, [space.name for space in DEFAULT.spaces]
    codes = [island.code for island in DEFAULT.islands]
    found: list[Move] = []
    for start in ring:
        for to in ring:
            found += [
                Sail(start, to),
                Sail(start, to, True),
                Pass(start, to),
                Pass(start, to, True),
            ]
    found += [Buy(tile) for tile in BOUGHT] + [Search(tile) for tile in SEARCHED]
    found += [Take(kind) for kind in KINDS] + [ChooseCharacter(n) for n in range(1, 41)]
    found += [ChooseCard(card) for card in DEFAULT.figures["special_cards"]]
    found += [Gondolier(code, colour) for code in codes for colour in DEFAULT.colours]
    found += [Income(code) for code in codes] + [Produce(count) for count in range(13)]
    found += [Return(bead) for bead in BEADS]
    for at in spaces:
        found += [Lay(at), Build("glassworks", "", at), Build("special", "", at)]
        found += [Build("shop", kind, at) for kind in CUSTOMERS]
        found += [Build("palace", kind, at) for kind in ("1", "2", "3")]
    for red in range(4):
        for blue in range(4 - red):
            found += [Sell((red, blue, green)) for green in range(4 - red - blue)
                      if red + blue + green]  # fmt: skip
    return found


def test_every_conceivable_move_survives_both_forms() -> None:
    moves = conceivable()
    assert len(moves) > 1500
    assert len(set(moves)) == len(moves)
    assert len({murano.format(move) for move in moves}) == len(moves)
    for move in moves:
        assert murano.parse(murano.format(move)) == move
        assert murano.move_from_json(murano.move_to_json(move)) == move


def test_every_move_of_a_game_survives_both_forms() -> None:
    for line in simulate(murano, 4, {}, seed_from_text("7"), "random").lines:
        assert murano.parse(murano.format(line.move)) == line.move
        assert murano.move_from_json(murano.move_to_json(line.move)) == line.move


@pytest.mark.parametrize(
    "text",
    ["BUILD shop RED sd-A1", "  build   shop red SD-a1\n", "build\tshop red SD-A1"],
    ids=["case", "blanks", "tab"],
)
def test_capitals_and_blanks_do_not_matter(text: str) -> None:
    assert murano.parse(text) == Build("shop", "red", "SD-a1")


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "hello", "sail", "sail A5", "sail A5 A6 A7", "sail A0 A1", "sail B5 A6",
        "sail A5 A6 blue", "buy", "buy street", "search glassworks", "take", "take 4",
        "take green", "choose", "choose 100", "choose bank 7", "gondolier SD", "gondolier orange",
        "gondolier SDX orange", "lay", "lay SD", "lay SD-22", "build", "build shop SD-a1",
        "build shop 1 SD-a1", "build palace red SD-a1", "build glassworks red SD-a1",
        "build street SD-a2", "income", "income SDD", "produce", "produce many",
        "sell", "sell green", "sell 3", "sell grey 1", "sell green 4", "sell green 0",
        "sell red 1 red 1", "sell red 2 green 2", "return", "return grey", "gold now or never",
        "\0", "ß" * 5000,
    ],
)  # fmt: skip
def test_other_text_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        murano.parse(text)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    "data",
    [
        None, [], "gold", 7, True, {}, {"type": 3}, {"type": ["gold"]}, {"type": "sale"},
        {"type": "gold", "gold": 2}, {"type": "sail"}, {"type": "sail", "from": "A5"},
        {"type": "sail", "from": "A5", "to": 6}, {"type": "sail", "from": "A5", "to": "B6"},
        {"type": "sail", "from": "A5", "to": "A6", "red": False},
        {"type": "sail", "from": "A5", "to": "A6", "red": 1},
        {"type": "sail", "from": "A5", "to": "A6", "red": "true"},
        {"type": "sail", "from": "A5", "to": "A6 red"},
        {"type": "pass", "from": "A5", "to": "A6", "at": "A6"},
        {"type": "buy"}, {"type": "buy", "tile": "street"}, {"type": "buy", "tile": ["shop"]},
        {"type": "search", "tile": "special"}, {"type": "take", "kind": 3},
        {"type": "take", "kind": "4"}, {"type": "take", "kind": "green"},
        {"type": "choose"}, {"type": "choose", "character": "17"},
        {"type": "choose", "character": True}, {"type": "choose", "character": -1},
        {"type": "choose", "character": 100}, {"type": "choose", "card": 17},
        {"type": "choose", "card": "17"}, {"type": "choose", "card": ""},
        {"type": "choose", "card": "no card"}, {"type": "choose", "character": 1, "card": "bank"},
        {"type": "gondolier", "island": "SD"}, {"type": "gondolier", "island": "SD", "dock": 1},
        {"type": "gondolier", "island": "S", "dock": "white"},
        {"type": "lay", "at": ["SD-b2"]}, {"type": "lay", "at": "b2"},
        {"type": "build", "tile": "shop", "at": "SD-a1"},
        {"type": "build", "tile": "shop", "kind": "2", "at": "SD-a1"},
        {"type": "build", "tile": "palace", "kind": 2, "at": "SD-a1"},
        {"type": "build", "tile": "palace", "kind": "red", "at": "SD-a1"},
        {"type": "build", "tile": "special", "kind": "red", "at": "SD-a1"},
        {"type": "build", "tile": "street", "at": "SD-a2"},
        {"type": "income", "island": None}, {"type": "produce", "count": "2"},
        {"type": "produce", "count": -1}, {"type": "produce", "count": 1.0},
        {"type": "produce", "count": True}, {"type": "sell", "beads": {}},
        {"type": "sell", "beads": []}, {"type": "sell", "beads": {"green": 0}},
        {"type": "sell", "beads": {"green": 4}}, {"type": "sell", "beads": {"grey": 1}},
        {"type": "sell", "beads": {"green": "1"}}, {"type": "sell", "beads": {"green": True}},
        {"type": "sell", "beads": {"red": 2, "green": 2}}, {"type": "return", "bead": "grey"},
        {"type": "keep", "beads": {}}, {"type": "done", 7: 8},
    ],
)  # fmt: skip
def test_other_json_is_unreadable(data: object) -> None:
    with pytest.raises(Unreadable) as caught:
        murano.move_from_json(data)
    assert len(str(caught.value)) < 700


def test_places_have_the_names_clients_know() -> None:
    assert DEFAULT.ring == tuple(f"A{number}" for number in range(1, 19))
    assert [island.code for island in DEFAULT.islands] == ["SD", "SP", "SM", "SS", "ST", "SC"]
    names = [space.name for space in DEFAULT.spaces]
    assert names[0] == "SD-a1"
    assert len(set(names)) == len(names)
    assert sum(space.street for space in DEFAULT.spaces) == 42
