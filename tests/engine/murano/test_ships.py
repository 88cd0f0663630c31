"""Ships: where they may go, and how few movements lead somewhere, against trying it out."""

from itertools import combinations

import pytest

from engine.chance import Chance
from engine.murano.legal import fleet, legal_moves
from engine.murano.moves import Sail
from engine.murano.ships import Fleet, movements_to, price, voyages
from engine.murano.turns import apply, decision, pending
from tests.engine.murano.table import SEED, having, moves, play, ships, table

LENGTH = 9


def fewest(start: Fleet, target: int, lighthouse: bool) -> int:
    """How many movements lead there, found by making them."""
    known, layer, made = {start}, [start], 0
    while layer:
        made += 1
        following = []
        for one in layer:
            for voyage in voyages(one, lighthouse):
                if voyage.to == target:
                    return made
                after = one.sailed(*voyage)
                if after not in known:
                    known.add(after)
                    following.append(after)
        layer = following
    raise AssertionError("every space can be reached")


@pytest.mark.parametrize("lighthouse", [False, True])
def test_the_fewest_movements_are_those_that_trying_finds(lighthouse: bool) -> None:
    tried = 0
    for count in (2, 3, 4):
        for others in combinations(range(LENGTH), count):
            for red in range(0, LENGTH, 2):
                here = Fleet(LENGTH, others, red)
                for target in range(0, LENGTH, 3):
                    assert movements_to(here, target, lighthouse) == fewest(
                        here, target, lighthouse
                    ), (here, target)
                    tried += 1
    assert tried > 2000


def test_the_price_of_movements_rises_by_one_each() -> None:
    assert [price(0, n) for n in range(5)] == [0, 0, 1, 3, 6]
    assert price(2, 3) == 2 + 3 + 4


def test_no_ship_passes_another_or_stops_on_one() -> None:
    state = ships(table(), "A1", "A3", "A4", "A9", "A10", "A11", "A12", "A17")
    sails = [move for move in legal_moves(state, 0) if isinstance(move, Sail)]
    assert {(move.start, move.to) for move in sails if move.start in ("A1", "A3", "A17")} == {
        ("A1", "A2"), ("A17", "A18"),
    }  # fmt: skip
    assert "pass A1 A2" in moves(state)


def test_with_no_gold_only_sails_to_what_can_be_done_are_offered() -> None:
    """Nobody gets stuck: a space whose action does nothing is offered only if one can go on."""
    state = ships(table(), "A1", "A5", "A6", "A7", "A10", "A12", "A13", "A14")
    poor = having(state, 0, gold=0, hand=5)
    offered = {move.to for move in legal_moves(poor, 0) if isinstance(move, Sail)}
    assert offered == {"A15", "A18", "A16"} & offered
    assert "A8" not in offered, "a shop costs 2 gold"
    assert "A15" in offered, "gold is always to be had"
    rich = having(state, 0, gold=1)
    offered = {move.to for move in legal_moves(rich, 0) if isinstance(move, Sail)}
    assert "A8" in offered, "one gold moves another ship to A15"


def test_passing_brings_one_gold_moves_a_ship_and_does_nothing_there() -> None:
    state = ships(table(), "A1", "A3", "A5", "A8", "A10", "A12", "A14", "A17")
    after = play(state, "pass A14 A15")
    assert after.players[0].gold == 6
    assert after.mover == 1
    assert fleet(after).occupied == fleet(play(state, "sail A14 A15")).occupied


def test_the_owner_of_the_lighthouse_may_join_the_next_ship_with_the_red_one() -> None:
    state = ships(table(), "A12", "A15", "A1", "A3", "A5", "A8", "A10", "A17")
    assert "sail A12 A15" not in moves(state)
    state = having(state, 0, cards=("lighthouse",))
    assert "sail A12 A15" in moves(state)
    assert "pass A12 A15" not in moves(state), "not when passing"
    assert "sail A10 A12" not in moves(state), "only the red ship may"
    shared = play(state, "sail A12 A15", "gold")
    assert fleet(shared).shared(14)
    # Whoever comes next says which of the two they move.
    assert {"sail A15 A16", "sail A15 A16 red"} <= set(moves(shared))
    assert "sail A15 A17 red" not in moves(shared), "it is not theirs"
    away = play(shared, "sail A15 A16 red")
    assert away.red == 15
    assert 14 in away.ships


def test_the_red_ship_goes_on_from_a_shared_space_to_the_next_ship() -> None:
    state = ships(table(), "A12", "A12", "A14", "A1", "A3", "A5", "A8", "A10")
    state = having(state, 0, cards=("lighthouse",))
    assert "sail A12 A14 red" in moves(state)
    assert "sail A12 A14" not in moves(state)


def test_a_card_that_is_new_works_only_from_the_next_turn_on() -> None:
    state = ships(table(), "A12", "A15", "A1", "A3", "A5", "A8", "A10", "A17")
    state = having(state, 0, cards=("lighthouse",), active=0)
    assert "sail A12 A15" not in moves(state)


def test_random_voyages_never_leave_anybody_without_a_move() -> None:
    state = having(table(2), 0, cards=("lighthouse",))
    chance = Chance(SEED, "test")
    for _ in range(300):
        if not pending(state):
            break
        offered = legal_moves(state, state.mover)
        assert offered
        move = offered[chance.below("test", len(offered))]
        scope = decision(state, state.mover)
        state = apply(state, state.mover, move, Chance(SEED, scope)).state
