"""Corners of the areas that no printed example shows."""

import pytest

from tests.engine.millefiori.table import answer, legal_texts, play_kept, table


def test_a_workshop_card_may_go_to_any_empty_space_of_its_symbol() -> None:
    state = table(kept={0: "quartz-1"}, diamonds={1: "W8 W10"})
    places = [text.split()[1] for text in legal_texts(state, 0)]
    assert places == ["W13", "W15", "W18", "W21", "W24", "route"]


def test_diamonds_of_others_do_not_connect() -> None:
    after = play_kept("quartz-1 W8", diamonds={0: "W2", 1: "W1 W9"})
    assert after.points("workshops") == {0: 1}


def test_the_workshop_bonus_needs_all_four_symbols() -> None:
    assert not play_kept("quartz-1 W8", diamonds={0: "W1 W2"}).points("bonus")
    assert play_kept("quartz-1 W8", diamonds={0: "W1 W2 W4"}).points("bonus") == {0: 20}


def test_a_bonus_is_paid_once_and_costs_a_diamond() -> None:
    state = table(kept={0: "quartz-1"}, diamonds={0: "W1 W2 W4"})
    after = answer(state, 0, "quartz-1 W8")
    assert after.state.board.left[0] == state.board.left[0] - 2
    again = play_kept("quartz-1 W10", diamonds={0: "W1 W2 W4 W8"}, bonuses={"workshops": [0]})
    assert not again.points("bonus")


def test_bonuses_of_the_two_pyramids_are_separate() -> None:
    after = play_kept("crab-1 P8", diamonds={0: "P9 P10"}, bonuses={"nobili": [0, 1, 2]})
    assert after.points("bonus") == {0: 20}


@pytest.mark.parametrize(("taken", "points"), [(0, 20), (1, 15), (2, 10), (3, 5)])
def test_the_sooner_a_bonus_the_more_points(taken: int, points: int) -> None:
    takers = [seat for seat in range(4) if seat != 0][:taken]
    after = play_kept("key-1 R5", diamonds={0: "R2 R3 R4", 1: "R1"}, bonuses={"residences": takers})
    assert after.points("bonus") == {0: points}


def test_only_the_run_directly_before_counts_in_the_residences() -> None:
    after = play_kept("key-1 R5", diamonds={0: "R1 R2 R4", 1: "R3"})
    assert after.points("residences") == {0: 6}


def test_when_the_residences_are_full_a_key_can_only_sail() -> None:
    full = " ".join(f"R{number}" for number in range(1, 21))
    assert legal_texts(table(kept={0: "key-1"}, diamonds={1: full}), 0) == ["key-1 route"]


def test_a_pyramid_is_built_from_the_bottom() -> None:
    state = table(kept={0: "fish-1"}, diamonds={1: "P8 P9 P11"})
    assert legal_texts(state, 0) == ["fish-1 P4", "fish-1 P10", "fish-1 P12", "fish-1 route"]


@pytest.mark.parametrize(
    ("text", "points"),
    [("coin-1 N9", 2), ("coin-1 N8", 1), ("coin-1 N6", 6), ("coin-1 N5", 3)],
)
def test_a_matching_symbol_doubles_the_level(text: str, points: int) -> None:
    filled = "N10 N11" if text.endswith("N6") else "N9 N10" if text.endswith("N5") else ""
    assert play_kept(text, diamonds={1: filled}).points("nobili")[0] == points


def test_a_triangle_of_two_levels_pays_one_for_each_diamond_below() -> None:
    after = play_kept("crab-1 P5", diamonds={0: "P9", 2: "P10"})
    assert after.points("populi") == {0: 7, 2: 1}  # 3 doubled, and 1 for P9


def test_a_tie_on_a_commodity_earns_no_extra_card() -> None:
    assert not play_kept("swans-1 S3", diamonds={0: "S2", 1: "S1 S4"}).extra_card_offered


def test_trade_pays_every_owner() -> None:
    after = play_kept("swans-1 S5", diamonds={1: "S1 S2", 2: "S3", 3: "S4"})
    assert after.points("trade") == {0: 5, 1: 10, 2: 5, 3: 5}


@pytest.mark.parametrize(
    ("commodities", "worth"),
    [("", 0), ("G1", 1), ("G1 C1", 3), ("G1 C1 J1", 6), ("G1 C1 J1 S1", 10)],
)
def test_a_fleet_is_worth_what_its_line_holds(commodities: str, worth: int) -> None:
    after = play_kept("ship-1 H1", diamonds={1: f"H1 {commodities}", 2: "H1"})
    expected = {seat: worth for seat in range(3) if worth}
    assert after.points() == expected


def test_an_unfinished_fleet_pays_nothing() -> None:
    assert play_kept("ship-1 H1", diamonds={1: "H1 G1"}).points() == {}


def test_commodities_of_other_lines_do_not_count_for_a_fleet() -> None:
    after = play_kept("ship-1 H1", diamonds={1: "H1 H1 G2 C3 J4 S5"})
    assert after.points() == {}


def test_extra_cards_can_chain() -> None:
    """Sail to 7; from the display fill a triple; from the display sail with the last one."""
    state = play_kept(
        "coin-1 route",
        ships={0: 6},
        diamonds={1: "W1 W9"},
        display="quartz-5 lion-2",
    ).state
    state = answer(state, 0, "quartz-5 W8").state
    assert legal_texts(state, 0)[-1] == "decline"
    assert [text for text in legal_texts(state, 0) if "route" in text] == ["lion-2 route"]
    after = answer(state, 0, "lion-2 route")
    assert after.points() == {0: 5}
    assert after.state.mover == 1
