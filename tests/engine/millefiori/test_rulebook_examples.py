"""Every worked example of the printed rulebook, with its page."""

from engine import millefiori
from tests.engine.millefiori.table import (
    BLUE,
    GREEN,
    RED,
    YELLOW,
    answer,
    cards,
    legal_texts,
    play_kept,
    table,
)


def test_page_6_three_connected_workshop_diamonds_earn_3_points() -> None:
    after = play_kept("quartz-3 W8", BLUE, diamonds={BLUE: "W9 W2", RED: "W1"})
    assert after.points() == {BLUE: 3}


def test_page_6_a_fourth_connected_diamond_on_pigments_earns_8_points() -> None:
    after = play_kept("pigments-3 W16", BLUE, diamonds={BLUE: "W8 W24 W9"})
    assert after.points() == {BLUE: 8}


def test_page_6_filling_the_third_space_around_a_symbol_earns_an_extra_card() -> None:
    after = play_kept("lime-2 W9", GREEN, diamonds={RED: "W1", BLUE: "W8"})
    assert after.extra_card_offered
    assert millefiori.pending(after.state) == (GREEN,)


def test_page_7_own_4_and_3_directly_before_a_5_earn_12_points() -> None:
    after = play_kept("key-1 R4", YELLOW, diamonds={RED: "R1", YELLOW: "R2 R3"})
    assert after.points() == {YELLOW: 12}


def test_page_7_the_third_different_number_earns_an_extra_card() -> None:
    after = play_kept("key-1 R5", YELLOW, diamonds={RED: "R1 R4", YELLOW: "R2 R3"})
    assert after.extra_card_offered
    assert not after.points("bonus")


def test_page_7_the_fourth_different_number_earns_the_bonus() -> None:
    after = play_kept("key-1 R5", YELLOW, diamonds={RED: "R1", YELLOW: "R2 R3 R4"})
    assert after.points("bonus") == {YELLOW: 20}
    assert not after.extra_card_offered


def test_page_8_a_coin_card_may_fill_the_cross_above_two_filled_spaces() -> None:
    state = table(kept={RED: "coin-2"}, diamonds={BLUE: "N9", GREEN: "N10"})
    assert "coin-2 N5" in legal_texts(state, RED)
    after = answer(state, RED, "coin-2 N5")
    assert after.points()[RED] == 3


def test_page_8_the_top_coin_with_a_coin_card_pays_12_and_the_triangle_its_owners() -> None:
    after = play_kept(
        "coin-2 N1",
        RED,
        diamonds={RED: "N4 N8", GREEN: "N5 N9", YELLOW: "N10", BLUE: "N12"},
    )
    own, *triangle = after.happened("points")
    assert (own["seat"], own["points"]) == (RED, 12)
    paid = {event["seat"]: event["points"] for event in triangle if event["for"] == "nobili"}
    assert paid == {RED: 4, GREEN: 4, YELLOW: 1}


def test_page_8_all_three_symbols_of_a_pyramid_earn_the_bonus() -> None:
    after = play_kept("coin-2 N12", RED, diamonds={RED: "N10 N11"})
    assert after.points("bonus") == {RED: 20}


def test_page_8_a_space_of_the_top_row_earns_an_extra_card() -> None:
    after = play_kept("fish-1 P2", RED, diamonds={BLUE: "P5 P6 P9 P10 P11"})
    assert after.extra_card_offered


def test_page_9_the_third_carafe_pays_3_for_every_diamond_on_carafes() -> None:
    after = play_kept("carafes-1 C4", RED, diamonds={RED: "C1", YELLOW: "C2"})
    assert after.points("trade") == {RED: 6, YELLOW: 3}


def test_page_9_the_second_to_own_all_commodities_takes_15() -> None:
    after = play_kept(
        "swans-1 S1",
        RED,
        diamonds={RED: "G1 C1 J1", YELLOW: "G2 C2 J2"},
        bonuses={"trade": [YELLOW]},
    )
    assert after.points("bonus") == {RED: 15}


def test_page_9_a_good_deal_for_somebody_else_earns_an_extra_card() -> None:
    after = play_kept("swans-1 S3", RED, diamonds={BLUE: "S1 S2"})
    assert after.extra_card_offered


def test_page_10_a_fleet_with_three_commodities_earns_6_a_diamond() -> None:
    after = play_kept("ship-1 H2", GREEN, diamonds={RED: "G2 H2", GREEN: "H2", BLUE: "C2 S2"})
    assert after.points("harbor") == {GREEN: 12, RED: 6}


def test_page_10_landing_on_a_5_earns_5_points() -> None:
    after = play_kept("ship-4 H1 sail", GREEN, ships={GREEN: 5})
    assert after.points() == {GREEN: 5}


def test_page_10_landing_on_a_bonus_symbol_earns_an_extra_card() -> None:
    after = play_kept("ship-2 H1 sail", BLUE, ships={BLUE: 5})
    assert after.extra_card_offered


def test_page_10_a_ship_card_places_a_diamond_and_then_moves_the_ship() -> None:
    after = play_kept("ship-4 H3 sail", GREEN, ships={GREEN: 1})
    assert [event["type"] for event in after.events][:2] == ["place", "sail"]
    view = millefiori.view(after.state, None)
    assert view["harbor"]["H3"] == [GREEN]
    assert view["players"][GREEN]["ship"] == 5


def test_page_11_a_townspeople_card_may_sail_instead_onto_a_10() -> None:
    after = play_kept("coin-3 route", BLUE, ships={BLUE: 3})
    assert after.points() == {BLUE: 10}
    view = millefiori.view(after.state, None)
    assert view["spaces"] == {}
    assert view["discard"] == ["coin-3"]


def test_page_5_with_two_players_the_last_two_cards_join_the_display() -> None:
    state = table(
        2,
        hands=["key-1 key-2", "coin-1 coin-2"],
        kept={0: "quartz-1", 1: "ash-1"},
        display="ship-5",
        deck="lime-1 lime-2 lime-3 lime-4 lime-5 swans-1 swans-2 swans-3 swans-4 swans-5",
        turn=3,
    )
    after = answer(answer(state, 0, "quartz-1 W8").state, 1, "ash-1 W2")
    assert after.state.display == cards("key-1 key-2 coin-1 coin-2 ship-5")
    assert after.state.round == 2


def test_page_5_the_last_card_joins_the_display_only_after_everybodys_last_turn() -> None:
    state = table(
        3,
        hands=["key-1", "coin-1", "fish-1"],
        kept={0: "quartz-1", 1: "ash-1", 2: "lime-1"},
        display="ship-5",
        deck=" ".join(["key-5"] * 15),
        turn=4,
    )
    for seat, text in enumerate(["quartz-1 W8", "ash-1 W2"]):
        state = answer(state, seat, text).state
        assert state.display == cards("ship-5")
    state = answer(state, 2, "lime-1 W4").state
    assert state.display == cards("key-1 coin-1 fish-1 ship-5")


def test_page_4_the_rest_of_the_hand_goes_to_the_left_hand_neighbour() -> None:
    state = table(
        3,
        mover=None,
        start=0,
        hands=["key-1 key-2", "coin-1 coin-2", "fish-1 fish-2"],
    )
    for seat, text in enumerate(["keep key-1", "keep coin-1", "keep fish-1"]):
        state = answer(state, seat, text).state
    for seat, text in enumerate(["key-1 R1", "coin-1 N8", "fish-1 P8"]):
        state = answer(state, seat, text).state
    assert state.turn == 2
    assert state.hands == (cards("fish-2"), cards("key-2"), cards("coin-2"))
