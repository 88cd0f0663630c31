"""The checks themselves: they notice what is wrong, and what they imagine is possible."""

from itertools import pairwise
from typing import Any

import pytest

from engine import murano
from engine.chance import Chance, seed_from_text
from engine.decisions import seat_view
from engine.murano.legal import legal_moves
from engine.murano.state import State
from engine.policies import random_move, simulate
from tests.engine.murano.table import having, laid, table

LINES = simulate(murano, 3, {}, seed_from_text("checks 1"), "greedy").lines
MIDDLE: State = next(line.state for line in LINES[len(LINES) // 2 :] if line.state.phase == "sail")


def own(**changes: Any) -> State:
    return having(MIDDLE, 0, **changes)


def tile_off(places: str) -> State:
    """The state without the first building or street."""
    place = next(n for n, code in enumerate(MIDDLE.spaces) if code in places)
    return MIDDLE._replace(spaces=MIDDLE.spaces[:place] + "." + MIDDLE.spaces[place + 1 :])


def someone() -> State:
    """A character that two have."""
    return own(characters=(*MIDDLE.players[0].characters, MIDDLE.characters[0]))


BROKEN = {
    "a street too few": MIDDLE._replace(streets=MIDDLE.streets[1:]),
    "a street too many": MIDDLE._replace(streets=MIDDLE.streets + "0"),
    "a street that is gone": tile_off("0123456789"),
    "a shop too many": own(shops=MIDDLE.players[0].shops + "r"),
    "a palace too many": own(palaces=MIDDLE.players[0].palaces + "1"),
    "glassworks too many": own(glassworks=MIDDLE.players[0].glassworks + 1),
    "glassworks too few": MIDDLE._replace(glassworks=MIDDLE.glassworks - 1),
    "a special building too many": MIDDLE._replace(specials=MIDDLE.specials + 1),
    "a bead too many": own(beads=tuple(n + 1 for n in MIDDLE.players[0].beads)),
    "a bead too few": MIDDLE._replace(bag=(MIDDLE.bag[0], MIDDLE.bag[1] - 1, MIDDLE.bag[2])),
    "a character twice": someone(),
    "a character too few": MIDDLE._replace(characters=MIDDLE.characters[1:]),
    "a character that is not in the game": MIDDLE._replace(characters=(30, *MIDDLE.characters[1:])),
    "a special card twice": own(cards=(*MIDDLE.players[0].cards, MIDDLE.cards[0])),
    "a special card too few": MIDDLE._replace(cards=MIDDLE.cards[1:]),
    "more cards at work than there are": own(active=len(MIDDLE.players[0].cards) + 1),
    "a gondolier too many": own(hand=MIDDLE.players[0].hand + 1),
    "a gondolier from nowhere": MIDDLE._replace(docks=MIDDLE.docks.replace(".", "0", 1)),
    "debts": own(gold=-1),
    "points below nothing": own(vp=-1),
    "two ships on a space": MIDDLE._replace(ships=(MIDDLE.ships[0], *MIDDLE.ships[:-1])),
    "a last round that nobody brought about": MIDDLE._replace(trigger=0),
    "a phase that is none": MIDDLE._replace(phase="rest"),
    "a seat that is none": MIDDLE._replace(mover=3),
}


def test_a_sound_state_has_no_faults() -> None:
    assert murano.faults(MIDDLE) == []
    for line in LINES:
        assert murano.faults(line.state) == []


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_noticed(name: str) -> None:
    found = murano.faults(BROKEN[name])
    assert found
    assert all(sentence.endswith(".") for sentence in found)


def test_tiles_in_wrong_places_are_noticed() -> None:
    fresh = table()
    assert "SD-a1 has street on it." in murano.faults(laid(fresh, SD_a1="street red"))
    assert "SD-a2 has special on it." in murano.faults(laid(fresh, SD_a2="special"))
    assert "SD-a1 touches no street." in murano.faults(laid(fresh, SD_a1="special"))
    assert "SS-b2 is not in play." in murano.faults(laid(fresh, SS_b2="street red"))


def test_a_last_round_that_was_forgotten_is_noticed() -> None:
    late = next(line.state for line in LINES if line.state.trigger is not None)
    assert murano.faults(late) == []
    assert murano.faults(late._replace(trigger=None))


@pytest.mark.parametrize("observer", [None, 0, 1, 2])
def test_what_is_imagined_is_sound_and_looks_the_same(observer: int | None) -> None:
    chance = Chance(seed_from_text("imagine"), "test")
    knowing = [] if observer is None else [observer]
    different = 0
    for before, line in pairwise(LINES):
        state = before.state
        imagined = murano.imagine(state, knowing, chance, line.seat, line.move)
        assert murano.faults(imagined) == []
        assert seat_view(murano, imagined, observer) == seat_view(murano, state, observer)
        if murano.move_seen_by(line.seat, line.move) is None:
            assert line.move in legal_moves(imagined, line.seat)
        different += imagined != state
    assert different > len(LINES) * 0.9


def test_a_stored_state_is_the_same_again_and_small() -> None:
    for line in LINES[::7]:
        text = murano.dump(line.state)
        assert murano.load(text) == line.state
        assert len(text.encode()) < 4000


def test_what_was_imagined_can_be_played_on() -> None:
    chance = Chance(seed_from_text("on"), "test")
    imagined = murano.imagine(MIDDLE, [1], chance, MIDDLE.mover, None)
    for _ in range(60):
        if not murano.pending(imagined):
            break
        move = random_move(murano, imagined, imagined.mover, chance)
        imagined = murano.apply(imagined, imagined.mover, move, chance).state
        assert murano.faults(imagined) == []
