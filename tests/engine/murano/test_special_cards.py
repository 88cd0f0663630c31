"""The special cards: how one comes to them, from when on they work, and what each of them does."""

from typing import Any

import pytest

from engine.murano.board import own_boards
from engine.murano.final_scoring import assignment
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

DEFAULT = own_boards()[-1]

CARDS = list(DEFAULT.figures["special_cards"])


def owner(card: str, space: str, **own: Any) -> State:
    """Seat 0 has the card and has arrived on a space."""
    return having(arrived(table(), space), 0, cards=(card,), **own)


def asleep(state: State) -> State:
    """The same, but the card is new."""
    return having(state, 0, active=0)


# Drawing a card


def building(*cards: str, **own: Any) -> State:
    """Seat 0 may build a special building while these cards lie in the stack."""
    state = laid(arrived(table(), "A1"), SD_a2="street blank", SD_b2="street blank")
    state = having(state, 0, **{"specials": 1, **own})
    return state._replace(cards=cards)


def test_there_are_fifteen_cards() -> None:
    assert len(CARDS) == len(set(CARDS)) == 15
    assert sorted(table().cards) == sorted(CARDS)


def test_a_special_building_brings_one_of_three_cards_and_the_others_go_under_the_stack() -> None:
    state = building("bank", "inn", "harbour", "hostel", "lighthouse")
    state, events = played(state, "build special SD-a1")
    assert moves(state) == ["choose bank", "choose inn", "choose harbour"]
    assert [event["type"] for event in events] == ["build", "cards", "cards-shown"]
    assert events[-1]["seen_by"] == [0]
    state, events = played(state, "choose inn")
    assert state.cards == ("hostel", "lighthouse", "bank", "harbour")
    assert state.players[0].cards == ("inn",)
    assert events == [{"type": "card", "seat": 0, "card": "inn"}]
    assert state.mover == 0, "one tile was built, two more may be"
    assert "done" in moves(state)


def test_fewer_cards_are_shown_if_fewer_are_left_and_none_if_there_is_none() -> None:
    assert moves(play(building("bank"), "build special SD-a1")) == ["choose bank"]
    state = play(building(), "build special SD-a1")
    assert "done" in moves(state)
    assert state.players[0].cards == ()


def test_the_card_of_the_third_tile_is_chosen_before_the_turn_ends() -> None:
    state = building("bank", "inn", glassworks=2)
    state = play(state, "build glassworks SD-a3", "build glassworks SD-b1", "build special SD-a1")
    assert state.mover == 0
    assert play(state, "choose bank").mover == 1


def test_two_special_buildings_of_one_build_bring_two_cards() -> None:
    state = building("bank", "inn", "harbour", "hostel", specials=2)
    state = play(state, "build special SD-a1", "choose bank", "build special SD-a3")
    assert moves(state) == ["choose hostel", "choose inn", "choose harbour"]
    assert play(state, "choose hostel").players[0].cards == ("bank", "hostel")


def test_a_new_card_works_from_the_next_turn_on() -> None:
    state = play(building("crane-noble", palaces="1"), "build special SD-a1", "choose crane-noble")
    state, events = played(state, "build palace 1 SD-a3", "done")
    assert points(events, "special") == 0, "not in the turn in which it was taken"
    assert not state.players[0].has("crane-noble")
    for _ in range(2):
        state = play(state, next(text for text in moves(state) if text.startswith("pass")))
    assert state.mover == 0
    assert state.players[0].has("crane-noble")


def test_the_basilica_pays_at_once_and_only_once() -> None:
    state = play(building("basilica", "inn"), "build special SD-a1")
    state, events = played(state, "choose basilica")
    assert points(events, "special") == 5
    assert state.players[0].vp == 10
    state, events = played(state, "done")
    for _ in range(3):
        state, events = played(
            state, next(text for text in moves(state) if text.startswith("pass"))
        )
        assert points(events) == 0
    assert state.players[0].vp == 10


# What they do


def test_the_bank_brings_two_gold_more() -> None:
    state = owner("bank", "A15")
    assert play(state, "gold").players[0].gold == 5 + 4
    assert play(asleep(state), "gold").players[0].gold == 5 + 2
    passing = having(table(), 0, cards=("bank",))
    assert play(passing, "pass A13 A14").players[0].gold == 6, "not when passing"


@pytest.mark.parametrize(("owned", "price"), [(0, 0), (1, 0), (2, 1), (4, 3)])
def test_with_the_inn_recruiting_costs_two_less_but_never_below_nothing(
    owned: int, price: int
) -> None:
    characters = tuple(range(1, owned + 1))
    state = owner("inn", "A3", characters=characters, gold=price)._replace(characters=(20, 21))
    assert "recruit" in moves(state)
    assert "recruit" not in moves(asleep(state))
    after = play(state, "recruit", "choose 20")
    assert after.players[0].gold == 0
    if price:
        assert "recruit" not in moves(having(state, 0, gold=price - 1))


def test_the_harbour_tavern_pays_a_point_for_each_gondolier() -> None:
    state = owner("harbour-tavern", "A6")
    after, events = played(state, "gondolier SD white")
    assert points(events, "special") == points(events) == 1
    assert after.players[0].vp == 6
    assert points(played(asleep(state), "gondolier SD white")[1]) == 0


@pytest.mark.parametrize(
    ("card", "text", "extra"),
    [("crane-noble", "palace 1", 1), ("crane-noble", "special", 1), ("crane-noble", "shop red", 0),
     ("crane-noble", "glassworks", 0), ("crane-trade", "shop red", 1),
     ("crane-trade", "glassworks", 1), ("crane-trade", "palace 1", 0),
     ("crane-trade", "special", 0)],
)  # fmt: skip
def test_a_crane_pays_a_point_more_for_its_buildings(card: str, text: str, extra: int) -> None:
    state = owner(card, "A1", palaces="1", shops="r", glassworks=1, specials=1)
    state = laid(state, SD_a2="street blank")
    assert points(played(state, f"build {text} SD-a1")[1], "special") == extra
    assert points(played(asleep(state), f"build {text} SD-a1")[1], "special") == 0


def test_with_the_harbour_docks_cost_one_and_three() -> None:
    state = owner("harbour", "A6", gold=3)
    assert play(state, "gondolier SD white").players[0].gold == 2
    assert play(state, "gondolier SD brown").players[0].gold == 0
    assert "gondolier SD brown" not in moves(having(state, 0, gold=2))
    assert "gondolier SD white" in moves(having(state, 0, gold=1))
    assert "gondolier SD brown" not in moves(asleep(state))


def producing(card: str, **own: Any) -> State:
    state = owner(card, "A5", **own)
    return laid(state, SD_a2="street blank", SD_a1="glassworks 0", SD_a3="glassworks 0")


@pytest.mark.parametrize("count", [1, 2])
def test_the_guild_hall_pays_one_point_however_many_produce(count: int) -> None:
    state, events = played(producing("guild-hall"), f"produce {count}")
    assert points(events, "special") == 1
    assert state.players[0].vp == 5 - 2 * count + 1
    assert points(played(asleep(producing("guild-hall")), f"produce {count}")[1], "special") == 0


def test_the_guild_hall_pays_nothing_to_who_only_sells() -> None:
    _, events = played(producing("guild-hall", beads=(1, 0, 0)), "produce 0")
    assert points(events) == 0


def test_the_hostel_shows_five_characters() -> None:
    state = owner("hostel", "A3")._replace(characters=(1, 2, 3, 4, 5, 6))
    shown = play(state, "recruit")
    assert moves(shown) == [*(f"choose {number}" for number in range(1, 6)), "decline"]
    assert play(shown, "choose 2").characters == (6, 1, 3, 4, 5)
    assert len(moves(play(asleep(state), "recruit"))) == 4
    assert len(moves(play(state._replace(characters=(1, 2, 3, 4)), "recruit"))) == 5


STUDIOS = {
    "studio-red-green": ((1, 1, 2), "red 1 green 2", "blue 1 green 1"),
    "studio-blue-green": ((1, 1, 2), "blue 1 green 2", "red 1 green 1"),
    "studio-red-blue": ((2, 1, 1), "red 2 blue 1", "red 1 green 1"),
}


@pytest.mark.parametrize("card", STUDIOS)
def test_a_studio_sells_two_colours_as_one(card: str) -> None:
    beads, sold, refused = STUDIOS[card]
    state = owner(card, "A5", beads=beads)
    selling = play(state, "produce 0")
    assert f"sell {sold}" in moves(selling)
    assert f"sell {refused}" not in moves(selling)
    assert play(selling, f"sell {sold}").players[0].gold == 5 + 20
    assert f"sell {sold}" not in moves(play(asleep(state), "produce 0"))


@pytest.mark.parametrize(
    ("card", "character", "island"),
    [
        ("studio-red-green", 34, "SD"),
        ("studio-blue-green", 32, "SM"),
        ("studio-red-blue", 34, "SD"),
    ],
)
def test_a_studio_gives_other_beads_to_characters(card: str, character: int, island: str) -> None:
    other = {"studio-red-green": 2, "studio-blue-green": 2, "studio-red-blue": 1}[card]
    beads = tuple(2 if number == other else 0 for number in range(3))
    state = gondoliers(
        owner(card, "A5", beads=beads, characters=(character,)), 0, f"{island} white"
    )
    assert assignment(state, 0).points == 14
    assert assignment(asleep(state), 0).points == 1, "only the gondolier that has nothing to do"


def test_the_counting_house_draws_one_more_and_takes_one_back() -> None:
    state = producing("counting-house", beads=(0, 0, 0))
    after, events = played(state, "produce 2")
    assert points(events, "production") == -4
    assert sum(after.players[0].beads) == 3
    assert sum(after.bag) == 27
    most = max(sum(int(word) for word in text.split() if word.isdigit()) for text in moves(after))
    assert most <= 2, "one must be kept from sale"
    returning = play(after, "keep")
    colours = [colour for colour, n in zip(("red", "blue", "green"), after.players[0].beads) if n]
    assert moves(returning) == [f"return {colour}" for colour in colours]
    done, events = played(returning, moves(returning)[0])
    assert events == [{"type": "return", "seat": 0, "bead": colours[0]}]
    assert (sum(done.players[0].beads), sum(done.bag), done.mover) == (2, 28, 1)


def test_the_counting_house_returns_after_a_sale_too() -> None:
    state = play(producing("counting-house", beads=(2, 0, 0)), "produce 1")
    state = play(state, next(text for text in moves(state) if text.startswith("sell")))
    assert all(text.startswith("return") for text in moves(state))


def test_a_counting_house_that_is_new_does_nothing() -> None:
    after = play(asleep(producing("counting-house")), "produce 2")
    assert sum(after.players[0].beads) == 2
    assert play(after, "keep").mover == 1


def test_the_lighthouse_lets_the_red_ship_join_the_next_one() -> None:
    state = ships(table(), "A12", "A15", "A1", "A3", "A5", "A8", "A10", "A17")
    state = having(state, 0, cards=("lighthouse",))
    assert play(state, "sail A12 A15", "gold").players[0].gold == 7, "and its action is taken"
    assert "sail A12 A15" not in moves(asleep(state))
    assert "sail A12 A17" not in moves(state), "it passes no ship"
    assert "pass A12 A15" not in moves(state)


def test_the_assembly_hall_pays_five_and_hires_for_one() -> None:
    state = owner("assembly-hall", "A14", gold=1)
    assert moves(state)[:2] == ["hire", "dismiss"]
    assert play(state, "hire").players[0].gold == 0
    assert play(state, "dismiss").players[0].gold == 6
    assert "hire" not in moves(asleep(state))
    assert play(asleep(state), "dismiss").players[0].gold == 4


def test_nobody_else_profits_from_a_card() -> None:
    state = having(arrived(table(3, mover=1), "A15"), 0, cards=("bank",))
    assert play(state, "gold").players[1].gold == 7
