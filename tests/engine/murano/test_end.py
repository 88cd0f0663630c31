"""The end: how it is brought about, the last round, building at once, and who wins."""

from typing import Any

import pytest

from engine import murano
from engine.chance import Chance
from engine.contract import Event
from engine.murano.final_scoring import final_scoring, outcome, ranking
from engine.murano.state import State
from engine.play import play as answer
from engine.play import to_ask
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
    table,
)

STREETS = {"SD_a2": "street blank", "SD_b2": "street blank"}


def nearly(space: str, seats: int = 3, **stacks: Any) -> State:
    """Seat 0 has arrived; the stack of streets is empty, and of another little is left."""
    state = laid(arrived(table(seats), space), **STREETS)
    return state._replace(streets="", **stacks)


def told(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["type"] == kind]


def a_pass(state: State) -> str:
    return next(text for text in moves(state) if text.startswith("pass"))


# How it is brought about


@pytest.mark.parametrize(
    ("space", "stacks", "texts", "stack"),
    [
        ("A2", {"glassworks": 1}, ["buy glassworks"], "glassworks"),
        ("A4", {"specials": 1}, ["buy special"], "specials"),
        ("A8", {"shops": "r"}, ["buy shop"], "shops"),
        ("A10", {"palaces": "2"}, ["buy palace"], "palaces"),
        ("A8", {"shops": "b"}, ["search shop", "take blue"], "shops"),
        ("A10", {"palaces": "3"}, ["search palace", "take 3"], "palaces"),
    ],
)
def test_the_last_tile_of_the_second_stack_brings_about_the_end(
    space: str, stacks: dict[str, Any], texts: list[str], stack: str
) -> None:
    state, events = played(nearly(space, **stacks), *texts)
    assert told(events, "stack-empty") == [{"type": "stack-empty", "stack": stack}]
    assert told(events, "last-round") == [{"type": "last-round", "seat": 0}]
    assert state.trigger == 0
    assert (state.mover, state.phase) == (0, "at-once"), "what was bought may be built at once"


def test_the_first_empty_stack_ends_nothing() -> None:
    state = arrived(table(), "A2")._replace(glassworks=1)
    state, events = played(state, "buy glassworks")
    assert told(events, "stack-empty")
    assert not told(events, "last-round")
    assert (state.trigger, state.mover, state.phase) == (None, 1, "sail")


def test_a_search_alone_empties_nothing() -> None:
    state, events = played(nearly("A8", shops="b"), "search shop")
    assert state.trigger is None
    assert not told(events, "stack-empty")


def test_a_stack_that_is_not_empty_after_the_purchase_ends_nothing() -> None:
    state = play(nearly("A8", shops="bb"), "buy shop")
    assert (state.trigger, state.mover) == (None, 1)


def test_the_last_street_ends_the_game_in_the_middle_of_a_build() -> None:
    state = having(laid(arrived(table(), "A1"), **STREETS), 0, shops="r", palaces="1")
    state = state._replace(streets="1", shops="")
    state, events = played(state, "street")
    assert told(events, "last-round") == [{"type": "last-round", "seat": 0}]
    assert (state.mover, state.phase) == (0, "lay")
    state = play(state, "lay SM-a2")
    assert "street" not in moves(state)
    state = play(state, "build shop red SD-a1", "build palace 1 SD-a3")
    assert state.mover == 1, "the build goes on as usual"


# The last round


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("trigger", [0, 1])
def test_each_other_player_has_exactly_one_more_turn(seats: int, trigger: int) -> None:
    state = laid(arrived(table(seats, mover=trigger), "A2"), **STREETS)
    state = play(state._replace(streets="", glassworks=1), "buy glassworks", "done")
    seen = []
    while state.reason is None:
        seen.append(state.mover)
        state, events = played(state, a_pass(state))
    assert seen == [(trigger + step) % seats for step in range(1, seats)]
    assert [event["type"] for event in events if event["type"] in ("scoring", "end")] == [
        "scoring", "end",
    ]  # fmt: skip
    assert outcome(state) is not None
    assert moves(state) == []


def test_a_third_stack_that_runs_out_changes_nothing() -> None:
    state = play(nearly("A2", seats=2, glassworks=1, specials=1), "buy glassworks", "done")
    state, events = played(having(arrived(state, "A4"), 1, gold=2), "buy special")
    assert told(events, "stack-empty") == [{"type": "stack-empty", "stack": "specials"}]
    assert not told(events, "last-round")
    state, events = played(state, "done")
    assert state.reason == "tiles"


# Building at once


def test_what_was_bought_may_be_built_at_once_by_the_one_who_ends_it() -> None:
    state = play(nearly("A8", shops="r"), "buy shop")
    assert moves(state) == [
        "build shop red SD-a1", "build shop red SD-b1", "build shop red SD-a3", "done",
    ]  # fmt: skip
    state, events = played(state, "build shop red SD-b1")
    assert points(events, "build") == 2
    assert state.players[0].vp == 7
    assert state.players[0].shops == ""
    assert state.mover == 1, "one tile, and the turn is over"


def test_others_build_at_once_too_but_only_that_tile() -> None:
    state = play(nearly("A2", glassworks=1), "buy glassworks", "done")
    state = having(arrived(state, "A10")._replace(palaces="31"), 1, palaces="2", shops="rb")
    state = play(state, "buy palace")
    assert {text.rsplit(" ", 1)[0] for text in moves(state)} == {"build palace 3", "done"}
    state, events = played(state, "build palace 3 SD-a1")
    assert points(events, "build") == 3
    assert state.players[1].palaces == "2"


def test_what_was_taken_may_be_built_at_once() -> None:
    state = play(nearly("A2", glassworks=1), "buy glassworks", "done")
    state = having(arrived(state, "A8")._replace(shops="rgb"), 1, shops="b", gold=5)
    state = play(state, "search shop", "take grey")
    assert {text.rsplit(" ", 1)[0] for text in moves(state)} == {"build shop grey", "done"}
    after = play(state, "build shop grey SD-a1")
    assert after.players[1].shops == "b"
    assert play(state, "done").players[1].shops == "bg"


def test_it_is_asked_even_if_there_is_no_place() -> None:
    """Ruling 20: only `done` is left, and nobody plays it by itself."""
    state = arrived(table(), "A2")._replace(streets="", glassworks=1)
    after, lines = answer(murano, state, SEED, 0, None, "buy glassworks")
    assert [murano.format(line.move) for line in lines] == ["buy glassworks"]
    assert moves(after) == ["done"]
    assert to_ask(murano, after) == [0]
    assert play(after, "done").mover == 1


def test_before_the_end_nothing_is_built_at_once() -> None:
    state = laid(arrived(table(), "A2"), **STREETS)
    assert play(state, "buy glassworks").mover == 1


def test_a_special_building_built_at_once_draws_its_card() -> None:
    state = nearly("A4", specials=1)._replace(cards=("bank", "inn", "harbour", "hostel"))
    state = play(state, "buy special", "build special SD-a1")
    assert moves(state) == ["choose bank", "choose inn", "choose harbour"]
    after = play(state, "choose inn")
    assert after.players[0].cards == ("inn",)
    assert after.mover == 1, "the build was that one tile"


def test_the_basilica_still_pays_in_the_last_turn() -> None:
    state = nearly("A4", specials=1)._replace(cards=("basilica",))
    state, events = played(state, "buy special", "build special SD-a1", "choose basilica")
    assert points(events, "special") == 5
    assert state.players[0].vp == 10


def test_without_a_card_left_a_special_building_at_once_brings_none() -> None:
    state = play(nearly("A4", specials=1)._replace(cards=()), "buy special", "build special SD-a1")
    assert state.mover == 1
    assert state.players[0].cards == ()


# Scoring


def scored(state: State) -> tuple[State, list[Event]]:
    """The last pass of a game that seat 0 ended."""
    last = len(state.players) - 1
    state = state._replace(mover=last, phase="sail", trigger=0, streets="", shops="")
    return played(state, a_pass(state))


def test_a_card_of_the_last_turn_is_not_active_at_the_scoring() -> None:
    """Ruling 14: a studio would let the red bead go as a green one."""
    state = gondoliers(table(2), 0, "SP white")
    state = having(state, 0, characters=(36,), beads=(1, 0, 0), cards=("studio-red-green",))
    assert points(scored(having(state, 0, active=1))[1], "character") == 7
    assert points(scored(having(state, 0, active=0))[1], "character") == 0


def test_a_studio_taken_in_the_turn_that_ends_the_game_is_not_active() -> None:
    state = nearly("A4", seats=2, specials=1)._replace(cards=("studio-red-green",))
    state = gondoliers(state, 0, "SP white")
    state = having(state, 0, characters=(36,), beads=(1, 0, 0))
    state = play(state, "buy special", "build special SD-a1", "choose studio-red-green")
    state, events = played(state, a_pass(state))
    assert state.reason == "tiles"
    assert points(events, "character") == 0
    assert points(events, "gondolier") == 1


def test_characters_score_beginning_with_who_ended_the_game() -> None:
    state = table(3)
    for seat in range(3):
        state = gondoliers(state, seat, f"SD {('white', 'brown', 'orange')[seat]}")
        state = having(state, seat, characters=((9,), (24,), (1,))[seat])
    events: list[Event] = []
    final_scoring(state._replace(trigger=1), events)
    characters = [(event["seat"], event["character"]) for event in told(events, "character")]
    assert characters == [(1, 24), (0, 9)]
    assert told(events, "unused") == [{"type": "unused", "seat": 2, "characters": [1]}]
    assert points(events, "gondolier") == 1


def test_only_gondoliers_on_the_board_bring_a_point() -> None:
    state = gondoliers(table(2), 0, "SD white", "SM brown")
    _, events = scored(state)
    assert points(events, "gondolier") == 2, "not those at hand or in the supply"


def test_the_passes_of_the_last_turn_count_before_the_scoring() -> None:
    state = laid(table(2), SD_a2="street blue+blue", SD_b2="street grey", SD_a1="palace 1",
                 SD_b1="special")  # fmt: skip
    state = having(gondoliers(state, 1, "SD brown"), 1, characters=(7,), gold=3)
    state, events = scored(state)
    assert points(events, "character") == 3, "the gold of the pass is the fourth"
    assert state.players[1].gold == 0


# Who wins


@pytest.mark.parametrize(
    ("vp", "gold", "winners", "places"),
    [
        ((20, 10, 5), (0, 9, 9), (0,), (1, 2, 3)),
        ((20, 20, 5), (1, 2, 9), (1,), (2, 1, 3)),
        ((20, 20, 5), (2, 1, 9), (0,), (1, 2, 3)),
        ((20, 20, 5), (2, 2, 9), (0, 1), (1, 1, 3)),
        ((5, 5, 20), (2, 3, 0), (2,), (3, 2, 1)),
        ((5, 20, 5), (2, 3, 2), (1,), (2, 1, 2)),
        ((7, 7, 7), (4, 4, 4), (0, 1, 2), (1, 1, 1)),
    ],
)
def test_most_points_then_most_gold_then_both(
    vp: tuple[int, ...], gold: tuple[int, ...], winners: tuple[int, ...], places: tuple[int, ...]
) -> None:
    state = table(3)
    for seat in range(3):
        state = having(state, seat, vp=vp[seat], gold=gold[seat])
    over = final_scoring(state._replace(trigger=0), [])
    ended = outcome(over)
    assert ended is not None
    assert (ended.scores, ended.winners, ended.reason) == (vp, winners, "tiles")
    assert ranking(over) == places


def test_gold_spent_on_a_character_does_not_break_a_tie() -> None:
    """Four gold become three points; the other one has as many points and a coin."""
    state = laid(table(2), SD_a2="street blue+blue", SD_b2="street grey", SD_a1="palace 1",
                 SD_b1="special")  # fmt: skip
    state = having(gondoliers(state, 0, "SD white"), 0, characters=(7,), gold=4, vp=10)
    state = having(state, 1, gold=1, vp=13)
    ended = outcome(final_scoring(state._replace(trigger=0), []))
    assert ended is not None
    assert (ended.scores, ended.winners) == ((13, 13), (1,))


def test_random_games_end() -> None:
    for number in range(6):
        chance = Chance(SEED, f"game {number}")
        state, made = table(2 + number % 3), 0
        while state.reason is None:
            texts = moves(state)
            state = play(state, texts[chance.below("test", len(texts))])
            made += 1
            assert made < 3000
        assert outcome(state) is not None
