"""What a drawing is made of: its shapes and lines of text, each with its place and its look.

This reads the plain part of SVG that board drawings are written in. Whatever goes beyond it is
`Beyond` us, and the caller lets the renderer draw the whole picture in its own, slower way.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import ceil, floor
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.sax.saxutils import quoteattr

Box = tuple[float, float, float, float]  # left, top, right, bottom
Style = tuple[tuple[str, str], ...]  # attributes
Anchor = Literal["ls", "ms", "rs"]  # left, middle or right end of the base line

# Attributes that a group hands on to what is in it.
INHERITED = frozenset(
    [
        *("fill", "fill-opacity", "fill-rule", "shape-rendering"),
        *("stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin"),
        *("stroke-miterlimit", "stroke-opacity", "stroke-width"),
        *("font-family", "font-size", "font-weight", "text-anchor", "text-rendering"),
    ]
)
_GEOMETRY: Mapping[str, frozenset[str]] = {
    "path": frozenset({"d"}),
    "rect": frozenset({"x", "y", "width", "height", "rx", "ry"}),
    "circle": frozenset({"cx", "cy", "r"}),
    "text": frozenset({"x", "y"}),
}
_SILENT = frozenset({"title", "desc"})
_MEANINGLESS = frozenset({"role"})
_FONT_SIZE = 16.0  # what SVG says if nobody does
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_ANCHORS: Mapping[str, Anchor] = {"start": "ls", "middle": "ms", "end": "rs"}


class Beyond(Exception):
    """This drawing uses more of SVG than is read here."""


class Place(NamedTuple):
    """Where something is drawn: enlarged, then moved; in pixels."""

    scale: float
    x: float
    y: float

    def within(self, moved: tuple[float, float], scale: float) -> "Place":
        x, y = moved
        return Place(self.scale * scale, self.x + x * self.scale, self.y + y * self.scale)


class Shape(NamedTuple):
    """Something that the renderer draws, and the pixels it lies within, at the most."""

    markup: str
    place: Place
    box: tuple[int, int, int, int]


class Text(NamedTuple):
    """A line of text; `x` and `y` are where it is anchored."""

    words: str
    x: float
    y: float
    size: float
    bold: bool
    fill: str
    anchor: Anchor


def leaves(markup: str, place: Place, style: Style) -> list[Shape | Text]:
    """What these elements draw, from back to front; raises Beyond."""
    try:
        root = fromstring(f"<g>{markup}</g>")  # noqa: S314 - inside an element stands no doctype
        found: list[Shape | Text] = []
        _collect(root, place, style, found)
    except (ParseError, ValueError, KeyError) as problem:
        raise Beyond(str(problem)) from problem
    return found


def _collect(element: Element, place: Place, style: Style, found: list[Shape | Text]) -> None:
    tag = element.tag
    if tag in _SILENT:
        return
    geometry, style, transform = _read(tag, tuple(element.attrib.items()), style)
    if transform:
        place = _moved(place, transform)
    if tag == "g":
        for child in element:
            _collect(child, place, style, found)
    elif tag == "text":
        if len(element):
            raise Beyond("text with parts")
        found.append(_text(element.text or "", dict(geometry), place, dict(style)))
    else:
        found.append(_shape(tag, geometry, place, style))


@lru_cache(maxsize=8192)
def _read(tag: str, attributes: Style, style: Style) -> tuple[Style, Style, str]:
    """What the attributes of an element say: its geometry, its own style, where it is moved."""
    if tag != "g" and tag not in _GEOMETRY:
        raise Beyond(tag)
    geometry, own, transform = {}, dict(style), ""
    for key, value in attributes:
        if key in INHERITED:
            own[key] = value
        elif key == "transform":
            transform = value
        elif key in _GEOMETRY.get(tag, ()):
            geometry[key] = value
        elif key not in _MEANINGLESS and not key.startswith(("data-", "aria-")):
            raise Beyond(f"attribute {key} of {tag}")
    return tuple(geometry.items()), tuple(own.items()), transform


_MOVES = re.compile(r"(translate|scale)\(\s*([-+.\de]+)(?:[\s,]+([-+.\de]+))?\s*\)\s*")


@lru_cache(maxsize=4096)
def _moved(place: Place, transform: str) -> Place:
    end = 0
    for move in _MOVES.finditer(transform):
        if move.start() != end:
            break
        end = move.end()
        first, second = float(move[2]), move[3]
        if move[1] == "translate":
            place = place.within((first, float(second or 0)), 1)
        elif second is None:
            place = place.within((0, 0), first)
        else:
            raise Beyond(transform)
    if end != len(transform):
        raise Beyond(transform)
    return place


def _text(words: str, geometry: Mapping[str, str], place: Place, style: Mapping[str, str]) -> Text:
    weight, fill = style.get("font-weight", "normal"), style.get("fill", "#000000")
    if not _COLOUR.fullmatch(fill) or style.get("stroke", "none") != "none":
        raise Beyond("text that is not simply of one colour")
    return Text(
        " ".join(words.split()),
        place.x + float(geometry.get("x", 0)) * place.scale,
        place.y + float(geometry.get("y", 0)) * place.scale,
        float(style.get("font-size", _FONT_SIZE)) * place.scale,
        weight == "bold" or (weight.isdigit() and int(weight) >= 600),
        fill,
        _ANCHORS[style.get("text-anchor", "start")],
    )


def _shape(tag: str, geometry: Style, place: Place, style: Style) -> Shape:
    markup, (left, top, right, bottom) = _written(tag, geometry, style)
    scale, x, y = place
    return Shape(
        markup,
        place,
        (
            floor(x + left * scale) - 1,
            floor(y + top * scale) - 1,
            ceil(x + right * scale) + 1,
            ceil(y + bottom * scale) + 1,
        ),
    )


@lru_cache(maxsize=4096)
def _written(tag: str, geometry: Style, style: Style) -> tuple[str, Box]:
    """The shape as an element of its own, and where it is."""
    looks = {key: value for key, value in style if not key.startswith(("font", "text"))}
    left, top, right, bottom = _extent(tag, dict(geometry))
    edge = 0.0
    if looks.get("stroke", "none") != "none":
        # The corner of a sharp angle reaches farther than the width of the line.
        reach = 0.5 if looks.get("stroke-linejoin") == "round" else 2
        edge = float(looks.get("stroke-width", 1)) * reach
    written = "".join(f" {key}={quoteattr(value)}" for key, value in (*looks.items(), *geometry))
    return f"<{tag}{written}/>", (left - edge, top - edge, right + edge, bottom + edge)


def _extent(tag: str, geometry: Mapping[str, str]) -> Box:
    if tag == "path":
        return _path_extent(geometry.get("d", ""))
    number = {key: float(value) for key, value in geometry.items()}
    if tag == "rect":
        x, y = number.get("x", 0.0), number.get("y", 0.0)
        return x, y, x + number["width"], y + number["height"]
    x, y, radius = number.get("cx", 0.0), number.get("cy", 0.0), number["r"]
    return x - radius, y - radius, x + radius, y + radius


_TOKENS = re.compile(r"([A-Za-z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([^\s,])")
# How many numbers follow a command of a path.
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


def _path_extent(d: str) -> Box:
    """A box around the path and the control points of its curves: never too small."""
    x = y = 0.0
    first = bend = (0.0, 0.0)
    across: list[float] = []
    down: list[float] = []
    for command, numbers in _commands(d):
        kind = command.upper()
        base_x, base_y = (x, y) if command.islower() else (0.0, 0.0)
        points: list[tuple[float, float]] = []
        if kind == "Z":
            points = [first]
        elif kind == "H":
            points = [(base_x + numbers[0], y)]
        elif kind == "V":
            points = [(x, base_y + numbers[0])]
        elif kind == "A":
            reach = 2 * max(abs(numbers[0]), abs(numbers[1]))
            end = (base_x + numbers[5], base_y + numbers[6])
            points = [(x - reach, y - reach), (x + reach, y + reach), end]
        else:
            pairs = zip(numbers[::2], numbers[1::2])
            points = [(base_x + right, base_y + lower) for right, lower in pairs]
            if kind in "TS":  # the first control point mirrors the one before
                points.insert(0, (2 * x - bend[0], 2 * y - bend[1]))
        x, y = points[-1]
        bend = points[-2] if kind in "QTCS" else (x, y)
        if kind == "M":
            first = (x, y)
        across += [point[0] for point in points]
        down += [point[1] for point in points]
    if not across:
        raise Beyond("an empty path")
    return min(across), min(down), max(across), max(down)


def _commands(d: str) -> Iterator[tuple[str, list[float]]]:
    """The commands one by one; several with one letter are taken apart."""
    command = ""
    numbers: list[float] = []
    for letter, number, other in _TOKENS.findall(d):
        if other or (letter and (numbers or letter.upper() not in _NUMBERS)):
            raise Beyond(f"path {d}")
        if letter:
            command = letter
        elif command:
            numbers.append(float(number))
        if command and len(numbers) == _NUMBERS[command.upper()]:
            yield command, numbers
            numbers = []
            # More pairs after a move are lines; after `Z` no number may follow.
            command = {"M": "L", "m": "l", "Z": "", "z": ""}.get(command, command)
    if numbers:
        raise Beyond(f"path {d}")
