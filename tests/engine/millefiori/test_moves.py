"""The written forms of moves."""

from typing import Any

import pytest

from engine import millefiori
from engine.errors import Unreadable
from engine.millefiori.board import PLACE_NAME
from engine.millefiori.cards import NAME
from engine.millefiori.legal import PLAY, PLAY_AND_SAIL
from engine.millefiori.moves import Decline, Discard, Keep, Move

# Text and JSON as every client sees them.
WRITTEN: list[tuple[str, dict[str, Any]]] = [
    ("keep quartz-3", {"type": "keep", "card": "quartz-3"}),
    ("quartz-3 W8", {"type": "play", "card": "quartz-3", "to": "W8"}),
    ("ship-4 H2 sail", {"type": "play", "card": "ship-4", "to": "H2", "sail": True}),
    ("ship-4 H2", {"type": "play", "card": "ship-4", "to": "H2", "sail": False}),
    ("coin-2 route", {"type": "play", "card": "coin-2", "to": "route"}),
    ("decline", {"type": "decline"}),
    ("coin-2 discard", {"type": "discard", "card": "coin-2"}),
    (
        "keep ship-4 then H2 sail",
        {
            "type": "keep",
            "card": "ship-4",
            "then": {"type": "play", "card": "ship-4", "to": "H2", "sail": True},
        },
    ),
]


@pytest.mark.parametrize(("text", "data"), WRITTEN)
def test_text_and_json_are_the_same_move(text: str, data: dict[str, Any]) -> None:
    move = millefiori.parse(text)
    assert move == millefiori.move_from_json(data)
    assert millefiori.format(move) == text
    assert millefiori.move_to_json(move) == data


def test_every_conceivable_move_survives_both_forms() -> None:
    moves: list[Move] = [Decline()]
    for card in range(len(NAME)):
        plays = [*PLAY[card].values(), *PLAY_AND_SAIL[card].values()]
        moves += [Keep(card), Discard(card), *plays, *(Keep(card, play) for play in plays)]
    assert len(moves) > 1000
    for move in moves:
        assert millefiori.parse(millefiori.format(move)) == move
        assert millefiori.move_from_json(millefiori.move_to_json(move)) == move


@pytest.mark.parametrize(
    "text", ["QUARTZ-3 w8", "  quartz-3   W8\n", "Quartz-3\tw8"], ids=["case", "blanks", "tab"]
)
def test_capitals_and_blanks_do_not_matter(text: str) -> None:
    assert millefiori.parse(text) == millefiori.parse("quartz-3 W8")


def test_a_plan_may_repeat_its_card() -> None:
    assert millefiori.parse("keep coin-2 then coin-2 route") == millefiori.parse(
        "keep coin-2 then route"
    )


@pytest.mark.parametrize(
    "text",
    ["", "   ", "hello", "quartz-9 W8", "quartz-3 W31", "keep", "keep W8", "quartz-3 W8 W9",
     "quartz-3", "keep quartz-3 then", "ship-4 sail", "decline now", "route", "\0", "ß" * 5000],
)  # fmt: skip
def test_other_text_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        millefiori.parse(text)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "data",
    [
        None, [], "keep quartz-3", 7, {}, {"type": "keep"}, {"type": 3}, {"type": ["keep"]},
        {"type": "sail", "card": "ship-1"}, {"type": "keep", "card": 3},
        {"type": "keep", "card": ["quartz-3"]}, {"type": "keep", "card": "quartz-3", "to": "W8"},
        {"type": "play", "card": "quartz-3"}, {"type": "play", "card": "quartz-3", "to": 8},
        {"type": "play", "card": "ship-4", "to": "H2", "sail": "yes"},
        {"type": "play", "card": "ship-4", "to": "H2", "sail": 1},
        {"type": "decline", "card": "quartz-3"},
        {"type": "keep", "card": "quartz-3", "then": "W8"},
        {"type": "keep", "card": "quartz-3", "then": {"type": "decline"}},
        {"type": "keep", "card": "quartz-3", "then": {"type": "keep", "card": "quartz-3"}},
    ],
)  # fmt: skip
def test_other_json_is_unreadable(data: object) -> None:
    with pytest.raises(Unreadable):
        millefiori.move_from_json(data)


def test_places_have_the_names_clients_know() -> None:
    assert PLACE_NAME[0] == "W1"
    assert PLACE_NAME[-1] == "route"
    assert {name[0] for name in PLACE_NAME[:-1]} == set("WRNPGCJSH")
    assert len(PLACE_NAME) == 30 + 20 + 12 + 12 + 20 + 5 + 1
