"""Drawings become PNGs that are small enough for a mail and really carry their text."""

import io
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import floor
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

import pytest
from PIL import Image, ImageChops, ImageFont, ImageStat

from engine.chance import seed_from_text
from engine.contract import GameType
from engine.decisions import seat_names, seat_view
from engine.languages import LANGUAGES
from engine.play import Line
from engine.policies import simulate
from engine.registry import GAME_TYPES, game_type_by_key
from service.mail.outgoing import board_png
from service.mail.outgoing.board_png import BOLD, FONTS, REGULAR, Picture, picture_of

LARGEST = 60_000  # bytes


def drawing_of(*inside: str, **attributes: str) -> str:
    written = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 250"{written}>'
        + "".join(['<rect width="500" height="250" fill="#ffffff"/>', *inside])
        + "</svg>"
    )


def text(words: str, **attributes: str) -> str:
    attributes = {"font_size": "40", "font_family": "DejaVu Sans"} | attributes
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
    return simulate(game_type_by_key(key), seats, {}, seed_from_text(seed), "greedy").lines


def boards(game: GameType, seed: str, language: str = "en") -> Iterator[str]:
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


@pytest.mark.parametrize("width", [30, 1001, 1180])
def test_a_picture_is_as_wide_whatever_the_drawing_measures(width: int) -> None:
    picture = picture_of(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width}"/>')
    assert image_of(picture).size == (1000, 1000)


def test_the_background_is_white() -> None:
    empty = image_of(picture_of('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'))
    assert empty.getextrema() == ((255, 255),) * 3


def test_the_same_drawing_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = picture_of(drawing_of(text("once")))
    monkeypatch.setattr(board_png, "_rendered", None)
    assert picture_of(drawing_of(text("once"))) is picture
    with pytest.raises(TypeError):
        picture_of(drawing_of(text("twice")))


def test_few_drawings_are_kept() -> None:
    for number in range(200):
        picture_of(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number + 1000} 9"/>')
    assert len(picture_of.cache or ()) == 128


def test_what_differs_only_in_what_is_not_seen_is_the_same_picture() -> None:
    plain = picture_of(drawing_of(text("Anna")))
    told = picture_of(drawing_of("<title>Ben's</title>", text("Anna", data_name="Ben")))
    assert plain.digest == told.digest
    assert plain.digest != picture_of(drawing_of(text("Ben"))).digest


def test_text_is_really_drawn() -> None:
    assert difference(looks(text("Anna")), looks(text(""))) > 1
    assert difference(looks(text("Anna")), looks(text("Žofie"))) > 1


def test_bold_text_is_drawn_with_the_bold_font() -> None:
    bold, light = (
        ImageStat.Stat(ImageChops.invert(looks(text("Anna", font_weight=weight)).convert("L")))
        for weight in ("bold", "normal")
    )
    assert bold.sum[0] > light.sum[0] * 1.3


@pytest.mark.parametrize(("anchor", "left", "right"), [("start", 199, 800), ("end", 0, 201)])
def test_text_lies_where_it_is_anchored(anchor: str, left: int, right: int) -> None:
    dark = ImageChops.invert(looks(text("Anna", text_anchor=anchor)).convert("L")).getbbox()
    assert dark
    assert left <= dark[0] < dark[2] <= right
    assert dark[1] > 150
    assert dark[3] <= 242


@pytest.mark.parametrize("family", ["DejaVu Sans, Verdana, sans-serif", "Nowhere", ""])
@pytest.mark.parametrize(("weight", "font"), [("normal", REGULAR), ("bold", BOLD)])
def test_text_is_drawn_in_our_fonts(family: str, weight: str, font: str) -> None:
    """As wide and as high as the outlines of the font files."""
    drawn = looks(text("Žofie Жюльß", font_weight=weight, font_family=family)).convert("L")
    left, top, right, bottom = ImageChops.invert(drawn).getbbox() or (0, 0, 0, 0)
    box = ImageFont.truetype(font, 80, layout_engine=ImageFont.Layout.BASIC).getbbox(
        "Žofie Жюльß", anchor="ls"
    )
    assert (left - 200, top - 240, right - 200, bottom - 240) == pytest.approx(box, abs=6)


def test_a_missing_glyph_is_not_drawn_as_a_box() -> None:
    assert difference(looks(text("\U00012345")), looks(text("?"))) == 0
    assert difference(looks(text("字")), looks(text("?"))) == 0
    for char in "Žß…ñ¿→Ωж":
        assert difference(looks(text(char)), looks(text("?"))) > 0


def test_the_fonts_come_with_their_licence() -> None:
    assert "Permission is hereby granted" in (FONTS / "LICENSE").read_text()


@pytest.mark.parametrize("svg", ["no drawing", "", "<svg", "<svg><g></svg>", "<html></html>"])
def test_an_invalid_drawing_is_refused(svg: str) -> None:
    with pytest.raises(OSError, match=r"cannot identify|no intrinsic size"):
        picture_of(svg)


@pytest.mark.parametrize(
    ("inside", "seen", "colour"),
    [
        ('<path d="M50 50L200 60l-20 90H60V70z" fill="#d55e00"/>', (100, 100), (213, 94, 0)),
        ('<path d="M100 100a60 60 0 1 0 120 0Z" fill="#cc79a7"/>', (160, 120), (204, 121, 167)),
        ('<rect width="90" height="90" fill="#0072b2"/>', (50, 50), (0, 114, 178)),
        ('<rect width="90" height="90" fill="red"/>', (50, 50), (255, 0, 0)),
        ('<rect style="fill:#0072b2" width="50%" height="90"/>', (200, 50), (0, 114, 178)),
        (
            '<ellipse cx="250" cy="120" rx="70" ry="20" fill="#f8cfb2"/>',
            (250, 120),
            (248, 207, 178),
        ),
        ('<g opacity="0.5"><rect width="90" height="90" fill="#000"/></g>', (50, 50), (127,) * 3),
        ('<g transform="rotate(45)"><rect width="90" height="90"/></g>', (0, 60), (0,) * 3),
        ('<defs><circle id="c" r="40"/></defs><use href="#c" x="99" y="99"/>', (99, 99), (0,) * 3),
        ("<g>\n<rect\nwidth='90' height='90'/>\n</g>", (50, 50), (0,) * 3),
    ],
)
def test_any_drawing_is_drawn_in_its_colours(
    inside: str, seen: tuple[int, int], colour: tuple[int, int, int]
) -> None:
    image = looks(inside)
    assert image.getpixel((2 * seen[0], 2 * seen[1])) == pytest.approx(colour, abs=2)
    assert image.getpixel((990, 490)) == (255, 255, 255)


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_no_area_of_a_board_changes_its_colour(game: GameType) -> None:
    """A colour that covers little, such as that of a small symbol, stays as well."""
    for svg in list(boards(game, "colours"))[1::5]:
        named = {tuple(bytes.fromhex(code)) for code in re.findall('"#([0-9a-f]{6})"', svg)}
        images = board_png._rendered(svg), image_of(picture_of(svg))
        pairs = set(zip(*(image.get_flattened_data() for image in images)))
        areas = [(true, drawn) for true, drawn in pairs if true in named]
        assert len(areas) > 20
        for true, drawn in areas:
            assert drawn == pytest.approx(true, abs=8)


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_boards_are_small_enough_for_a_mail_and_full_of_text(game: GameType) -> None:
    seed = f"{random.random()}"
    for language in LANGUAGES:
        for svg in boards(game, seed, language):
            assert len(picture_of(svg).png) < LARGEST, (seed, language)
        silent = re.sub("<text.*?</text>", "", svg)
        assert len(picture_of(silent).png) < len(picture_of(svg).png) * 0.8


# Room for text

SVG = "{http://www.w3.org/2000/svg}"
PLACED = re.compile(r"translate\((\S+) (\S+?)\)(?:scale\((\S+?)\))?")
HANDED_ON = ("font-size", "font-weight", "text-anchor")


class Place(NamedTuple):
    """Where the origin of an element lies, and how large its units are."""

    x: float = 0
    y: float = 0
    scale: float = 1

    def inside(self, transform: str | None) -> "Place":
        if transform is None:
            return self
        placed = PLACED.fullmatch(transform)
        assert placed, transform
        x, y, scale = (float(number or 1) for number in placed.groups())
        return Place(self.x + self.scale * x, self.y + self.scale * y, self.scale * scale)


class Ink(NamedTuple):
    """The pixels that a line of text covers."""

    words: str
    left: int
    top: int
    right: int
    bottom: int


def lines_of_text(element: Element, place: Place, style: dict[str, str]) -> Iterator[Ink]:
    place = place.inside(element.get("transform"))
    style = style | {key: element.attrib[key] for key in HANDED_ON if key in element.attrib}
    if element.tag == f"{SVG}text" and element.text:
        yield _ink(element, place, style)
    for child in element:
        yield from lines_of_text(child, place, style)


def _ink(element: Element, place: Place, style: dict[str, str]) -> Ink:
    x = floor(place.x + place.scale * float(element.attrib["x"]) + 0.5)
    y = floor(place.y + place.scale * float(element.attrib["y"]) + 0.5)
    font = _font(style["font-weight"] == "bold", place.scale * float(style["font-size"]))
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[style["text-anchor"]]
    words = str(element.text)
    left, top, right, bottom = map(round, font.getbbox(words, anchor=anchor))
    return Ink(words, x + left, y + top, x + right, y + bottom)


@cache
def _font(bold: bool, size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(BOLD if bold else REGULAR, size, layout_engine=ImageFont.Layout.BASIC)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_no_text_runs_into_another_or_out_of_the_picture(game: GameType, language: str) -> None:
    for svg in boards(game, "room", language):
        root = fromstring(svg)  # noqa: S314
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        lines = list(lines_of_text(root, Place(), {}))
        assert len(lines) > 50
        for line in lines:
            assert 0 <= line.left < line.right <= width, line
            assert 0 <= line.top < line.bottom <= height, line
        for one, other in combinations(lines, 2):
            apart = (
                one.right <= other.left
                or other.right <= one.left
                or one.bottom <= other.top
                or other.bottom <= one.top
            )
            assert apart, (one, other)
