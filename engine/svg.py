"""Parts of the drawings of all game types: colours, text, panels, symbols, and the ring
of a change.

Only presentation attributes are used and nothing has an id, so that the picture may stand in any
page. The `data-` attributes tell programs what is what: `data-spot` is what a person can touch
(`engine.contract.Stop`) with its outline as the first shape inside, `data-topic` what there is a
rule for (`engine.contract.Topic`).
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from math import floor
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

INK = "#12303c"
SOFT_INK = "#3f5b66"
WHITE = "#ffffff"
MIST = "#d6e6e7"
PANEL = "#f7faf8"
EDGE = "#a9c3c7"
LAGOON = "#0d4454"
WATER = "#2b7286"
SHALLOWS = "#cfe5ea"
GOLD = "#f0b400"

TITLE = 24  # height of a panel's title line
TITLE_SIZE = 15
SMALLEST = 8  # letters that can still be read
LIGHT = 0.9  # how wide light letters are beside bold ones


class SeatStyle(NamedTuple):
    """Style of a seat: colour and shape both distinguish it, for colour-blind players."""

    colour: str
    tint: str
    shape: str  # a path around the origin


class Box(NamedTuple):
    """A part of the picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def inset(self, by: float) -> "Box":
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)


@lru_cache(maxsize=8192)
def figure(value: float) -> str:
    """A number as short as a hundredth allows."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(tag: str, *content: str, **attributes: object) -> str:
    """An element; `_` in the name of an attribute stands for `-`."""
    written = _written(tuple(attributes.items()))
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


@lru_cache(maxsize=8192)
def _written(attributes: tuple[tuple[str, object], ...]) -> str:
    """The attributes of an element, most of which are the same on every board."""
    return "".join(
        f' {key.replace("_", "-")}="{_value(value)}"'
        for key, value in attributes
        if value is not None
    )


def _value(value: object) -> str:
    """A value as it is written in an attribute. Names of people only stand in text."""
    return figure(value) if isinstance(value, float) else str(value)


def group(content: Iterable[str], **attributes: object) -> str:
    return element("g", *content, **attributes)


def reach(area: Box) -> str:
    """Invisible outline of a touchable area that nothing else draws."""
    x, y, width, height = map(figure, area)
    return element("path", d=f"M{x} {y}h{width}v{height}h-{width}Z", fill="none")


def titled(title: str) -> str:
    """Tooltip of an element."""
    return element("title", escape(title))


def at(x: float, y: float, size: float = 1) -> str:
    """The transformation that draws something around this point."""
    scale = "" if size == 1 else f"scale({figure(size)})"
    return f"translate({figure(x)} {figure(y)}){scale}"


# What a text is unless it says otherwise, told once for the whole picture.
FONT = {
    "font_family": "DejaVu Sans, Verdana, sans-serif",
    "font_size": 12,
    "font_weight": "bold",
    "text_anchor": "middle",
    "fill": INK,
}


def text(
    x: float,
    y: float,
    words: str,
    size: float = 12,
    *,
    fill: str = INK,
    anchor: str = "middle",
    light: bool = False,
    room: float | None = None,
) -> str:
    """One line of text, whose start, middle or end is here; smaller where room is scarce."""
    wide = wide_as(words, size) * (LIGHT if light else 1) if room else 0
    if room is not None and wide > room:
        size = max(SMALLEST, floor(2 * size * room / wide) / 2)
    return element(
        "text",
        escape(words),
        x=float(x),
        y=float(y),
        font_size=None if size == FONT["font_size"] else size,
        fill=None if fill == INK else fill,
        text_anchor=None if anchor == FONT["text_anchor"] else anchor,
        font_weight="normal" if light else None,
    )


def box(area: Box, fill: str, *, stroke: str | None = None, radius: float | None = None) -> str:
    """A filled box. Its line, if it has one, lies inside, where it fills whole pixels."""
    x, y, width, height = area.inset(0.5) if stroke else area
    return element(
        "rect",
        x=float(x),
        y=float(y),
        width=float(width),
        height=float(height),
        rx=radius,
        fill=fill,
        stroke=stroke,
    )


def path(d: str, **attributes: object) -> str:
    return element("path", d=d, **attributes)


def box_path(area: Box) -> str:
    """The outline of a box, whose line lies inside as that of `box` does."""
    x, y, width, height = (figure(value) for value in area.inset(0.5))
    return f"M{x} {y}h{width}v{height}h-{width}Z"


def round_path(x: float, y: float, radius: float) -> str:
    left, mid, r = figure(x - radius), figure(y), figure(radius)
    twice = figure(2 * radius)
    return f"M{left} {mid}a{r} {r} 0 1 0 {twice} 0a{r} {r} 0 1 0-{twice} 0Z"


def panel(area: Box, title: str, room: float | None = None) -> Iterator[str]:
    yield box(area, PANEL, stroke=EDGE, radius=8)
    yield text(area.x + 12, area.y + 18, title, TITLE_SIZE, anchor="start", room=room)


def title_end(area: Box, title: str) -> float:
    """Where the line goes on after the title of a panel."""
    return round(area.x + 21 + wide_as(title, TITLE_SIZE))


def beside_title(area: Box, title: str, words: str) -> str:
    """Small print at the end of a panel's title line."""
    room = area.right - 12 - title_end(area, title)
    return text(area.right - 12, area.y + 17, words, anchor="end", light=True, room=room)


# The strokes of a symbol from back to front: a path and its fill; an empty fill is a line.
Strokes = tuple[tuple[str, str], ...]

STAR: Strokes = (("M0-11L3-4L11-4L5 1L7 9L0 5L-7 9L-5 1L-11-4L-3-4Z", GOLD),)

# How the lines of symbols end and meet.
ROUNDED = {"stroke_linejoin": "round", "stroke_linecap": "round"}


@lru_cache(maxsize=4096)
def drawing(strokes: Strokes, x: float, y: float, size: float) -> str:
    """A drawing with its middle here, this wide and high."""
    scale = size / 24
    return group(
        (path(d, fill=fill or "none") for d, fill in strokes),
        transform=at(x, y, scale),
        stroke=INK,
        stroke_width=1.1 / scale,
        **ROUNDED,
    )


def ring(outline: str, what: str, x: float = 0, y: float = 0) -> str:
    """Mark of a change: a ring around an outline, from this point."""
    around = {"d": outline, "fill": "none", "stroke_linejoin": "round"}
    return group(
        [
            element("path", **around, stroke=INK, stroke_width=5.5),
            element("path", **around, stroke=GOLD, stroke_width=3.0),
        ],
        transform=at(x, y) if x or y else None,
        data_changed=what,
    )


def short_name(name: str, room: float) -> str:
    """A name that fits into this many ems, without characters that cannot be printed."""
    printable = "".join(char for char in name if char.isprintable()).strip()
    kept = ""
    for char in printable:
        room -= _ems(char)
        if room < 0:
            return kept.rstrip() + "…"
        kept += char
    return kept


def wide_as(words: str, size: float) -> float:
    """About how wide the text is in bold letters."""
    return size * sum(map(_ems, words))


@cache
def _ems(char: str) -> float:
    if char in "mwMW@%…" or east_asian_width(char) in "WF":
        return 1.1
    if char in "ijlI.,:;'|! ":
        return 0.36
    if char in "frt()-":
        return 0.48
    return 0.8 if char.isupper() else 0.7
