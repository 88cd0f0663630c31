"""The board as text."""

from engine import millefiori
from engine.chance import seed_from_text
from engine.decisions import seat_view
from engine.policies import simulate

NAMES = ["Anna with a very long name", "Ben", "Ludovico", "Žofie"]


def test_no_line_is_longer_than_80_columns_in_any_position() -> None:
    for seats in (2, 3, 4):
        for line in simulate(millefiori, seats, {}, seed_from_text("text"), "greedy").lines:
            for seat in (None, line.seat):
                view = seat_view(millefiori, line.state, seat)
                text = millefiori.board_text(view, NAMES[:seats])
                assert max(len(row) for row in text.splitlines()) <= 80


def test_every_space_is_on_the_board_with_its_owner() -> None:
    state = simulate(millefiori, 4, {}, seed_from_text("text"), "greedy").lines[100].state
    view = seat_view(millefiori, state, 2)
    text = millefiori.board_text(view, NAMES)
    words = text.replace("=", " ").split()
    for space, owner in view["spaces"].items():
        position = next(i for i, word in enumerate(words) if _names_space(word, space))
        assert "ABCD"[owner] in words[position + 1 : position + 3], space
    for player in view["players"]:
        assert f"{'ABCD'[player['seat']]} on {player['ship']}" in text


def _names_space(word: str, space: str) -> bool:
    """Workshop cells carry the first letter of their symbol, as W12p."""
    return word == space or (space[0] == "W" and word[:-1] == space)


def test_the_text_is_plain_for_screen_readers() -> None:
    state = simulate(millefiori, 3, {}, seed_from_text("text"), "greedy").lines[50].state
    text = millefiori.board_text(seat_view(millefiori, state, 0), ["Anna", "Ben", "Carla"])
    assert text.isascii()
    assert not set("|_/\\~^") & set(text)
