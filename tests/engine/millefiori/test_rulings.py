"""Our rulings where the rulebook is silent, by their number in docs/rules/millefiori.md."""

import pytest

from engine import millefiori
from engine.chance import seed_from_text
from engine.errors import Illegal
from engine.play import begin
from tests.engine.millefiori.table import After, answer, cards, legal_texts, play_kept, table


def test_1_the_start_player_is_drawn() -> None:
    starts = {
        begin(millefiori, 4, {}, seed_from_text(str(number))).state.start for number in range(40)
    }
    assert starts == {0, 1, 2, 3}


def test_2_sailing_with_a_ship_card_is_optional_and_all_or_nothing() -> None:
    state = table(kept={0: "ship-4"})
    assert legal_texts(state, 0)[:4] == [
        "ship-4 H1",
        "ship-4 H1 sail",
        "ship-4 H2",
        "ship-4 H2 sail",
    ]
    assert answer(state, 0, "ship-4 H1").state.board.ships[0] == 0
    assert answer(state, 0, "ship-4 H1 sail").state.board.ships[0] == 4


def test_2_on_space_20_sailing_is_not_offered() -> None:
    state = table(kept={0: "ship-4"}, ships={0: 20})
    assert legal_texts(state, 0) == [
        "ship-4 H1",
        "ship-4 H2",
        "ship-4 H3",
        "ship-4 H4",
        "ship-4 H5",
    ]


def test_3_an_extra_card_may_be_declined() -> None:
    state = play_kept("fish-2 route", ships={0: 5}).state
    assert legal_texts(state, 0)[-1] == "decline"
    after = answer(state, 0, "decline")
    assert after.state.display == state.display
    assert millefiori.pending(after.state) == (1,)


def test_3_an_extra_card_lapses_when_the_display_is_empty() -> None:
    after = play_kept("fish-2 route", ships={0: 5}, display="", kept={1: "key-1"})
    assert after.happened("extra-card-lapsed")
    assert millefiori.pending(after.state) == (1,)


def test_3_everybody_sees_display_and_discard() -> None:
    state = play_kept("fish-2 route", display="swans-1 swans-5").state
    for viewer in (None, 0, 3):
        view = millefiori.view(state, viewer)
        assert view["display"] == ["swans-1", "swans-5"]
        assert view["discard"] == ["fish-2"]


def test_4_the_alternative_move_needs_a_ship_that_can_still_move() -> None:
    assert "key-3 route" in legal_texts(table(kept={0: "key-3"}, ships={0: 19}), 0)
    assert "key-3 route" not in legal_texts(table(kept={0: "key-3"}, ships={0: 20}), 0)


def test_4_a_card_that_can_be_played_in_no_way_is_discarded_without_effect() -> None:
    state = table(kept={0: "coin-2"}, ships={0: 20}, left={0: 0})
    assert legal_texts(state, 0) == ["coin-2 discard"]
    after = answer(state, 0, "coin-2 discard")
    assert after.points() == {}
    assert after.state.discard == cards("coin-2")
    assert millefiori.pending(after.state) == (1,)


def test_4_an_unplayable_extra_card_may_be_taken_and_discarded_or_declined() -> None:
    state = table(display="coin-2 lion-1", ships={0: 20}, left={0: 0}, extras=1)
    assert legal_texts(state, 0) == ["coin-2 discard", "lion-1 discard", "decline"]
    assert answer(state, 0, "coin-2 discard").state.display == cards("lion-1")


def test_4_who_can_place_or_sail_must_do_so() -> None:
    with pytest.raises(Illegal):
        answer(table(kept={0: "coin-2"}), 0, "coin-2 discard")
    with pytest.raises(Illegal):
        answer(table(kept={0: "coin-2"}), 0, "decline")


def test_5_the_reserve_opens_when_the_supply_is_used_up() -> None:
    after = play_kept("fish-2 P8", left={0: 3})
    player = millefiori.view(after.state, None)["players"][0]
    assert (player["supply"], player["reserve"]) == (0, 2)


def test_5_without_diamonds_only_the_route_remains() -> None:
    assert legal_texts(table(kept={0: "ship-2"}, left={0: 0}), 0) == ["ship-2 route"]


def test_5_a_bonus_counts_even_when_no_diamond_is_left_to_mark_it() -> None:
    after = play_kept("swans-1 S1", diamonds={0: "G1 C1 J1"}, left={0: 1})
    assert after.points("bonus") == {0: 20}
    assert after.state.board.left[0] == 0
    assert millefiori.view(after.state, None)["bonuses"]["trade"] == [{"seat": 0, "points": 20}]


@pytest.mark.parametrize(("left", "diamonds"), [(4, "G1 C1"), (5, "G1 C1 J1")])
def test_5_any_diamond_that_empties_the_supply_triggers_the_end(left: int, diamonds: str) -> None:
    """The last one is placed, or it marks a bonus."""
    after = play_kept("swans-1 S1", diamonds={0: diamonds}, left={0: left})
    assert after.happened("supply-empty")


def test_6_one_card_pays_in_order_diamond_points_bonus_sailing_extra_card() -> None:
    after = play_kept("ship-2 H1 sail", diamonds={0: "H1 H1 G1"}, ships={0: 5})
    assert [event["type"] for event in after.events] == ["place", "points", "sail", "extra-card"]
    after = play_kept("swans-1 S5", diamonds={0: "G1 C1 J1", 1: "S1 S2"})
    assert [(event["type"], event.get("for")) for event in after.events] == [
        ("place", None),
        ("points", "trade"),
        ("points", "trade"),
        ("points", "bonus"),
        ("extra-card", None),
    ]


def last_turn(**position: object) -> After:
    """Seat 0 starts and uses its last supply diamond; then seat 1 plays the last turn."""
    state = table(
        2,
        kept={0: "key-1", 1: "ash-1"},
        hands=["key-3 key-4", "coin-1 coin-2"],
        left={0: 4},
        **position,  # type: ignore[arg-type]
    )
    state = answer(state, 0, "key-1 R1").state
    assert millefiori.pending(state) == (1,)
    return answer(state, 1, "ash-1 W2")


def test_7_after_the_last_diamond_the_others_still_play_and_hands_stay() -> None:
    after = last_turn()
    ended = millefiori.outcome(after.state)
    assert ended is not None
    assert ended.reason == "diamonds"
    assert after.state.hands == (cards("key-3 key-4"), cards("coin-1 coin-2"))


def test_7_diamonds_are_the_reason_even_in_the_last_turn_of_the_last_round() -> None:
    after = last_turn(turn=3, deck="")
    ended = millefiori.outcome(after.state)
    assert ended is not None
    assert ended.reason == "diamonds"
    assert after.state.display == cards("glasses-1 glasses-2")


def test_7_when_the_deck_ends_it_the_last_cards_join_the_display() -> None:
    state = table(
        2,
        kept={0: "key-1", 1: "ash-1"},
        hands=["key-3 key-4", "coin-1 coin-2"],
        turn=3,
        deck="",
        display="ship-1",
    )
    after = answer(answer(state, 0, "key-1 R1").state, 1, "ash-1 W2")
    ended = millefiori.outcome(after.state)
    assert ended is not None
    assert ended.reason == "deck"
    assert after.state.display == cards("ship-1 key-3 key-4 coin-1 coin-2")


def test_7_the_player_who_ends_it_finishes_the_turn_from_the_reserve() -> None:
    state = play_kept("fish-2 P1", diamonds={1: "P4 P5 P8 P9 P10"}, left={0: 4}).state
    assert millefiori.pending(state) == (0,)
    after = answer(state, 0, "glasses-1 G1")
    assert after.state.board.left[0] == 2


def test_7_nothing_follows_when_the_last_of_the_turn_order_ends_it() -> None:
    after = play_kept("key-1 R1", 3, start=0, left={3: 4})
    assert millefiori.pending(after.state) == ()


def test_8_the_whole_connected_group_counts_in_the_workshops() -> None:
    after = play_kept("quartz-3 W24", diamonds={0: "W16 W8 W1 W2", 1: "W9"})
    assert after.points("workshops") == {0: 5}


def test_8_ten_is_a_number_of_its_own() -> None:
    filled = " ".join(f"R{number}" for number in range(1, 11) if number not in (2, 4))
    after = play_kept("key-1 R11", diamonds={0: "R2 R4", 1: filled})
    assert after.points("residences") == {0: 10}
    assert after.extra_card_offered


def test_8_the_fifth_different_number_earns_an_extra_card_and_the_sixth_nothing() -> None:
    before = {1: "R1 R3 R6 R8 R9 R10", 0: "R2 R4 R5 R7"}  # own 4, 5, 1, 2
    fifth = play_kept("key-1 R11", diamonds=before, bonuses={"residences": [0]})
    assert fifth.extra_card_offered
    sixth = play_kept(
        "key-2 R13",
        diamonds={1: "R1 R3 R6 R8 R9 R10 R12", 0: "R2 R4 R5 R7 R11"},
        bonuses={"residences": [0]},
    )
    assert not sixth.extra_card_offered


def test_8_a_number_already_owned_earns_no_second_extra_card() -> None:
    after = play_kept("key-1 R6", diamonds={0: "R2 R3 R5", 1: "R1 R4"})
    assert not after.extra_card_offered


def test_8_a_fleet_scores_once_and_its_diamonds_stay() -> None:
    state = table(kept={0: "glasses-1"}, diamonds={0: "H1 H1 H1"})
    after = answer(state, 0, "glasses-1 G1")
    assert after.points() == {0: 1}
    assert millefiori.view(after.state, None)["harbor"]["H1"] == [0, 0, 0]
    assert "ship-1 H1" not in legal_texts(table(kept={0: "ship-1"}, diamonds={0: "H1 H1 H1"}), 0)


def test_8_reaching_20_with_steps_to_spare_is_a_landing() -> None:
    after = play_kept("coin-5 route", ships={0: 18})
    assert after.points() == {0: 10}
    assert after.extra_card_offered


def test_8_spaces_passed_over_give_nothing() -> None:
    after = play_kept("coin-3 route", ships={0: 5})  # over 6 and 7 to 8
    assert after.points() == {0: 1}
    assert not after.extra_card_offered


def test_8_bonus_diamonds_count_for_nothing_else() -> None:
    after = play_kept("quartz-1 W8", bonuses={"workshops": [0], "trade": [0]})
    assert after.points() == {0: 1}


def test_8_a_played_card_is_in_the_discard_before_the_extra_card_is_chosen() -> None:
    state = play_kept("fish-2 route", ships={0: 5}).state
    assert state.discard == cards("fish-2")
    assert "fish-2" not in " ".join(legal_texts(state, 0))


def test_a_tie_shares_the_win() -> None:
    state = table(3, kept={2: "key-1"}, mover=2, start=0, scores=[9, 4, 7], left={1: 3})
    ended = millefiori.outcome(answer(state, 2, "key-1 R1").state)
    assert ended is not None
    assert ended.scores == (9, 4, 9)
    assert ended.winners == (0, 2)
