"""Drawings become PNGs that are small enough for a mail and really carry their text."""

import re
import struct
from pathlib import Path

import pytest

import service.pictures
from engine.chance import seed_from_text
from engine.contract import AnyGame
from engine.offers import seat_names, seat_view
from engine.policies import simulate
from engine.registry import GAMES
from service.pictures import FONTS, svg_to_png

LARGEST = 60_000  # bytes


def drawing(words: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">'
        '<rect width="200" height="100" fill="#fff"/>'
        f'<text x="10" y="50" font-family="DejaVu Sans, sans-serif" font-size="20">{words}</text>'
        "</svg>"
    )


def size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_drawing_becomes_a_png_of_the_wanted_width() -> None:
    png = svg_to_png(drawing("Anna"), width=400)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert size(png) == (400, 200)
    assert size(svg_to_png(drawing("Anna"))) == (1000, 500)


def test_text_is_really_drawn() -> None:
    assert svg_to_png(drawing("Anna")) != svg_to_png(drawing(""))
    assert svg_to_png(drawing("Anna")) != svg_to_png(drawing("Žofie"))


def test_bold_text_is_drawn_with_the_bold_font() -> None:
    bold = drawing("Anna").replace("<text ", '<text font-weight="bold" ')
    assert svg_to_png(bold) != svg_to_png(drawing("Anna"))


def test_the_fonts_are_ours_and_come_with_their_licence() -> None:
    here = Path(service.pictures.__file__).parent
    assert FONTS
    for font in FONTS:
        assert Path(font).is_relative_to(here)
        assert Path(font).is_file()
    assert "Permission is hereby granted" in (here / "fonts" / "LICENSE").read_text()


def test_without_our_fonts_no_text_would_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.pictures, "FONTS", [])
    assert svg_to_png(drawing("Anna")) == svg_to_png(drawing(""))


def test_a_family_we_do_not_have_is_drawn_in_ours() -> None:
    other = drawing("Anna").replace("DejaVu Sans, sans-serif", "Nowhere, sans-serif")
    assert svg_to_png(other) == svg_to_png(drawing("Anna"))


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert svg_to_png(drawing("Anna")) == svg_to_png(drawing("Anna"))


def test_a_smooth_picture_can_be_asked_for() -> None:
    assert svg_to_png(drawing("Anna"), smooth=True) != svg_to_png(drawing("Anna"))


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token"):
        svg_to_png("no drawing")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_boards_are_small_enough_for_a_mail_and_full_of_text(game: AnyGame) -> None:
    for seats in game.meta.seats:
        names = seat_names(seats)
        lines = simulate(game, seats, {}, seed_from_text("picture"), "greedy").lines
        for end in (len(lines) // 2, len(lines) - 9, len(lines) - 1):
            events = [event for line in lines[end - 8 : end + 1] for event in line.events]
            svg = game.board_svg(seat_view(game, lines[end].state, 0, names), names, events)
            png = svg_to_png(svg)
            assert len(png) < LARGEST
            silent = re.sub("<text.*?</text>", "", svg, flags=re.DOTALL)
            assert len(svg_to_png(silent)) < len(png) * 0.8
