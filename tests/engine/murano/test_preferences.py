"""What is played for a seat whose time is up: its ranked list, and the rest of its turn."""

import pytest

from engine import millefiori, murano
from engine.chance import seed_from_text
from engine.contract import GameType
from engine.murano.state import State
from engine.play import begin, play
from engine.timeouts import play_for_absent, timeout_move
from tests.engine.murano.table import SEED, arrived, having, ships, table

HARBOUR = ("A1", "A3", "A5", "A8", "A10", "A12", "A17")


def fleet() -> State:
    return ships(table(), "A14", *HARBOUR)


def wished(state: State, wishes: str) -> tuple[str, str]:
    move, via = timeout_move(murano, state, 0, murano.read_preferences(wishes))
    return murano.format(move), via


@pytest.mark.parametrize(
    ("wishes", "played"),
    [
        ("gold", "sail A14 A15"),
        ("income, else gold", "sail A14 A15"),  # nobody has a shop yet
        ("production, else income, else glassworks", "sail A1 A2"),
        ("special", "sail A3 A4"),
        ("income, else pass", "pass "),
    ],
)
def test_the_first_wish_that_can_be_reached_and_taken_is_played(wishes: str, played: str) -> None:
    text, via = wished(having(fleet(), 0, gold=2), wishes)
    assert text.startswith(played)
    assert via == "plan"


def test_what_cannot_be_paid_is_no_wish_to_sail_for() -> None:
    assert wished(having(fleet(), 0, gold=1), "palace, else gold") == ("sail A14 A15", "plan")


def test_where_a_wish_has_been_reached_it_is_taken_and_nobody_pays_to_sail_on() -> None:
    """A special building, the better wish, could be bought after another sail."""
    state = arrived(ships(table(), "A15", *HARBOUR), "A15")
    assert wished(state, "special, else gold") == ("gold", "plan")


def test_without_a_wish_that_helps_the_bot_chooses() -> None:
    assert wished(fleet(), "income")[1] == "timeout"
    laying = play(murano, arrived(fleet(), "A7"), SEED, 0, None, "street").state
    assert wished(laying, "build")[1] == "timeout"


def test_the_turn_of_who_is_away_is_played_to_its_end() -> None:
    state = fleet()
    lines = play_for_absent(murano, state, SEED, 0, murano.decision(state, 0), ("build",))
    assert [murano.format(line.move).split()[0] for line in lines][:3] == ["sail", "street", "lay"]
    assert [line.via for line in lines][:3] == ["plan", "plan", "timeout"]
    assert {line.seat for line in lines} == {0}
    assert lines[-1].state.mover == 1


@pytest.mark.parametrize("game", [millefiori, murano], ids=["millefiori", "murano"])
def test_only_turns_that_have_begun_are_played_to_their_end(game: GameType) -> None:
    """Whatever is asked first in a turn has time of its own."""
    seed = seed_from_text("away")
    state = begin(game, 3, {}, seed).state
    for _ in range(60):
        seat = game.pending(state)[0]
        assert not game.within_turn(state, seat)
        state = play_for_absent(game, state, seed, seat, game.decision(state, seat))[-1].state
