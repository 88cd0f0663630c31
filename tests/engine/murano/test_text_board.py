"""The board as text and in words."""

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.decisions import seat_view
from engine.languages import LANGUAGES
from engine.murano.board import own_boards
from engine.murano.names import card_names
from engine.murano.state import State
from engine.policies import simulate
from tests.engine.murano.table import arrived, gondoliers, having, laid, play, table

DEFAULT = own_boards()[-1]

LONG_NAMES = ["Anna with a very long name", "Ben", "Ludovico", "Žofie from a distant town"]
LONGEST_WORDS = 900


def text_for(state: State, seat: int | None, language: str = "en") -> str:
    names = ["Anna", "Ben", "Carla", "Dario"][: len(state.players)]
    return murano.board_text(seat_view(murano, state, seat, names, language), names, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_board_fits_in_any_position(seats: int, language: str) -> None:
    names = LONG_NAMES[:seats]
    lines = simulate(murano, seats, {}, seed_from_text("text"), "random").lines
    for line in [*lines[::9], lines[-1]]:
        for seat in (None, line.seat):
            view = seat_view(murano, line.state, seat, names, language)
            text = murano.board_text(view, names, language)
            assert max(map(len, text.splitlines())) <= 80
            words = murano.board_summary(view, names, language)
            assert seat is not None or len(words) <= LONGEST_WORDS  # of a picture
            for player in view["players"]:
                assert names[player["seat"]][:15] in text
                assert f"{names[player['seat']][:20]} " in words
                for card in player["cards"]:
                    assert card_names(language)[card["card"]] in " ".join(text.split())


def test_every_space_is_on_the_board_with_what_lies_there() -> None:
    state = laid(
        table(4),
        SD_a2="street red+blue",
        SD_b2="street blank",
        SD_a1="shop red 1",
        SD_b1="palace 2",
        SD_a3="glassworks 0",
    )
    state = gondoliers(state, 2, "SD orange")
    text = text_for(state, 0)
    island = text.partition("SD SAN DONATO")[2].partition("\n\n")[0]
    for cell in ("a2 rb", "b2 0", "a1 SrB", "b1 P2", "a3 GA", "c1 -", "c2 +", "b3 +"):
        assert cell in island
    assert "Customers: red 1, blue 1, grey 0." in island
    assert "Docks: white free, brown free, orange C, grey free." in island
    for space in DEFAULT.spaces:
        assert f"{space.name[3:]} " in text


def test_spaces_to_build_on_are_marked() -> None:
    text = text_for(laid(table(), SD_a2="street red"), 0)
    island = text.partition("SD SAN DONATO")[2].partition("\n\n")[0]
    assert "a1 *" in island
    assert "a3 *" in island
    assert "b1 -" in island


def test_the_ring_shows_actions_and_ships() -> None:
    state = table()._replace(ships=(0, 2, 4, 7, 9, 11, 13), red=13)
    text = text_for(state, None)
    assert "A1 build: ship" in text
    assert "A2 buy a glassworks: free" in text
    assert "A14 hire or dismiss: two ships" in text
    assert "A17 place a gondolier: free" in text


def test_only_the_viewer_reads_own_secrets() -> None:
    state = having(table(), 0, shops="r", palaces="3", characters=(38,))
    own = text_for(state, 0)
    assert "Your shops: red." in own
    assert "Your palaces: 3 crests." in own
    assert "38: 4 points for each red shop on the island." in own
    for viewer in (None, 1):
        other = text_for(state, viewer)
        assert "red shop" not in other
        assert "3 crests" not in other
        assert "A (white), tiles not yet built: 1 shop, 1 palace." in other


def test_what_is_shown_and_what_was_seen_is_listed() -> None:
    searching = play(having(arrived(table(), "A8"), 0, gold=9), "search shop")
    assert "In the stack that you look through: red, red," in text_for(searching, 0)
    assert "In the stack" not in text_for(searching, 1)
    found = text_for(play(searching, "take red"), 0)
    assert "In turn 1 these shops were left in the stack: red, red, blue," in found
    recruiting = play(arrived(table(), "A3")._replace(characters=(1, 2, 3, 4)), "recruit")
    shown = text_for(recruiting, 0)
    assert "Characters to choose from:\n1: 2 points for each shop on the island." in shown
    recruited = text_for(play(recruiting, "choose 2"), 0)
    assert "Characters you saw go under the stack: 1, 3." in recruited
    special = having(laid(arrived(table(), "A1"), SD_a2="street red"), 0, specials=1)
    special = special._replace(cards=("bank", "inn", "harbour", "hostel"))
    special = play(special, "build special SD-a1")
    assert "Special cards to choose from:\nbank: " in text_for(special, 0)
    chosen = text_for(play(special, "choose bank"), 1)
    assert "A, bank: the action to take gold brings 2 gold more. Works from the next" in chosen


def test_it_shows_open_decisions_and_the_result() -> None:
    assert "It is the turn of Anna.\n" in text_for(table(), None)
    state = arrived(table(), "A3")
    assert "It is the turn of Anna, whose ship has reached A3." in text_for(state, None)
    assert "Anna chooses a character." in text_for(play(state, "recruit"), None)
    last = table(mover=1)._replace(trigger=0)
    assert "The last round: the game ends before Anna would" in text_for(last, None)
    over = simulate(murano, 2, {}, seed_from_text("over"), "random").lines[-1].state
    assert "The game is over. Winner: " in text_for(over, None)


def test_the_text_is_plain_for_screen_readers() -> None:
    state = simulate(murano, 3, {}, seed_from_text("text"), "random").lines[50].state
    text = text_for(state, 0)
    assert text.isascii()
    assert not set("|_/\\~^") & set(text)
