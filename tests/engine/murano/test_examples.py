"""The worked examples of the rulebook."""

from engine.murano.final_scoring import assignment
from engine.murano.state import SELL, board_of
from tests.engine.murano.table import (
    arrived,
    gondoliers,
    having,
    laid,
    moves,
    play,
    played,
    ships,
    table,
)
from tests.engine.murano.table import points as points_of


def test_three_ships_moved_cost_nothing_then_one_then_two() -> None:
    """Two ships stand in the way of a space for building: the third one moved reaches it."""
    state = ships(table(), "A3", "A7", "A8", "A6", "A12", "A14", "A16", "A18")
    state = having(state, 0, gold=3)
    state = play(state, "sail A8 A9")
    assert state.players[0].gold == 3
    state = play(state, "sail A7 A8")
    assert state.players[0].gold == 2
    state = play(state, "sail A6 A7")
    assert state.players[0].gold == 0
    assert "street" in moves(state)


def test_a_street_a_shop_and_a_palace_are_one_build_of_five_points() -> None:
    state = having(arrived(table(), "A1"), 0, shops="r", palaces="2")
    state, events = played(
        state, "street", "lay SD-a2", "build shop red SD-a1", "build palace 2 SD-a3"
    )
    assert points_of(events, "build") == 5
    assert state.players[0].vp == 5 + 5
    assert state.mover == 1, "the third tile ends the build"


def test_income_of_four_red_and_two_blue_customers_with_two_blue_shops_is_six() -> None:
    state = laid(
        table(),
        SD_a2="street red+red",
        SD_b2="street red+red",
        SD_c2="street blue+blue",
        SD_d2="street blank",
        SD_a1="shop red 0",
        SD_b1="shop blue 0",
        SD_c1="shop blue 0",
        SD_d1="shop red 1",
    )
    state, events = played(arrived(state, "A12"), "income SD")
    assert state.players[0].gold == 5 + 6
    assert [event["gold"] for event in events] == [6]
    assert state.players[1].gold == 5, "others get nothing"


def test_two_of_three_glassworks_produce_for_four_points_and_two_beads() -> None:
    state = laid(
        table(4),
        SM_a2="street blank",
        SM_a1="glassworks 0",
        SS_b2="street blank",
        SS_a2="glassworks 0",
        SD_a2="street blank",
        SD_a1="glassworks 0",
    )
    state = having(arrived(state, "A5"), 0, vp=9, beads=(0, 1, 1))
    assert [text for text in moves(state) if text.startswith("produce")] == [
        "produce 0", "produce 1", "produce 2", "produce 3",
    ]  # fmt: skip
    after, events = played(state, "produce 2")
    assert points_of(events, "production") == -4
    assert after.players[0].vp == 5
    assert sum(after.players[0].beads) == 4
    assert sum(after.bag) == sum(state.bag) - 2
    # Whatever chance has drawn here: with two more green ones, three are sold for 20 gold.
    lucky = having(after, 0, beads=(0, 1, 3))._replace(phase=SELL)
    sold = play(lucky, "sell green 3")
    assert sold.players[0].gold == lucky.players[0].gold + 20
    assert sold.players[0].beads == (0, 1, 0)
    assert sold.bag[2] == lucky.bag[2] + 3


def test_of_five_gold_four_are_spent_for_three_points_with_card_7() -> None:
    state = laid(
        table(),
        SD_a2="street blue+blue",
        SD_b2="street grey",
        SD_a1="palace 1",
        SD_b1="special",
    )
    state = having(gondoliers(state, 0, "SD white"), 0, characters=(7,), gold=5)
    found = assignment(state, 0)
    assert (found.points, found.gold) == (3, 4)
    assert [(one.character, one.points) for one in found.scored] == [(7, 3)]


def test_two_red_shops_bring_eight_points_with_card_38_whoever_owns_them() -> None:
    state = laid(
        table(),
        SD_a2="street blank",
        SD_b2="street blank",
        SD_a1="shop red 1",
        SD_b1="shop red 2",
        SD_a3="shop blue 0",
    )
    state = having(gondoliers(state, 0, "SD white"), 0, characters=(38,))
    assert assignment(state, 0).points == 8


def test_two_gondoliers_on_an_island_bring_two_characters_and_the_third_goes_elsewhere() -> None:
    """Red shops (38), the only glassworks (5), and own and others' buildings (16)."""
    state = laid(
        table(),
        SD_a2="street blank",
        SD_b2="street blank",
        SD_c2="street blank",
        SD_a1="shop red 1",
        SD_b1="shop red 0",
        SD_c1="glassworks 0",
        SM_a2="street blank",
        SM_a1="shop blue 0",
    )
    state = gondoliers(state, 0, "SD white", "SD brown", "SM white")
    found = assignment(having(state, 0, characters=(38, 5, 16)), 0)
    islands = [island.code for island in board_of(state).islands]
    scored = {one.character: (islands[one.island], one.points) for one in found.scored}
    assert scored == {38: ("SD", 8), 5: ("SD", 12), 16: ("SM", 2)}


def test_five_characters_and_four_gondoliers_leave_one_character_unused() -> None:
    state = laid(table(), SD_a2="street blank", SD_a1="shop red 0", SD_b2="street blank")
    state = gondoliers(state, 0, "SD white", "SD brown", "SP white", "SM white")
    state = having(state, 0, characters=(9, 24, 1, 38, 6))
    found = assignment(state, 0)
    assert len(found.scored) == 4
    assert found.idle == 0


def test_the_example_of_a_final_scoring_in_our_rules() -> None:
    """Characters 1, 6, 15 and 34, three gondoliers, two red beads and five gold."""
    state = laid(
        table(3),
        SD_a2="street blank", SD_b2="street blank", SD_c2="street blank", SD_d2="street blank",
        SD_a1="shop red 0", SD_b1="shop blue 1", SD_c1="shop red 1", SD_d1="shop grey 2",
        SD_a3="palace 3", SD_c3="palace 2",
        SM_a2="street blank", SM_a1="shop blue 0",
    )  # fmt: skip
    state = gondoliers(state, 0, "SD white", "SD grey", "SM white")
    state = having(state, 0, characters=(1, 6, 15, 34), beads=(2, 0, 0), gold=5)
    found = assignment(state, 0)
    codes = [island.code for island in board_of(state).islands]
    assert {(one.character, codes[one.island], one.points) for one in found.scored} == {
        (34, "SD", 14), (1, "SD", 8), (6, "SM", 12),
    }  # fmt: skip
    assert (found.points, found.gold) == (34, 0)
