"""The engine against an independent implementation of the rules, move by move."""

import json
import random

import pytest

from engine import murano
from engine.chance import Chance, seed_from_text
from engine.murano.legal import legal_moves
from engine.murano.moves import format_move
from engine.play import begin, play
from engine.policies import POLICIES, random_move, simulate
from engine.record import record_lines
from tests.engine.murano.referee import Disagreement, follow
from tests.engine.murano.referee.following import notation
from tests.engine.murano.referee.rules import Game
from tests.engine.murano.table import RING, arrived, having, ships, table


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_referee_agrees_with_every_line(seats: int, policy: str) -> None:
    for _ in range(2):
        seed = random.randbytes(32)
        simulated = simulate(murano, seats, {}, seed, policy)
        record = record_lines(murano, seats, {}, seed, *simulated, with_legal=True)
        assert follow(record).lines == len(simulated.lines), seed.hex()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_referee_agrees_when_rare_things_are_done(seats: int) -> None:
    """Random players seldom search, hire, build special buildings or bring gondoliers; these do."""
    wanted = ("search", "build special", "choose", "gondolier", "sell", "hire", "produce")
    for _ in range(2):
        seed = random.randbytes(32)
        opening = begin(murano, seats, {}, seed)
        lines, state = list(opening.lines), opening.state
        chance = Chance(seed, "test")
        while murano.pending(state):
            moves = legal_moves(state, state.mover)
            rare = [move for move in moves if format_move(move).startswith(wanted)]
            if rare and chance.below("rare?", 4):
                move = rare[chance.below("rare", len(rare))]
            else:
                move = random_move(murano, state, state.mover, chance)
            state, played = play(murano, state, seed, state.mover, None, move)
            lines += played
        follow(record_lines(murano, seats, {}, seed, opening, lines, with_legal=True))


def test_both_offer_the_same_sails_wherever_the_ships_are() -> None:
    """Crowded rings and shared spaces with little gold, where it matters to look far ahead."""
    chance = Chance(random.randbytes(32), "ships")

    def below(bound: int) -> int:
        return chance.below("test", bound)

    for _ in range(400):
        first, width = below(18), 7 + below(12)
        near = [RING[(first + step) % 18] for step in range(min(width, 18))]
        others = chance.shuffled("others", near, count=7)
        red = RING[below(18)] if below(2) else others[below(7)]
        gold, moved, lighthouse = below(7), below(3), below(3) > 0
        at = (*others, red)[below(8)]
        cards = ("lighthouse",) if lighthouse else ()
        # With most stacks empty and nobody at hand, few actions do anything.
        shops, characters = "r" * below(2), (1,) * below(2)
        state = ships(table(), red, *others)._replace(
            streets="", palaces="", glassworks=0, specials=0, shops=shops, characters=characters
        )
        state = having(state, 0, gold=gold, hand=0, cards=cards)
        state = arrived(state, at, moved) if moved else state

        stacks = {"street": [], "palace": [], "shop": ["red"] * len(shops)}
        game = Game(3, 0, red, list(others), stacks, list(characters), [])
        game.stacks["glassworks"], game.stacks["special"] = [], []
        game.moved, game.at = moved, at
        player = game.players[0]
        player.gold, player.hand, player.working = gold, 0, list(cards)
        offered = sorted(format_move(move) for move in legal_moves(state, 0))
        assert offered == sorted(notation(move) for move in game.legal_moves()), (state, gold)


RECORD = list(
    record_lines(
        murano, 3, {}, seed_from_text("7"), *simulate(murano, 3, {}, seed_from_text("7"), "random")
    )
)


def changed(line: int, key: str, value: object) -> list[str]:
    entry = json.loads(RECORD[line - 1])
    entry[key] = value
    return [*RECORD[: line - 1], json.dumps(entry), *RECORD[line:]]


def test_the_referee_notices_a_wrong_score() -> None:
    """The referee itself must be able to fail."""
    with pytest.raises(Disagreement) as caught:
        follow(changed(41, "scores", [0, 0, 0]))
    assert caught.value.line == 41


def test_the_referee_notices_a_move_that_is_not_possible() -> None:
    with pytest.raises(Disagreement) as caught:
        follow(changed(2, "move", {"type": "sail", "from": "A1", "to": "A4"}))
    assert caught.value.line == 2


def test_the_referee_notices_points_that_nobody_earned() -> None:
    events = [*json.loads(RECORD[1])["events"], {"type": "points", "seat": 0, "points": 1,
              "for": "special"}]  # fmt: skip
    with pytest.raises(Disagreement, match="points"):
        follow(changed(2, "events", events))


def test_the_referee_notices_other_winners() -> None:
    outcome = json.loads(RECORD[-1])["outcome"]
    wrong = outcome | {"winners": [seat for seat in range(3) if seat not in outcome["winners"]]}
    with pytest.raises(Disagreement, match="winners"):
        follow(changed(len(RECORD), "outcome", wrong))
