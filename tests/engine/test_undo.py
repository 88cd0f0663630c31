"""Taking back an answer within a turn: what it restores, and what it must never reach."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from engine import millefiori, murano
from engine.chance import Chance, seed_from_text
from engine.contract import GameType
from engine.decisions import seat_view
from engine.options import all_options
from engine.play import Line, begin, play
from engine.policies import random_move
from engine.registry import GAME_TYPES
from engine.undo import last_answer, undoable
from tests.engine import third_game

GAMES = 12
SETTINGS = [
    pytest.param(game, seats, options, id=f"{game.meta.key}-{seats}-{'-'.join(options.values())}")
    for game in (*GAME_TYPES, third_game)
    for seats in game.meta.seats
    for options in all_options(game)
]


class Answer(NamedTuple):
    """One answer of a random game."""

    before: Any
    seat: int
    move: Any
    lines: Sequence[Line]

    @property
    def after(self) -> Any:
        return self.lines[-1].state

    def undoable(self, game: GameType) -> bool:
        return undoable(game, self.before, self.seat, self.lines, self.after)


def answers(game: GameType, seats: int, options: dict[str, str], seed: bytes) -> Iterator[Answer]:
    """The answers of a random game, some of them with a premove."""
    chance = Chance(seed, "test")
    state = begin(game, seats, options, seed).state
    while pending := game.pending(state):
        seat = pending[chance.below("seat", len(pending))]
        move = random_move(game, state, seat, chance)
        if plans := game.premoves(state, seat, move):
            move = plans[chance.below("plan", len(plans))]
        played = play(game, state, seed, seat, None, move)
        yield Answer(state, seat, move, played.lines)
        state = played.state


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS)
def test_an_answer_that_can_be_taken_back_told_nobody_anything_new(
    game: GameType, seats: int, options: dict[str, str]
) -> None:
    """The view of the mover after it would be the same with any other secrets; it drew no chance,
    and no other seat has anything to do with it."""
    generator = random.Random(random.random())
    for _ in range(GAMES // seats):
        seed = generator.randbytes(32)
        chance = Chance(seed, "imagined")
        for one in answers(game, seats, options, seed):
            if not one.undoable(game):
                continue
            assert {line.seat for line in one.lines} == {one.seat}
            assert not any(line.chance for line in one.lines)
            for state in (one.before, one.after):
                assert list(game.pending(state)) == [one.seat]
                assert not game.revisable(state)
            imagined = game.imagine(one.before, [one.seat], chance, one.seat, one.move)
            played = play(game, imagined, generator.randbytes(32), one.seat, None, one.move)
            assert seat_view(game, played.state, one.seat) == seat_view(game, one.after, one.seat)
            assert undoable(game, imagined, one.seat, played.lines, played.state)


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS)
def test_the_same_move_after_an_undo_leads_to_the_same_state_to_the_byte(
    game: GameType, seats: int, options: dict[str, str]
) -> None:
    seed = random.randbytes(32)
    for one in answers(game, seats, options, seed):
        if one.undoable(game):
            again = play(game, one.before, seed, one.seat, one.lines[0].decision, one.move)
            assert game.dump(again.state) == game.dump(one.after)
            assert again.lines == one.lines


DRAWS = {"street", "bought", "search", "taken", "characters", "cards-shown", "beads"}
DRAFT = {"keep", "chosen", "pass", "round"}


@pytest.mark.parametrize(
    ("game", "options", "steps", "final"),
    [
        (millefiori, {"variant": "standard"}, {"place"}, DRAFT),
        (millefiori, {"variant": "tactical"}, {"place"}, DRAFT),
        (murano, {}, {"sail", "build", "lay", "card", "produce", "sell"}, DRAWS),
    ],
)
def test_steps_of_a_turn_can_be_taken_back_and_draws_cannot(
    game: GameType, options: dict[str, str], steps: set[str], final: set[str]
) -> None:
    taken_back: set[str] = set()
    for number in range(6):
        for one in answers(game, 2, options, seed_from_text(f"undo {number}")):
            if one.undoable(game):
                taken_back |= {event["type"] for line in one.lines for event in line.events}
    assert steps <= taken_back
    assert not taken_back & (final | {"end"})


def test_a_move_for_an_absent_player_is_not_theirs_to_take_back() -> None:
    seed = seed_from_text("undo")
    one = next(one for one in answers(murano, 2, {}, seed) if one.undoable(murano))
    for via in ("bot", "timeout", "plan"):
        lines = [one.lines[0]._replace(via=via), *one.lines[1:]]
        assert not undoable(murano, one.before, one.seat, lines, one.after)


def test_the_last_answer_of_a_log_includes_the_automatic_moves_after_it() -> None:
    assert last_answer(["player", "player", "auto", "auto"]) == 1
    assert last_answer(["player", "auto", "bot"]) == 2
    assert last_answer(["auto", "auto"]) == 0
