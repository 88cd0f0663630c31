"""Moves that force further ones say so: in their label, in every language, and as data."""

import itertools
from collections import defaultdict

import pytest

from engine import play
from engine.chance import Chance, seed_from_text
from engine.contract import GameType
from engine.decisions import decision_view, seat_names
from engine.languages import LANGUAGES
from engine.registry import GAME_TYPES
from engine.secrecy import check_secrecy

GAMES_AND_SEATS = [(game, seats) for game in GAME_TYPES for seats in game.meta.seats]


def uncovers(game: GameType, line: play.Line) -> bool:
    """Whether something came to light that nobody could know before."""
    return bool(line.chance) or any(event["type"] in game.meta.uncovering for event in line.events)


def determined(game: GameType, lines: tuple[play.Line, ...]) -> list[str]:
    """The automatic moves of the same seat that follow from the first line for certain."""
    found = []
    for before, line in itertools.pairwise(lines):
        if uncovers(game, before) or line.seat != lines[0].seat or line.via != "auto":
            break
        found.append(game.format(line.move))
    return found


@pytest.mark.parametrize(
    ("game", "seats"), GAMES_AND_SEATS, ids=lambda value: str(getattr(value, "meta", value))[:18]
)
@pytest.mark.parametrize("options", ["first", "last"])
def test_labels_announce_exactly_the_forced_moves(game: GameType, seats: int, options: str) -> None:
    """Random games from fixed seeds; with the first and with the last choice of every option."""
    chosen = {
        option.key: list(option.choices)[0 if options == "first" else -1]
        for option in game.meta.options
    }
    seed = seed_from_text(f"forced {game.meta.key} {seats} {options}")
    dice = Chance(seed, "test")
    state = play.begin(game, seats, chosen, seed).state
    promised: dict[int, list[str]] = defaultdict(list)
    said = 0
    while pending := game.pending(state):
        seat = pending[dice.below("seat", len(pending))]
        asked = decision_view(game, state, seat, seat_names(seats))
        assert asked is not None
        number = dice.below("move", len(asked["moves"]))
        offered, move = asked["moves"][number], game.legal_moves(state, seat)[number]
        lines = play.play(game, state, seed, seat, asked["id"], move).lines
        announced = [forced["text"] for forced in offered["forced"]]
        certain = determined(game, lines)
        assert announced[: len(certain)] == certain
        if announced:
            plain = game.label(
                state, seat, move, game.preview(state, seat, move), seat_names(seats)
            )
            assert offered["label"] != plain
            assert "only choice" in offered["label"] or "discard it then" in offered["label"]
        assert not promised[seat], "it was said that nothing could be chosen here"
        promised[seat] = announced
        said += bool(announced)
        for line in lines[1:]:
            if promised[line.seat]:
                assert line.via == "auto"
                assert game.format(line.move) == promised[line.seat].pop(0)
        state = lines[-1].state
    assert not any(promised.values())
    assert said or game.meta.key != "murano"


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_labels_with_forced_moves_are_translated_and_keep_secrets(game: GameType) -> None:
    seed = seed_from_text(f"forced words {game.meta.key}")
    dice = Chance(seed, "test")
    state = play.begin(game, 2, {}, seed).state
    found = 0
    while pending := game.pending(state):
        seat = pending[dice.below("seat", len(pending))]
        moves = game.legal_moves(state, seat)
        forcing = [move for move in moves if game.forced(state, seat, move)]
        if forcing and found < 40:
            found += 1
            number = moves.index(forcing[0])
            labels = []
            for language in LANGUAGES:
                asked = decision_view(game, state, seat, seat_names(2), language)
                assert asked is not None
                labels.append(asked["moves"][number]["label"])
            assert len(set(labels)) == len(LANGUAGES)
            assert check_secrecy(game, state, seat, forcing[0], dice) is None
        state = play.play(game, state, seed, seat, None, moves[dice.below("m", len(moves))]).state
    assert found
