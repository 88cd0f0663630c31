"""The engine against an independent implementation of the rules, move by move."""

import json
import random

import pytest

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.millefiori import board, space_sets
from engine.millefiori.cards import DECK, NAME
from engine.play import Line, begin, play
from engine.policies import POLICIES, random_move, simulate
from engine.record import record_lines
from tests.engine.millefiori.referee import Disagreement, follow, tables

SETTINGS = [(seats, variant) for seats in (2, 3, 4) for variant in ("standard", "tactical")]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("seats", "variant"), SETTINGS)
def test_the_referee_agrees_with_every_line(seats: int, variant: str, policy: str) -> None:
    for _ in range(8):
        seed = random.randbytes(32)
        options = {"variant": variant}
        simulated = simulate(millefiori, seats, options, seed, policy)
        record = record_lines(millefiori, seats, options, seed, *simulated, with_legal=True)
        tally = follow(record)
        assert tally.lines == len(simulated.lines)
        assert tally.reason == "diamonds" or tally.rounds == {2: 10, 3: 7, 4: 5}[seats]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_referee_agrees_when_picks_are_changed_and_plans_are_left(seats: int) -> None:
    vias = set()
    for _ in range(8):
        seed = random.randbytes(32)
        opening = begin(millefiori, seats, {}, seed)
        lines = list(opening.lines)
        state = opening.state
        chance = Chance(seed, "test")
        while pending := millefiori.pending(state):
            may_answer = [*pending, *millefiori.revisable(state)]
            seat = may_answer[chance.below("seat", len(may_answer))]
            move = random_move(millefiori, state, seat, chance)
            plans = millefiori.premoves(state, seat, move)
            if plans and chance.below("plan?", 2):
                move = plans[chance.below("plan", len(plans))]
            played: tuple[Line, ...]
            state, played = play(millefiori, state, seed, seat, None, move)
            lines += played
        vias |= {line.via for line in lines}
        options = {"variant": "standard"}
        follow(record_lines(millefiori, seats, options, seed, opening, lines, with_legal=True))
    assert {"player", "plan"} <= vias


def test_the_referee_notices_a_wrong_score() -> None:
    """The referee itself must be able to fail."""
    seed = seed_from_text("7")
    simulated = simulate(millefiori, 3, {}, seed, "random")
    options = {"variant": "standard"}
    record = list(record_lines(millefiori, 3, options, seed, *simulated))
    entry = json.loads(record[40])
    entry["scores"][1] += 1
    record[40] = json.dumps(entry)
    with pytest.raises(Disagreement) as caught:
        follow(record)
    assert caught.value.line == 41


def test_both_have_the_same_cards_and_board() -> None:
    names = space_sets.space_names
    assert sorted(NAME[card] for card in DECK) == sorted(tables.ALL_CARDS)
    for index, space in enumerate(board.PLACES_BY_AREA["workshops"]):
        assert set(names(space_sets.TOUCHING[index])) == set(tables.WORKSHOP_NEIGHBOURS[space])
    assert [sorted(three) for three in board.EXTRA_CARD_SYMBOLS] == [
        sorted(three) for three in tables.WORKSHOP_TRIPLES
    ]
    for symbol, spaces in tables.WORKSHOPS_BY_SYMBOL.items():
        assert names(space_sets.SYMBOL_SPACES[symbol]) == spaces
    assert list(board.RESIDENCES) == list(tables.RESIDENCE_NUMBERS.values())
    for space, supports in tables.PYRAMID_SUPPORTS.items():
        assert names(space_sets.STANDS_ON[board.PLACE[space]]) == supports
    for symbol, spaces in tables.PYRAMID_BY_SYMBOL.items():
        assert names(space_sets.SYMBOL_SPACES[symbol]) == spaces
    assert list(board.ROUTE_POINTS[1:]) == [tables.ROUTE_POINTS[n] for n in range(1, 21)]


def test_there_is_a_card_for_every_space() -> None:
    spaces = {symbol: own.bit_count() for symbol, own in space_sets.SYMBOL_SPACES.items() if own}
    for symbol, count in spaces.items():
        assert count == len(tables.CARD_NUMBERS[symbol])
    assert sum(spaces.values()) + len(board.RESIDENCES) + 15 == len(DECK) == 109
