"""Drawings as images, put together from parts that were drawn before.

A board differs from the last one in a few places, and its symbols are always the same. Hence
every line of the document (a drawing has as little on a line as changes together) is kept once it
is drawn, and so is every symbol in it, wherever they lie.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from typing import NamedTuple

import resvg_py
from PIL import Image

from service.mail.outgoing.pictures.colours import softened
from service.mail.outgoing.pictures.lettering import BOLD, FAMILY, REGULAR, lettered
from service.mail.outgoing.pictures.shapes import (
    INHERITED,
    Beyond,
    Place,
    Shape,
    Style,
    Text,
    leaves,
)
from service.mail.outgoing.pictures.sprites import Kept, Sprite, merged

# What nobody sees, though it differs between drawings that look alike.
_TITLES = re.compile("<title>[^<]*</title>|<desc>[^<]*</desc>")
_DATA = re.compile(r' data-[a-z-]+="[^"]*"')
_ROOT = re.compile(r"\s*<svg\b([^<>]*)>(.*)</svg>\s*", re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-zA-Z-]+)="([^"]*)"')
_BEGINNING = re.compile("<g(?: [^<>]*[^<>/])?>")
_GROUPS = re.compile("<(/?)g(?: [^<>]*[^<>/])?>")
_MOVED = re.compile(r'<g(?: transform="translate\((-?\d+) (-?\d+)\)([^"]*)")?>')
_PAPER = frozenset({"xmlns", "viewBox", "role", "width", "height"})


class Paper(NamedTuple):
    """What a drawing is drawn on: its size in pixels, and what holds for everything on it."""

    width: int
    height: int
    place: Place
    style: Style


class Part(NamedTuple):
    """Elements, and by how many pixels they are moved: a whole number, so that they look the
    same anywhere."""

    markup: str
    x: int
    y: int


class Run(NamedTuple):
    """Shapes that lie directly upon each other, and the pixels they are within."""

    shapes: tuple[str, ...]
    place: Place  # as seen from the corner of the run
    left: int
    top: int
    width: int
    height: int


@lru_cache(maxsize=8)
def _kept_on(paper: Paper) -> Kept:
    """What was drawn before on this kind of paper."""
    return Kept()


def rendered(svg: str, width: int) -> Image.Image:
    """The drawing by the renderer alone, which opens the fonts anew for every line of text;
    raises ValueError if it is no drawing."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=[REGULAR, BOLD],
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    return Image.open(BytesIO(png)).convert("RGB")


def composed(svg: str, width: int) -> Image.Image:
    """The drawing on white, this many pixels wide; raises Beyond."""
    paper, parts = _taken_apart(svg, width)
    canvas = Image.new("RGB", (paper.width, paper.height), "#ffffff")
    inner, kept, scale = canvas.im, _kept_on(paper), paper.place.scale
    for part in parts:
        markup, x, y = _unmoved(part, scale)
        sprite = kept.get(markup) or kept.keep(markup, _drawn(markup, paper))
        sprite.lay_on(inner, x, y)
    return canvas


def _taken_apart(svg: str, width: int) -> tuple[Paper, Iterator[str]]:
    """The paper and the elements right on it, without what is not seen."""
    found = _ROOT.fullmatch(_DATA.sub("", _TITLES.sub("", svg)))
    if found is None:
        raise Beyond("not one element")
    attributes = dict(_ATTRIBUTE.findall(found[1]))
    style = tuple((key, value) for key, value in attributes.items() if key not in _PAPER)
    if not INHERITED.issuperset(key for key, _ in style):
        raise Beyond(f"attributes {style}")
    try:
        left, top, across, down = map(float, attributes["viewBox"].split())
        scale = width / across
    except (KeyError, ValueError, ZeroDivisionError) as problem:
        raise Beyond("viewBox") from problem
    place = Place(scale, -left * scale, -top * scale)
    return Paper(width, round(down * scale), place, style), _parts(found[2])


def _parts(inside: str) -> Iterator[str]:
    """The lines, each with the groups around it that begin and end on lines of their own."""
    groups: list[str] = []
    around = ""
    for line in inside.split("\n"):
        if line == "</g>" and groups:
            groups.pop()
            around = "".join(groups)
        elif line.startswith("<g") and "</" not in line and _BEGINNING.fullmatch(line):
            groups.append(line)
            around += line
        elif line:
            yield around + line + "</g>" * len(groups)
    if groups:
        raise Beyond("a group does not end")


@lru_cache(maxsize=8192)
def _unmoved(part: str, scale: float) -> Part:
    """The part without how the groups around all of it move it by whole numbers."""
    markup, x, y = part, 0, 0
    while (group := _MOVED.match(markup)) and _is_one_group(markup):
        right, down = (int(number or 0) * scale for number in group.groups()[:2])
        if not right.is_integer() or not down.is_integer():
            break
        x, y = x + int(right), y + int(down)
        if enlarged := group[3]:
            markup = f'<g transform="{enlarged}">{markup[group.end() :]}'
            break
        markup = markup[group.end() : -len("</g>")]
    return Part(markup, x, y)


def _is_one_group(markup: str) -> bool:
    """Whether the group that it begins with is all of it."""
    depth = 0
    for tag in _GROUPS.finditer(markup):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end() == len(markup)
    return False


def _drawn(markup: str, paper: Paper) -> Sprite:
    pieces = _runs(leaves(markup, paper.place, paper.style))
    layers = [
        layer
        for piece in pieces
        if (layer := lettered(piece) if isinstance(piece, Text) else _rendered_run(piece))
    ]
    return merged(layers)


def _runs(pieces: Iterable[Shape | Text]) -> Iterator[Run | Text]:
    """Neighbouring shapes of one place together: they are a symbol, or something like it."""
    for place, some in groupby(pieces, _place_of):
        if place is None:
            yield from (piece for piece in some if isinstance(piece, Text))
            continue
        shapes = tuple(piece for piece in some if isinstance(piece, Shape))
        left, top = (min(shape.box[side] for shape in shapes) for side in (0, 1))
        right, bottom = (max(shape.box[side] for shape in shapes) for side in (2, 3))
        scale, x, y = place
        seen = Place(scale, round(x - left, 3), round(y - top, 3))
        drawn = tuple(shape.markup for shape in shapes)
        yield Run(drawn, seen, left, top, right - left, bottom - top)


def _place_of(piece: Shape | Text) -> Place | None:
    return piece.place if isinstance(piece, Shape) else None


def _rendered_run(run: Run) -> Sprite | None:
    sprite = _rendered_shapes(run.shapes, run.place, run.width, run.height)
    return sprite and sprite.moved(run.left, run.top)


@lru_cache(maxsize=4096)
def _rendered_shapes(
    shapes: tuple[str, ...], place: Place, width: int, height: int
) -> Sprite | None:
    png = resvg_py.svg_to_bytes(
        svg_string=f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<g transform="translate({place.x} {place.y})scale({place.scale})">{"".join(shapes)}</g>'
        "</svg>",
        skip_system_fonts=True,
    )
    image = Image.open(BytesIO(png)).convert("RGBA")
    image.putalpha(softened(image.getchannel("A")))
    seen = image.getchannel("A").getbbox()
    return Sprite.of(image.crop(seen), seen[0], seen[1]) if seen else None
