"""The rulings on what the rulebook leaves open; each test names the one it holds to."""

import json
from typing import Any

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.contract import NOBODY
from engine.errors import Unreadable
from engine.murano.final_scoring import assignment
from engine.murano.legal import fleet
from engine.murano.state import State
from engine.play import begin
from engine.play import play as answer
from engine.policies import simulate
from tests.engine.murano.table import (
    SEED,
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

ANCHORS = ("A1", "A3", "A5", "A8", "A10", "A12", "A14", "A17")


def at(space: str, seats: int = 3, **own: Any) -> State:
    return having(arrived(table(seats), space), 0, **own)


def sails(state: State) -> list[str]:
    return [text for text in moves(state) if text.startswith("sail")]


# Ships


def test_the_same_ship_may_be_moved_again_and_is_paid_for_again() -> None:
    """Ruling 1."""
    state = ships(table(), *ANCHORS)
    state = play(state, "sail A14 A15")
    assert "sail A15 A16" in moves(state)
    state, events = played(state, "sail A15 A16")
    assert events[0]["paid"] == 1
    assert state.players[0].gold == 4


def test_a_sail_looks_ahead_over_all_further_sails_that_can_be_paid() -> None:
    """Ruling 2: only the gold of A15 does anything, and a ship lies there."""
    state = ships(table(), "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A15")
    state = state._replace(streets="", characters=(), shops="", palaces="", glassworks=0,
                           specials=0)  # fmt: skip
    state = having(state, 0, hand=0, supply=0)
    assert sails(having(state, 0, gold=0)) == []
    with_one = sails(having(state, 0, gold=1))
    assert with_one == ["sail A15 A16", "sail A15 A17", "sail A15 A18"], "then A7 goes to A15"
    # With three gold there is time for any ship to move first.
    assert set(with_one) < set(sails(having(state, 0, gold=3)))
    assert "sail A7 A8" in sails(having(state, 0, gold=3))


def test_the_red_ship_of_the_lighthouse_may_join_a_ship_as_one_movement_of_several() -> None:
    """Ruling 3."""
    state = ships(table(), "A12", "A15", "A1", "A3", "A5", "A8", "A10", "A17")
    state = having(state, 0, cards=("lighthouse",))
    state = play(state, "sail A10 A11")
    state, events = played(state, "sail A12 A15")
    assert events[0] == {"type": "sail", "seat": 0, "from": "A12", "to": "A15", "red": True,
                         "paid": 1}  # fmt: skip
    assert "gold" in moves(state)


def test_a_shared_space_is_occupied_and_who_leaves_it_is_said() -> None:
    """Ruling 3."""
    state = ships(table(3, mover=1), "A12", "A12", "A1", "A3", "A5", "A8", "A10", "A17")
    texts = moves(state)
    assert "sail A10 A12" not in texts
    assert {"sail A12 A13", "sail A12 A13 red", "pass A12 A13", "pass A12 A13 red"} <= set(texts)
    assert "sail A1 A2 red" not in texts
    red = play(state, "pass A12 A14 red")
    assert (fleet(red).red, 11 in fleet(red).ships) == (13, True)
    other = play(state, "pass A12 A14")
    assert (fleet(other).red, 13 in fleet(other).ships) == (11, True)


def test_the_red_ship_on_a_shared_space_may_go_on_to_the_next_ship() -> None:
    """Ruling 3; that of two ships ahead is not the next."""
    state = ships(table(), "A12", "A12", "A14", "A15", "A3", "A5", "A8", "A10")
    state = having(state, 0, cards=("lighthouse",))
    assert "sail A12 A14 red" in moves(state)
    assert "sail A12 A15 red" not in moves(state)
    assert "pass A12 A14 red" not in moves(state)


def test_passing_is_always_possible() -> None:
    """Ruling 4: even with nothing at all."""
    state = ships(table(), *ANCHORS)._replace(
        streets="", characters=(), shops="", palaces="", glassworks=0, specials=0
    )
    state = having(state, 0, hand=0, supply=0, gold=0)
    assert [text for text in moves(state) if text.startswith("pass")]
    crowded = ships(state, "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8")
    assert moves(crowded)
    assert {text.split()[1] for text in moves(crowded)} == {"A8"}


# Actions


def test_a_build_ends_by_itself_with_its_third_tile() -> None:
    """Rulings 5 and 20: without a line for it."""
    state = play(at("A1"), "street", "lay SD-a2", "street", "lay SD-b2", "street")
    after, lines = answer(murano, state, SEED, 0, None, "lay SD-c2")
    assert [murano.format(line.move) for line in lines] == ["lay SD-c2"]
    assert after.mover == 1


def test_the_card_of_a_special_building_comes_before_the_next_tile() -> None:
    """Ruling 5."""
    state = laid(at("A1", specials=1), SD_a2="street blank")
    state = play(state, "build special SD-a1")
    assert all(text.startswith("choose") for text in moves(state))
    assert "street" in moves(play(state, moves(state)[0]))


def test_income_is_offered_only_where_it_pays() -> None:
    """Ruling 6."""
    state = laid(at("A12"), SD_a2="street blue", SD_a1="shop red 0", SM_a2="street blank",
                 SM_a1="shop blue 0")  # fmt: skip
    assert not [text for text in moves(state) if text.startswith("income")]
    paying = laid(state, SM_b2="street blue")
    assert [text for text in moves(paying) if text.startswith("income")] == ["income SM"]


def glassworks(count: int, **own: Any) -> State:
    tiles = {f"SM_{column}1": "glassworks 0" for column in "abcde"[:count]}
    return laid(at("A5", **own), SM_a2="street blank", SM_b2="street blank",
                SM_c2="street blank", **tiles)  # fmt: skip


def produced(state: State) -> list[str]:
    return [text for text in moves(state) if text.startswith("produce")]


def test_points_and_the_bag_limit_a_production() -> None:
    """Ruling 7."""
    assert produced(glassworks(3, vp=5)) == ["produce 1", "produce 2"]
    assert produced(glassworks(3, vp=9)._replace(bag=(0, 1, 0))) == ["produce 1"]


def test_a_person_who_produces_nothing_must_have_a_bead_and_sell() -> None:
    """Ruling 7."""
    assert "produce 0" not in moves(glassworks(1))
    state = glassworks(1, beads=(0, 1, 0))
    assert "produce 0" in moves(state)
    assert moves(play(state, "produce 0")) == ["sell blue 1"]


def test_the_guild_hall_pays_before_the_sale() -> None:
    """Ruling 7."""
    state = glassworks(1, cards=("guild-hall",), vp=2)
    state, events = played(state, "produce 1")
    assert [event["type"] for event in events] == ["produce", "points", "beads", "points"]
    assert state.phase == "sell"
    assert state.players[0].vp == 1


def test_a_sale_with_the_counting_house_leaves_a_bead() -> None:
    """Ruling 7."""
    state = play(glassworks(1, cards=("counting-house",)), "produce 1")
    assert sum(state.players[0].beads) == 2
    assert {sum(map(int, text.split()[2::2])) for text in moves(state) if text != "keep"} == {1}


def test_a_sale_with_a_studio_names_the_real_colours_and_studios_chain() -> None:
    """Ruling 8."""
    state = at("A5", beads=(1, 1, 1), cards=("studio-red-green",))
    selling = play(state, "produce 0")
    assert "sell red 1 green 1" in moves(selling)
    assert not [text for text in moves(selling) if "blue" in text and len(text.split()) > 3]
    chained = having(state, 0, cards=("studio-red-green", "studio-blue-green"))
    assert "sell red 1 blue 1 green 1" in moves(play(chained, "produce 0"))
    assert "sell red 1 blue 1" in moves(play(chained, "produce 0")), "by way of green"


@pytest.mark.parametrize("text", ["choose 2", "decline"])
def test_cards_not_chosen_go_under_the_stack_as_they_were_shown(text: str) -> None:
    """Ruling 9."""
    state = at("A3")._replace(characters=(1, 2, 3, 4, 5))
    after = play(state, "recruit", text)
    assert after.characters == ((4, 5, 1, 3) if text == "choose 2" else (4, 5, 1, 2, 3))


def test_a_drawn_street_and_the_bag_are_public_and_what_is_shown_is_not() -> None:
    """Ruling 10."""
    state = play(at("A1"), "street")
    for seat in (None, 0, 1):
        assert murano.view(state, seat)["street"] is not None
        assert murano.view(state, seat)["bag"] == {"red": 10, "blue": 10, "green": 10}
    for space, text in (("A3", "recruit"), ("A8", "search shop")):
        state = play(at(space), text)
        assert murano.view(state, 0)["you"]["shown"] is not None
        assert murano.view(state, 1)["you"]["shown"] is None
        assert murano.view(state, None)["you"] is None


def test_seats_have_the_colours_in_order_and_play_in_order() -> None:
    """Ruling 11."""
    view = murano.view(table(4), None)
    assert [player["colour"] for player in view["players"]] == ["white", "brown", "orange", "grey"]
    state, seen = table(4, mover=2), []
    for _ in range(5):
        seen.append(state.mover)
        state = play(state, next(text for text in moves(state) if text.startswith("pass")))
    assert seen == [2, 3, 0, 1, 2]


# The end (more in test_end)


def test_a_stack_has_run_out_when_its_last_tile_is_taken() -> None:
    """Ruling 12."""
    state = laid(at("A1"), SD_a2="street blank")._replace(streets="0", shops="")
    drawn, events = played(state, "street")
    assert {"type": "stack-empty", "stack": "streets"} in events
    assert drawn.trigger == 0, "drawn is enough; it is not laid yet"
    searching = play(at("A8")._replace(streets="", shops="r"), "search shop")
    assert searching.trigger is None
    assert play(searching, "take red").trigger == 0


@pytest.mark.parametrize("texts", [["buy shop"], ["search shop", "take red"]])
def test_after_a_purchase_in_the_last_round_one_builds_that_tile_or_is_done(
    texts: list[str],
) -> None:
    """Ruling 13."""
    state = laid(at("A8", shops="b"), SD_a2="street blank")._replace(shops="r", streets="")
    state = play(state, *texts)
    assert moves(state) == ["build shop red SD-a1", "build shop red SD-a3", "done"]


def test_a_card_of_the_last_turn_does_not_work_at_the_scoring() -> None:
    """Ruling 14."""
    state = gondoliers(table(), 0, "SD white")
    state = having(state, 0, characters=(34,), beads=(0, 0, 2), cards=("studio-red-green",))
    assert assignment(state, 0).points == 14
    assert assignment(having(state, 0, active=0), 0).points == 1


# Scoring


def test_the_engine_assigns_best_total_first_then_most_gold_left() -> None:
    """Ruling 15."""
    state = laid(table(), SD_a2="street blue+blue", SD_b2="street grey", SD_a1="palace 1",
                 SD_b1="special", SM_a2="street blank", SM_a1="special")  # fmt: skip
    state = gondoliers(state, 0, "SD white")
    # Card 7 would bring 3 points for 4 gold, card 3 brings 3 for nothing.
    state = having(state, 0, characters=(7, 3), gold=4)
    found = assignment(state, 0)
    assert (found.points, found.gold) == (3, 0)
    assert [scored.character for scored in found.scored] == [3]
    # With 8 gold it is 10 points, and gold does not matter.
    found = assignment(having(state, 0, gold=8), 0)
    assert (found.points, found.gold) == (10, 8)


def test_beads_are_spent_once() -> None:
    """Ruling 16."""
    state = gondoliers(table(), 0, "SM white", "ST white")
    state = having(state, 0, characters=(32, 33), beads=(0, 4, 0))
    assert assignment(state, 0).points == 4 * 7
    assert assignment(having(state, 0, beads=(0, 7, 0)), 0).points == 6 * 7


def test_gold_is_spent_once_in_any_steps() -> None:
    """Ruling 16."""
    tiles = {"SD_a2": "street blue+blue", "SD_b2": "street red+red", "SD_c2": "street grey",
             "SD_a1": "palace 1", "SD_b1": "special"}  # fmt: skip
    state = gondoliers(laid(table(), **tiles), 0, "SD white", "SD brown")
    for gold, best, spent in ((8, 11, 8), (12, 13, 12), (14, 16, 14), (16, 20, 16), (30, 20, 16)):
        found = assignment(having(state, 0, characters=(7, 8), gold=gold), 0)
        assert (found.points, found.gold) == (best, spent), gold


def test_cards_24_and_9_are_content_with_an_empty_island() -> None:
    """Ruling 17."""
    for character, vp in ((24, 12), (9, 10)):
        state = having(gondoliers(table(), 0, "SD white"), 0, characters=(character,))
        assert assignment(state, 0).points == vp


def test_gondoliers_that_are_used_still_count_for_cards_29_to_31() -> None:
    """Ruling 17."""
    state = gondoliers(table(), 0, "SD white", "SD brown")
    state = having(state, 0, characters=(29, 9))
    assert assignment(state, 0).points == 10 + 10


def test_tables_give_the_highest_step_that_is_reached() -> None:
    """Ruling 18."""
    state = gondoliers(table(), 0, "SD white")
    state = having(laid(state, SD_a2="street red+red"), 0, characters=(11,))
    assert assignment(state, 0).points == 2
    assert assignment(laid(state, SD_b2="street grey+grey"), 0).points == 4
    assert assignment(laid(state, SD_a2="street blank"), 0).points == 1, "the gondolier alone"


# Details


def test_what_can_only_be_one_thing_is_a_line_of_its_own() -> None:
    """Ruling 20."""
    state = ships(having(table(), 0, gold=0, hand=0, supply=0), *ANCHORS)
    _, lines = answer(murano, state, SEED, 0, None, "sail A14 A15")
    assert [(murano.format(line.move), line.via) for line in lines] == [
        ("sail A14 A15", "player"), ("gold", "auto"),
    ]  # fmt: skip


def test_a_person_who_searched_a_stack_of_one_kind_is_asked() -> None:
    """Ruling 20 would let it go on, but ruling 10 hides what lies in the stack."""
    state = at("A8")._replace(shops="rr")
    _, lines = answer(murano, state, SEED, 0, None, "search shop")
    assert len(lines) == 1
    # Of a single tile everybody knows that there is no choice.
    _, lines = answer(murano, state._replace(shops="r"), SEED, 0, None, "search shop")
    assert [line.via for line in lines] == ["player", "auto"]


def test_an_empty_bag_gives_no_extra_bead_and_wants_none_back() -> None:
    """Ruling 21."""
    state = glassworks(2, cards=("counting-house",))._replace(bag=(1, 1, 0))
    after = play(state, "produce 2")
    assert sum(after.players[0].beads) == 2
    assert play(after, "keep").mover == 1
    selling = play(glassworks(1, cards=("counting-house",), beads=(1, 0, 0)), "produce 0")
    assert play(selling, "sell red 1").mover == 1, "who only sells owes nothing"


def test_kinds_of_palaces_are_strings() -> None:
    """Ruling 22."""
    state = laid(at("A1", palaces="3"), SD_a2="street blank")
    builds = [murano.move_to_json(move) for move in murano.legal_moves(state, 0)]
    kinds = {json.dumps(move["kind"]) for move in builds if move["type"] == "build"}
    assert kinds == {'"3"'}
    assert murano.view(state, 0)["you"]["palaces"] == ["3"]
    with pytest.raises(Unreadable):
        murano.move_from_json({"type": "take", "kind": 3})


def test_the_harbour_counts_for_docks_of_colours_nobody_plays() -> None:
    """Ruling 23."""
    state = at("A6", seats=2, cards=("harbour",), gold=3)
    assert play(state, "gondolier SD grey").players[0].gold == 0
    assert "gondolier SD grey" not in moves(at("A6", seats=2, gold=4))
    assert play(at("A6", seats=2, gold=5), "gondolier SD grey").players[0].gold == 0


@pytest.mark.parametrize("text", ["sail A5 A6 red", "pass A5 A6 red", "sell red 1 green 2"])
def test_text_forms_with_more_words(text: str) -> None:
    """Ruling 24."""
    assert murano.format(murano.parse(text)) == text


def test_the_price_must_be_at_hand_before_recruiting_looks() -> None:
    """Ruling 25."""
    assert "recruit" not in moves(at("A3", gold=1, characters=(1,)))
    assert "recruit" in moves(at("A3", gold=2, characters=(1,)))


# The record


def test_the_set_up_tells_chance_by_its_labels_and_hides_the_stacks() -> None:
    drawn = begin(murano, 3, {}, SEED).chance
    assert [draw.label for draw in drawn] == [
        "start", "red-ship", "streets", "shops", "palaces", "characters", "special-cards",
    ]  # fmt: skip
    assert [draw.seen_by for draw in drawn] == [None, None] + [NOBODY] * 5
    sizes = [len(draw.outcome) for draw in drawn[2:]]  # type: ignore[arg-type]
    assert sizes == [35, 9, 11, 33, 15]
    sizes = [len(draw.outcome) for draw in begin(murano, 4, {}, SEED).chance[2:]]  # type: ignore[arg-type]
    assert sizes == [42, 12, 12, 35, 15]


def test_every_change_of_a_score_is_an_event() -> None:
    lines = simulate(murano, 3, {}, seed_from_text("9"), "greedy").lines
    totals = [5, 5, 5]
    for line in lines:
        for event in line.events:
            if event["type"] == "points":
                totals[event["seat"]] += event["points"]
        assert tuple(totals) == line.scores
    assert points([event for line in lines for event in line.events]) == sum(totals) - 15
