"""Drawings become PNGs that are small enough for a mail and really carry their text."""

import io
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

import service.mail.outgoing.pictures
from engine.chance import seed_from_text
from engine.contract import AnyGame
from engine.decisions import seat_names, seat_view
from engine.languages import LANGUAGES
from engine.play import Line
from engine.policies import simulate
from engine.registry import GAMES, game_by_key
from service.mail.outgoing.pictures import Picture, drawing, lettering, picture_of
from service.mail.outgoing.pictures.packing import packed
from service.mail.outgoing.pictures.shapes import Beyond, Place, Text, leaves

LARGEST = 60_000  # bytes
ONE_TO_ONE = Place(1, 0, 0)


def drawing_of(*inside: str, **attributes: str) -> str:
    written = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 250"{written}>\n'
        + "\n".join(['<rect width="500" height="250" fill="#ffffff"/>', *inside])
        + "\n</svg>"
    )


def text(words: str, **attributes: str) -> str:
    attributes = {"font_size": "40"} | attributes
    written = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f'<text x="100" y="120"{written}>{words}</text>'


def image_of(picture: Picture) -> Image.Image:
    return Image.open(io.BytesIO(picture.png)).convert("RGB")


def looks(*inside: str, **attributes: str) -> Image.Image:
    return image_of(picture_of(drawing_of(*inside, **attributes)))


def difference(one: Image.Image, other: Image.Image) -> float:
    """How far apart two images are on average, of 255."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


@cache
def played(key: str, seats: int, seed: str) -> tuple[Line, ...]:
    return simulate(game_by_key(key), seats, {}, seed_from_text(seed), "greedy").lines


def boards(game: AnyGame, seed: str, language: str = "en") -> Iterator[str]:
    """Early, in the middle, late and at the end, for spectators and for somebody who plays."""
    for seats in game.meta.seats:
        names = seat_names(seats)
        lines = played(game.meta.key, seats, seed)
        for end in (8, len(lines) // 2, len(lines) - 9, len(lines) - 1):
            events = [event for line in lines[end - 8 : end + 1] for event in line.events]
            for seat in (None, end % seats):
                view = seat_view(game, lines[end].state, seat, names)
                yield game.board_svg(view, names, events, language)


def test_a_drawing_becomes_a_png() -> None:
    picture = picture_of(drawing_of(text("Anna")))
    assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
    assert (picture.width, picture.height) == image_of(picture).size == (1000, 500)
    assert re.fullmatch("[0-9a-f]{64}", picture.digest)


def test_the_same_drawing_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = picture_of(drawing_of(text("once")))
    monkeypatch.setattr(service.mail.outgoing.pictures, "_drawn", None)
    assert picture_of(drawing_of(text("once"))) is picture
    with pytest.raises(TypeError):
        picture_of(drawing_of(text("twice")))


def test_few_drawings_are_kept() -> None:
    for number in range(200):
        picture_of(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number + 1000} 9"/>')
    assert len(service.mail.outgoing.pictures._pictures) <= 128


def test_what_differs_only_in_what_is_not_seen_is_the_same_picture() -> None:
    plain = picture_of(drawing_of(text("Anna")))
    told = picture_of(drawing_of("<title>Ben's</title>", text("Anna", data_name="Ben")))
    assert plain.digest == told.digest
    assert plain.digest != picture_of(drawing_of(text("Ben"))).digest


def test_text_is_really_drawn() -> None:
    assert difference(looks(text("Anna")), looks(text(""))) > 1
    assert difference(looks(text("Anna")), looks(text("Žofie"))) > 1


def test_bold_text_is_drawn_with_the_bold_font() -> None:
    bold, light = looks(text("Anna", font_weight="bold")), looks(text("Anna"))
    assert bold.convert("L").histogram()[0] > light.convert("L").histogram()[0] * 1.3


@pytest.mark.parametrize(("anchor", "left", "right"), [("start", 199, 800), ("end", 0, 201)])
def test_text_lies_where_it_is_anchored(anchor: str, left: int, right: int) -> None:
    dark = ImageChops.invert(looks(text("Anna", text_anchor=anchor)).convert("L")).getbbox()
    assert dark
    assert left <= dark[0] < dark[2] <= right
    assert dark[1] > 150
    assert dark[3] <= 242


def test_a_letter_that_our_fonts_do_not_have_is_no_empty_box() -> None:
    assert difference(looks(text("\U00012345")), looks(text("?"))) == 0
    assert difference(looks(text("字")), looks(text("?"))) == 0
    for char in "Žß…ñ¿→Ωж":
        assert difference(looks(text(char)), looks(text("?"))) > 0


def test_the_fonts_are_ours_and_come_with_their_licence() -> None:
    here = Path(service.mail.outgoing.pictures.__file__).parent
    for font in (lettering.REGULAR, lettering.BOLD):
        assert Path(font).is_relative_to(here)
        assert Path(font).is_file()
    assert "Permission is hereby granted" in (here / "fonts" / "LICENSE").read_text()


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token"):
        picture_of("no drawing")


SHAPES = [
    '<path d="M50 50L200 60l-20 90H60V70z" fill="#d55e00" stroke="#000000" stroke-width="6"/>',
    '<path d="M60 60q40-60 80 0t80 0t80 0" fill="none" stroke="#0072b2" stroke-width="5"/>',
    '<path d="M100 100c0-90 200-90 200 0s200 90 100 100" fill="#f0e442"/>',
    '<path d="M100 100a60 60 0 1 0 120 0a60 60 0 1 0-120 0Z" fill="#cc79a7"/>',
    '<path d="M10 10h30v30m50 50 30 0 0 30" fill="none" stroke="#000000"/>',
    '<rect x="40" y="30" width="200" height="90" rx="12" fill="#b5d7ee" stroke="#12303c"/>',
    '<circle cx="250" cy="120" r="70" fill="#f8cfb2"/>',
    '<g transform="translate(300 120)scale(3)" stroke="#12303c"><path d="M-9 9L0-9L9 9Z"/></g>',
    '<g transform="translate(480 200)">\n<rect width="90" height="90" fill="#0072b2"/>\n</g>',
    '<g transform="translate(31 41)scale(1.5)"><rect width="40" height="30" fill="#0072b2"/></g>',
    '<g transform="translate(30 40)"><circle r="20"/></g><g><circle cx="90" cy="50" r="9"/></g>',
]


@pytest.mark.parametrize(("width", "apart"), [(1000, 0.1), (750, 0.2)])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_look_as_the_renderer_draws_them(shape: str, width: int, apart: float) -> None:
    svg = drawing_of(shape)
    drawn = drawing.composed(svg, width)
    whole = drawing.rendered(svg, width)
    assert drawn.size == whole.size
    assert difference(drawn, drawing.rendered(drawing_of(), width)) > 0.1
    assert difference(drawn, whole) < apart


def test_what_is_only_moved_is_not_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def site(x: int, y: int) -> Image.Image:
        shown = SHAPES[0] + text("Anna", text_anchor="middle", font_size="13")
        return looks(f'<g transform="translate({x} {y})">{shown}</g>')

    here = site(10, 20)
    monkeypatch.setattr(drawing, "_drawn", None)
    assert difference(site(31, 43), ImageChops.offset(here, 2 * 21, 2 * 23)) == 0


def test_an_image_is_packed_as_it_is() -> None:
    image = Image.new("P", (5, 3))
    image.putpalette(range(3 * 15))
    image.frombytes(bytes(range(15)))
    seen = Image.open(io.BytesIO(packed(image)))
    assert seen.size == image.size
    assert seen.tobytes() == image.tobytes()
    assert seen.getpalette() == image.getpalette()


@pytest.mark.parametrize(
    "inside",
    [
        '<ellipse cx="250" cy="120" rx="70" ry="20" fill="#f8cfb2"/>',
        '<g opacity="0.5"><rect width="90" height="90" fill="#0072b2"/></g>',
        '<g transform="rotate(9)"><rect width="90" height="90" fill="#0072b2"/></g>',
        '<g transform="scale(2 1)"><rect width="90" height="90" fill="#0072b2"/></g>',
        '<rect style="fill:#0072b2" width="90" height="90"/>',
        '<text x="9" y="90">A<tspan font-weight="bold">nna</tspan></text>',
        '<text x="9" y="90" fill="red">Anna</text>',
        '<path d="M0 0L90" fill="#0072b2"/>',
        '<rect x="10%" width="90" height="90"/>',
        "<g><rect\nwidth='90' height='90'/></g>",
    ],
)
def test_what_goes_beyond_plain_shapes_is_left_to_the_renderer(inside: str) -> None:
    svg = drawing_of(inside)
    with pytest.raises(Beyond):
        drawing.composed(svg, 1000)
    assert difference(image_of(picture_of(svg)), drawing.rendered(svg, 1000)) < 0.5


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_a_board_put_together_looks_as_the_renderer_draws_it(game: AnyGame) -> None:
    for svg in list(boards(game, "same"))[1::5]:
        silent = re.sub("<text.*?</text>", "", svg)
        assert difference(drawing.composed(silent, 1000), drawing.rendered(silent, 1000)) < 1.5
        # Letters are fitted to pixels, which moves them a little.
        assert difference(drawing.composed(svg, 1000), drawing.rendered(svg, 1000)) < 6


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_boards_are_small_enough_for_a_mail_and_full_of_text(game: AnyGame) -> None:
    seed = f"{random.random()}"
    for language in LANGUAGES:
        for svg in boards(game, seed, language):
            assert len(picture_of(svg).png) < LARGEST, (seed, language)
        silent = re.sub("<text.*?</text>", "", svg)
        assert len(picture_of(silent).png) < len(picture_of(svg).png) * 0.8


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_a_board_is_the_same_picture_whatever_was_drawn_before(game: AnyGame) -> None:
    svgs = list(boards(game, "before"))
    first = [picture_of(svg).digest for svg in svgs]
    service.mail.outgoing.pictures._pictures.clear()
    drawing._kept_on.cache_clear()
    drawing._rendered_shapes.cache_clear()
    assert [picture_of(svg).digest for svg in reversed(svgs)] == first[::-1]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_a_game_goes_on_without_rendering_anew(
    game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    svgs = list(boards(game, "warm"))
    for svg in svgs:
        picture_of(svg)
    monkeypatch.setattr(drawing, "resvg_py", None)
    service.mail.outgoing.pictures._pictures.clear()
    for svg in svgs:
        picture_of(svg.replace("Anna", "Rosa"))


def _size(svg: str) -> tuple[float, float]:
    found = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    assert found
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_no_text_runs_into_another_or_out_of_the_picture(game: AnyGame, language: str) -> None:
    for svg in boards(game, "room", language):
        width, height = _size(svg)
        boxes = []
        for line in leaves(svg.split(">", 1)[1].removesuffix("</svg>"), ONE_TO_ONE, _style(svg)):
            sprite = lettering.lettered(line) if isinstance(line, Text) else None
            if sprite:
                boxes.append((line, sprite))
                assert 0 <= sprite.x < sprite.right <= width, line
                assert 0 <= sprite.y < sprite.bottom <= height, line
        for (one, here), (other, there) in combinations(boxes, 2):
            apart = (
                here.right <= there.x
                or there.right <= here.x
                or here.bottom <= there.y
                or there.bottom <= here.y
            )
            assert apart, (one, other)


def _style(svg: str) -> tuple[tuple[str, str], ...]:
    found = re.findall(r'((?:font|text)-[a-z]+|fill)="([^"]*)"', svg.split(">", 1)[0])
    return tuple((key, value) for key, value in found)
