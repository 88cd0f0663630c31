"""The bot sees what its seat sees and plays decently."""

import json

from engine import millefiori
from engine.chance import Chance, seed_from_text
from engine.decisions import seat_view
from engine.play import begin, play
from engine.policies import random_move
from engine.timeouts import bot_move
from tests.engine.millefiori.table import table


def test_the_bot_beats_random_players_almost_always() -> None:
    wins = 0
    for number in range(40):
        seats = 2 + number % 3
        seed = seed_from_text(f"bot {number}")
        bot = number % seats
        state = begin(millefiori, seats, {}, seed).state
        chance = Chance(seed, "rivals")
        while pending := millefiori.pending(state):
            seat = pending[0]
            if seat == bot:
                move = bot_move(millefiori, state, seat)
            else:
                move = random_move(millefiori, state, seat, chance)
            state = play(millefiori, state, seed, seat, None, move).state
        ended = millefiori.outcome(state)
        assert ended is not None
        wins += ended.winners == (bot,)
    assert wins >= 38


def test_the_bot_decides_from_the_written_view_alone() -> None:
    state = begin(millefiori, 4, {}, seed_from_text("7")).state
    view = json.loads(json.dumps(seat_view(millefiori, state, 2)))
    assert millefiori.bot_move(view) == bot_move(millefiori, state, 2)


def test_the_bot_takes_a_bonus_that_lies_open() -> None:
    state = table(kept={0: "swans-1"}, diamonds={0: "G1 C1 J1"}, ships={0: 5})
    assert millefiori.format(bot_move(millefiori, state, 0)).startswith("swans-1 S")
