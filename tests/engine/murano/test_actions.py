"""The actions of the ring: what each costs and does, and when it is not offered."""

from typing import Any

import pytest

from engine.murano.legal import legal_moves
from engine.murano.moves import Sail
from engine.murano.state import State
from tests.engine.murano.table import (
    arrived,
    gondoliers,
    having,
    laid,
    moves,
    play,
    played,
    points,
    ships,
    table,
)

GOLD, GLASSWORKS, SHOP, PALACE, SPECIAL = "A15", "A2", "A8", "A10", "A4"
RECRUIT, GONDOLIER, BUILD, INCOME, PRODUCTION, CREW = "A3", "A6", "A1", "A12", "A5", "A14"


def at(space: str, seats: int = 3, **own: Any) -> State:
    """Seat 0 has arrived on a space of the ring."""
    return having(arrived(table(seats), space), 0, **own)


def actions(state: State) -> list[str]:
    """What can be done here, without further sails."""
    return [text for text in moves(state) if not text.startswith("sail")]


# Gold


def test_gold_brings_two() -> None:
    state, events = played(at(GOLD), "gold")
    assert state.players[0].gold == 7
    assert events == [{"type": "gold", "seat": 0, "gold": 2}]
    assert (state.mover, state.turn, state.step, state.moved) == (1, 2, 1, 0)


# Tiles


@pytest.mark.parametrize(
    ("space", "tile", "price"),
    [(GLASSWORKS, "glassworks", 1), (SPECIAL, "special", 2), (SHOP, "shop", 2),
     (PALACE, "palace", 2)],
)  # fmt: skip
def test_the_top_tile_is_bought_for_its_price(space: str, tile: str, price: int) -> None:
    assert f"buy {tile}" in actions(at(space, gold=price))
    assert f"buy {tile}" not in actions(at(space, gold=price - 1))
    state, events = played(at(space, gold=5), f"buy {tile}")
    assert state.players[0].gold == 5 - price
    assert events[0] == {"type": "buy", "seat": 0, "tile": tile, "paid": price}
    assert state.mover == 1


@pytest.mark.parametrize(("space", "stack"), [(GLASSWORKS, "glassworks"), (SPECIAL, "specials")])
def test_plain_tiles_go_from_the_stack_to_the_player(space: str, stack: str) -> None:
    before = at(space)
    after = play(before, f"buy {stack.removesuffix('s') if stack == 'specials' else stack}")
    assert getattr(after, stack) == getattr(before, stack) - 1
    assert getattr(after.players[0], stack) == 1
    none_left = at(space)._replace(**{stack: 0})  # type: ignore[arg-type]
    assert actions(none_left) == []


@pytest.mark.parametrize(
    ("space", "stack", "order"), [(SHOP, "shops", "gbr"), (PALACE, "palaces", "312")]
)
def test_a_person_who_buys_a_shop_or_a_palace_gets_the_top_one(
    space: str, stack: str, order: str
) -> None:
    before = at(space)._replace(**{stack: order})  # type: ignore[arg-type]
    after, events = played(before, f"buy {stack.removesuffix('s')}")
    assert getattr(after, stack) == order[1:]
    assert getattr(after.players[0], stack) == order[0]
    assert events[1]["type"] == "bought"
    assert events[1]["seen_by"] == [0]


@pytest.mark.parametrize(("space", "tile"), [(SHOP, "shop"), (PALACE, "palace")])
def test_for_four_gold_the_stack_is_searched(space: str, tile: str) -> None:
    assert actions(at(space, gold=3)) == [f"buy {tile}"]
    assert actions(at(space, gold=4)) == [f"buy {tile}", f"search {tile}"]
    empty = at(space, gold=4)._replace(**{f"{tile}s": ""})  # type: ignore[arg-type]
    assert actions(empty) == []


def test_a_searched_stack_offers_each_kind_once_and_is_shuffled_again() -> None:
    state = at(SHOP)._replace(shops="gggrrbbbr")
    state, events = played(state, "search shop")
    assert state.players[0].gold == 1
    assert events == [{"type": "search", "seat": 0, "tile": "shop", "paid": 4}]
    assert moves(state) == ["take red", "take blue", "take grey"]
    after, events = played(state, "take grey")
    assert after.players[0].shops == "g"
    assert sorted(after.shops) == sorted("ggrrbbbr")
    assert events[0] == {"type": "taken", "seat": 0, "tile": "shop"}, "which one is not told"
    assert after.mover == 1


def test_a_searched_stack_of_palaces_offers_the_crests_there_are() -> None:
    state = play(at(PALACE)._replace(palaces="3113"), "search palace")
    assert moves(state) == ["take 1", "take 3"]


# Recruiting


@pytest.mark.parametrize("owned", [0, 1, 6])
def test_the_price_of_a_character_rises_with_those_one_has(owned: int) -> None:
    characters = tuple(range(1, owned + 1))
    assert actions(at(RECRUIT, gold=owned, characters=characters)) == []
    state = at(RECRUIT, gold=owned + 1, characters=characters)
    state = state._replace(characters=(20, 21, 22, 23))
    assert actions(state) == ["recruit"]
    shown = play(state, "recruit")
    assert shown.players[0].gold == owned + 1, "nothing is paid for looking"
    after, events = played(shown, "choose 21")
    assert after.players[0].gold == 0
    assert after.players[0].characters == (*characters, 21)
    assert after.characters == (23, 20, 22), "the others go under the stack as they were shown"
    assert events == [
        {"type": "recruited", "seat": 0, "paid": owned + 1},
        {"type": "chosen", "seat": 0, "character": 21, "seen_by": [0]},
    ]


def test_three_characters_are_shown_or_as_many_as_are_left() -> None:
    shown = play(at(RECRUIT)._replace(characters=(9, 8, 7, 6)), "recruit")
    assert moves(shown) == ["choose 9", "choose 8", "choose 7", "decline"]
    shown = play(at(RECRUIT)._replace(characters=(9, 8)), "recruit")
    assert moves(shown) == ["choose 9", "choose 8", "decline"]
    assert actions(at(RECRUIT)._replace(characters=())) == []


def test_a_person_who_declines_pays_nothing_and_the_turn_is_over() -> None:
    state, events = played(at(RECRUIT)._replace(characters=(9, 8, 7, 6)), "recruit", "decline")
    assert state.players[0].gold == 5
    assert state.players[0].characters == ()
    assert state.characters == (6, 9, 8, 7)
    assert events[-1] == {"type": "decline", "seat": 0}
    assert state.mover == 1


# Gondoliers


def test_a_gondolier_costs_two_on_the_own_colour_and_five_on_another() -> None:
    state = at(GONDOLIER, gold=4)
    assert actions(state) == [f"gondolier {code} white" for code in ("SD", "SP", "SM", "ST", "SC")]
    rich = at(GONDOLIER, gold=5)
    assert len(actions(rich)) == 5 * 4
    assert play(rich, "gondolier SD white").players[0].gold == 3
    after, events = played(rich, "gondolier SM brown")
    assert after.players[0].gold == 0
    assert after.players[0].hand == 4
    assert events == [{"type": "gondolier", "seat": 0, "island": "SM", "dock": "brown", "paid": 5}]
    assert actions(at(GONDOLIER, gold=1)) == []


def test_a_dock_holds_one_gondolier_and_somebody_must_be_at_hand() -> None:
    state = gondoliers(at(GONDOLIER, gold=9), 1, "SD white", "SD brown")
    assert "gondolier SD white" not in moves(state)
    assert "gondolier SD brown" not in moves(state)
    assert "gondolier SD orange" in moves(state)
    assert actions(at(GONDOLIER, gold=9, hand=0)) == []


def test_the_docks_of_the_island_for_four_are_theirs_alone() -> None:
    assert "gondolier SS white" not in moves(at(GONDOLIER))
    assert "gondolier SS white" in moves(at(GONDOLIER, seats=4))


# Building


def test_a_street_may_be_laid_on_any_free_street_space() -> None:
    state = laid(at(BUILD), SD_a2="street red")
    top = state.streets[0]
    drawn = play(state, "street")
    assert drawn.streets == state.streets[1:]
    spaces = [text.removeprefix("lay ") for text in moves(drawn)]
    assert len(spaces) == 35 - 1
    assert "SD-a2" not in spaces
    assert "SD-b2" in spaces
    assert "SP-c4" in spaces, "it need not touch another one"
    assert not [space for space in spaces if space.startswith("SS")]
    after, events = played(drawn, "lay SP-c4")
    assert points(events) == 0
    assert after.players[0].gold == 5
    assert top in after.spaces


def test_buildings_need_a_street_beside_them_and_a_free_space() -> None:
    state = at(BUILD, glassworks=1, shops="r", palaces="2", specials=1)
    assert actions(state) == ["street"], "there is no street yet"
    state = laid(state, SD_b2="street blank", SD_b1="special")
    places = {text.split()[-1] for text in actions(state) if text.startswith("build")}
    assert places == set(), "b1 is taken, and of the others none touches b2 with a side"
    state = laid(state, SD_a2="street blank")
    builds = [text for text in actions(state) if text.startswith("build")]
    assert builds == [
        "build glassworks SD-a1", "build shop red SD-a1", "build palace 2 SD-a1",
        "build special SD-a1", "build glassworks SD-a3", "build shop red SD-a3",
        "build palace 2 SD-a3", "build special SD-a3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("own", "text", "vp"),
    [({"glassworks": 1}, "glassworks", 1), ({"shops": "b"}, "shop blue", 2),
     ({"palaces": "3"}, "palace 3", 3), ({"specials": 1}, "special", 0)],
)  # fmt: skip
def test_buildings_bring_points(own: dict[str, Any], text: str, vp: int) -> None:
    state = laid(at(BUILD, **own), SD_a2="street blank")
    after, events = played(state, f"build {text} SD-a1")
    assert points(events, "build") == points(events) == vp
    assert after.players[0].vp == 5 + vp
    assert after.players[0].gold == 5


def test_shops_and_glassworks_carry_a_marker_palaces_and_specials_none() -> None:
    state = laid(at(BUILD, glassworks=1, shops="b", palaces="3"), SD_a2="street blank",
                 SD_d2="street blank")  # fmt: skip
    after, events = played(
        state, "build glassworks SD-a1", "build shop blue SD-a3", "build palace 3 SD-d1"
    )
    assert after.spaces == laid(
        state, SD_a1="glassworks 0", SD_a3="shop blue 0", SD_d1="palace 3"
    ).spaces  # fmt: skip
    assert points(events) == 1 + 2 + 3


def test_after_the_first_tile_one_may_stop_and_after_the_third_one_must() -> None:
    state = at(BUILD)
    assert "done" not in moves(state)
    state = play(state, "street", "lay SD-a2")
    assert "done" in moves(state)
    assert not [text for text in moves(state) if text.startswith("sail")], "building has begun"
    assert play(state, "done").mover == 1
    state = play(state, "street", "lay SD-b2", "street")
    assert state.mover == 0
    assert play(state, "lay SD-c2").mover == 1


def test_a_street_laid_now_may_carry_a_building_of_the_same_build() -> None:
    state = play(at(BUILD, palaces="1"), "street", "lay SD-a2")
    assert "build palace 1 SD-a1" in moves(state)


def test_with_nothing_to_lay_building_is_not_possible() -> None:
    state = at(BUILD, palaces="1")._replace(streets="")
    assert actions(state) == []
    assert actions(laid(state, SD_a2="street blank")) == [
        "build palace 1 SD-a1", "build palace 1 SD-a3",
    ]  # fmt: skip


# Income


def test_an_island_pays_for_the_customers_of_the_own_shops() -> None:
    state = laid(
        at(INCOME),
        SD_a2="street red+blue",
        SD_b2="street red",
        SD_a1="shop red 0",
        SD_a3="shop grey 0",
        SM_a2="street red+red",
        SM_a1="shop red 1",
        SM_a3="shop blue 0",
    )
    assert actions(state) == ["income SD"], "on SM only somebody else would be paid"
    after, events = played(state, "income SD")
    assert after.players[0].gold == 5 + 2
    assert events == [{"type": "income", "seat": 0, "island": "SD", "gold": 2}]


def test_without_a_shop_there_is_no_income() -> None:
    assert actions(laid(at(INCOME), SD_a2="street red")) == []


# Production


def with_glassworks(count: int, **own: Any) -> State:
    places = {f"SM_{column}1": "glassworks 0" for column in "abcde"[:count]}
    streets = {f"SM_{column}2": "street blank" for column in "abcde"}
    return laid(at(PRODUCTION, **own), **streets, **places, SD_a2="street red",
                SD_a1="glassworks 1")  # fmt: skip


@pytest.mark.parametrize(
    ("built", "vp", "offered"),
    [(0, 9, []), (2, 1, []), (3, 2, [1]), (3, 5, [1, 2]), (3, 9, [1, 2, 3]), (2, 9, [1, 2])],
)
def test_each_glassworks_that_produces_needs_two_points(
    built: int, vp: int, offered: list[int]
) -> None:
    state = with_glassworks(built, vp=vp)
    assert actions(state) == [f"produce {count}" for count in offered]


def test_a_bead_for_each_glassworks_is_drawn_and_may_be_kept_or_sold() -> None:
    state, events = played(with_glassworks(3, vp=7), "produce 2")
    assert points(events, "production") == -4
    assert sum(state.players[0].beads) == 2
    assert sum(state.bag) == 28
    drawn = next(event["beads"] for event in events if event["type"] == "beads")
    assert len(drawn) == 2
    assert "keep" in moves(state)
    after, events = played(state, "keep")
    assert after.players[0].beads == state.players[0].beads
    assert after.mover == 1


@pytest.mark.parametrize(("count", "gold"), [(1, 5), (2, 12), (3, 20)])
def test_beads_of_one_colour_are_sold(count: int, gold: int) -> None:
    state = with_glassworks(0, beads=(4, 1, 0))
    state = state._replace(bag=(6, 9, 10))
    assert actions(state) == ["produce 0"]
    selling = play(state, "produce 0")
    assert moves(selling) == ["sell red 1", "sell blue 1", "sell red 2", "sell red 3"]
    after = play(selling, f"sell red {count}")
    assert after.players[0].gold == 5 + gold
    assert after.players[0].vp == 5
    assert after.players[0].beads == (4 - count, 1, 0)
    assert after.bag == (6 + count, 9, 10)


def test_the_bag_limits_what_is_produced() -> None:
    state = with_glassworks(3, vp=9)._replace(bag=(1, 0, 1))
    assert actions(state) == ["produce 1", "produce 2"]
    assert actions(state._replace(bag=(0, 0, 0))) == []


# Crew


def test_a_gondolier_is_dismissed_for_three_gold_and_hired_for_three() -> None:
    assert actions(at(CREW)) == ["hire", "dismiss"]
    after, events = played(at(CREW), "dismiss")
    assert (after.players[0].gold, after.players[0].hand, after.players[0].supply) == (8, 4, 3)
    assert events == [{"type": "dismiss", "seat": 0, "gold": 3}]
    after, events = played(at(CREW), "hire")
    assert (after.players[0].gold, after.players[0].hand, after.players[0].supply) == (2, 6, 1)
    assert events == [{"type": "hire", "seat": 0, "paid": 3}]


def test_a_person_who_has_nobody_at_hand_cannot_dismiss_and_who_has_all_seven_cannot_hire() -> None:
    assert actions(at(CREW, hand=0, supply=7)) == ["hire"]
    assert actions(at(CREW, hand=0, supply=7, gold=2)) == []
    assert actions(at(CREW, hand=7, supply=0)) == ["dismiss"]
    placed = gondoliers(at(CREW), 0, "SD white", "SP white", "SM white", "ST white", "SC white")
    assert actions(placed) == ["hire"], "those that are placed cannot be dismissed"


# Sailing and passing


def test_a_turn_begins_with_sails_and_passes_and_no_action() -> None:
    texts = moves(table())
    assert {text.split()[0] for text in texts} == {"sail", "pass"}
    assert len([text for text in texts if text.startswith("pass")]) == 10, "one for each free space"


def test_a_further_ship_costs_one_more_each_time_and_only_if_it_can_be_paid() -> None:
    state = ships(table(), "A1", "A3", "A5", "A8", "A10", "A12", "A14", "A17")
    state = play(having(state, 0, gold=1), "sail A14 A15")
    assert "sail A17 A18" not in moves(state), "nothing is left for a palace then"
    assert any(isinstance(move, Sail) for move in legal_moves(state, 0))
    state, events = played(state, "sail A12 A13")
    assert events[0]["paid"] == 1
    assert state.players[0].gold == 0
    assert not any(isinstance(move, Sail) for move in legal_moves(state, 0))


def test_after_a_sail_one_cannot_pass() -> None:
    state = play(ships(table(), "A1", "A3", "A5", "A8", "A10", "A12", "A14", "A17"), "sail A14 A15")
    assert not [text for text in moves(state) if text.startswith("pass")]
