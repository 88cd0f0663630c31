"""The bot sees what its seat sees and plays decently."""

import json

import pytest

from engine import murano
from engine.chance import Chance, seed_from_text
from engine.decisions import seat_view
from engine.play import begin, play
from engine.policies import random_move, simulate
from engine.timeouts import bot_move
from tests.engine.murano.table import arrived, gondoliers, having, laid, table
from tests.engine.murano.table import play as after


def test_the_bot_beats_random_players_almost_always() -> None:
    wins = 0
    for number in range(18):
        seats = 2 + number % 3
        seed = seed_from_text(f"bot {number}")
        bot = number % seats
        state = begin(murano, seats, {}, seed).state
        chance = Chance(seed, "rivals")
        while pending := murano.pending(state):
            seat = pending[0]
            if seat == bot:
                move = bot_move(murano, state, seat)
            else:
                move = random_move(murano, state, seat, chance)
            state = play(murano, state, seed, seat, None, move).state
        ended = murano.outcome(state)
        assert ended is not None
        wins += ended.winners == (bot,)
    assert wins >= 16


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_games_of_bots_end_in_time_with_sane_scores(seats: int) -> None:
    for number in range(6):
        seed = seed_from_text(f"sane {seats} {number}")
        simulated = simulate(murano, seats, {}, seed, "greedy")
        ended = murano.outcome(simulated.lines[-1].state)
        assert ended is not None
        assert simulated.lines[-1].state.turn < 100 * seats
        assert len(simulated.lines) < 300 * seats
        assert 15 <= max(ended.scores) <= 150
        assert min(ended.scores) >= 0


def test_the_bot_decides_from_the_written_view_alone() -> None:
    for line in simulate(murano, 3, {}, seed_from_text("7"), "random").lines[:-1]:
        state = line.state
        view = json.loads(json.dumps(seat_view(murano, state, state.mover)))
        assert murano.bot_move(view) == bot_move(murano, state, state.mover)


def test_the_bot_plays_the_same_whatever_it_cannot_know() -> None:
    chance = Chance(seed_from_text("unknown"), "test")
    for line in simulate(murano, 3, {}, seed_from_text("8"), "greedy").lines[:-1]:
        state = line.state
        imagined = murano.imagine(state, [state.mover], chance, state.mover, None)
        assert bot_move(murano, imagined, imagined.mover) == bot_move(murano, state, state.mover)


def test_the_bot_builds_at_once_what_brings_points() -> None:
    state = laid(arrived(table(), "A10"), SD_a2="street blank")
    state = after(state._replace(streets="", palaces="2"), "buy palace")
    assert murano.format(bot_move(murano, state, 0)).startswith("build palace 2 ")


def test_the_bot_brings_its_gondolier_where_its_character_scores() -> None:
    state = laid(arrived(table(), "A6"), SM_a2="street red+red", SM_b2="street red+red",
                 SM_c2="street red+red")  # fmt: skip
    state = having(state, 0, characters=(12,))
    assert murano.format(bot_move(murano, state, 0)) == "gondolier SM white"


def test_the_bot_takes_the_character_that_fits() -> None:
    state = laid(arrived(table(), "A3"), SM_a2="street red+red", SM_b2="street red+red",
                 SM_c2="street red+red")  # fmt: skip
    state = gondoliers(state, 0, "SM white")._replace(characters=(3, 12, 21))
    assert murano.format(bot_move(murano, after(state, "recruit"), 0)) == "choose 12"
