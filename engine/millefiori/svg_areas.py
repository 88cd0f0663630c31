"""The five areas of the board, each laid out so that what belongs together touches.

Of each there are two parts: the board as it is printed, and the spaces with what lies on them.
"""

from collections.abc import Iterator
from math import sqrt

from engine.millefiori.board import (
    COMMODITIES,
    EXTRA_CARD_SYMBOLS,
    FLEET_POINTS,
    LINES,
    PLACE,
    PLACES_BY_AREA,
    PYRAMID_POINTS,
    PYRAMIDS,
    RESIDENCES,
    SHIPS_PER_LINE,
    WORKSHOPS,
)
from engine.millefiori.cards import NUMBERS
from engine.millefiori.names import symbol_names
from engine.millefiori.space_sets import SPACE_SYMBOL
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import LIVERIES, piece
from engine.millefiori.svg_spaces import (
    BONUS_WORD,
    bonus_panel,
    bonus_word,
    bonuses,
    bonuses_start,
    paper,
    printed,
    space,
    space_ring,
)
from engine.millefiori.svg_symbols import extra_card, symbol
from engine.svg import (
    EDGE,
    INK,
    PANEL,
    SHALLOWS,
    SOFT_INK,
    TITLE,
    TITLE_SIZE,
    WHITE,
    Box,
    at,
    box,
    box_path,
    figure,
    group,
    path,
    ring,
    text,
    title_end,
    titled,
    wide_as,
)

PAPER = {
    "quartz": "#e4f1f6",
    "ash": "#e8e7eb",
    "lime": "#f2f1da",
    "pigments": "#f6e2dc",
    "residences": "#f5ecdc",
    "nobili": "#f4ecd4",
    "populi": "#dcefea",
    "trade": "#e9eef6",
}


# Workshops: a honeycomb

HEX, HEX_ROW = 54, 47


def _hexagon() -> str:
    half, tall = HEX / 2 - 1.2, HEX / sqrt(3) - 1.4
    corners = [
        (0, -tall),
        (half, -tall / 2),
        (half, tall / 2),
        (0, tall),
        (-half, tall / 2),
        (-half, -tall / 2),
    ]
    return "M" + "L".join(f"{figure(right)} {figure(down)}" for right, down in corners) + "Z"


HEXAGON = _hexagon()


def workshops_board(scene: Scene, area: Box) -> Iterator[str]:
    title = scene.area("workshops")
    yield from bonus_panel(scene, area, title, area.right - 6)
    start = title_end(area, title)
    end = bonuses_start(scene, area.right - 6) - BONUS_WORD
    yield _legend(scene, "workshops", start, area.y + 13, end - start)


def _legend(scene: Scene, area: str, left: float, y: float, room: float) -> str:
    """The symbols of an area with their names."""
    names = symbol_names(scene.language)
    words = {name: names[name] for name in NUMBERS[area]}
    words["pigments"] += " x2"
    scale = min(1.0, room / sum(27 + wide_as(word, 11) for word in words.values()))
    drawn, x = [], 0.0
    for name, word in words.items():
        drawn.append(symbol(name, x + 7, 0, 14))
        drawn.append(text(x + 17, 4, word, 11, fill=SOFT_INK, anchor="start"))
        x += 27 + wide_as(word, 11)
    return group(drawn, transform=at(left, y, scale))


def workshops(scene: Scene, area: Box) -> Iterator[str]:
    yield bonuses(scene, "workshops", area.right - 6, area.y + 4)
    columns = max(column for _, column, _ in WORKSHOPS) + 2
    left = round(area.x + (area.width - columns * HEX / 2) / 2 + HEX / 2)
    top = round(area.y + TITLE + 3 + HEX / sqrt(3))
    centres = {
        name: (left + column * HEX // 2, top + (row - 1) * HEX_ROW)
        for name, (row, column, _) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS)
    }
    names = symbol_names(scene.language)
    for name, (x, y) in centres.items():
        shown = SPACE_SYMBOL[PLACE[name]]
        inside = [*printed(scene, name, 0, 8, 27), text(0, -11, name, 13)]
        yield space(scene, name, names[shown], x, y, HEXAGON, PAPER[shown], *inside)
    for name, (x, y) in centres.items():
        yield from space_ring(scene, name, x, y, HEXAGON)
    for trio in EXTRA_CARD_SYMBOLS:
        x = round(sum(centres[name][0] for name in trio) / 3)
        y = round(sum(centres[name][1] for name in trio) / 3)
        if any(scene.owner(name) is None for name in trio):
            yield extra_card(x, y, 14)


# Residences: one row of houses

HOUSE = "M1.5-.5v-38l22.5-13l22.5 13v38Z"
ROOF = "M1.5-38.5l22.5-13l22.5 13Z"
HOUSE_WIDTH = 48


def residences_board(scene: Scene, area: Box) -> Iterator[str]:
    title = scene.area("residences")
    yield from bonus_panel(scene, area, title, area.right - 6)
    order = scene.translation.gettext("filled from left to right")
    yield text(title_end(area, title), area.y + 17, order, anchor="start", light=True)


def residences(scene: Scene, area: Box) -> Iterator[str]:
    yield bonuses(scene, "residences", area.right - 6, area.y + 4)
    ground = area.bottom - 7
    number = scene.translation.gettext("number %(number)d")
    left = {
        name: area.x + 8 + index * HOUSE_WIDTH
        for index, name in enumerate(PLACES_BY_AREA["residences"])
    }
    for name, points in zip(PLACES_BY_AREA["residences"], RESIDENCES):
        seat = scene.owner(name)
        roof = "#d79f80" if seat is None else LIVERIES[seat].colour
        inside = [path(ROOF, fill=roof, stroke=INK)]
        if seat is not None:
            inside.append(piece(seat, 34, -24, 8))
        inside.append(text(24, -5, name))
        inside.append(text(24 if seat is None else 13, -19, str(points), 16))
        what = number % {"number": points}
        x = left[name]
        yield space(scene, name, what, x, ground, HOUSE, PAPER["residences"], *inside)
    for name, x in left.items():
        yield from space_ring(scene, name, x, ground, HOUSE)


# Nobili and Populi: two pyramids

CELL = 45
CELL_PATH = box_path(Box(1, 0, CELL - 2, CELL))


def pyramid_board(scene: Scene, area: Box, key: str) -> Iterator[str]:
    yield from bonus_panel(scene, area, scene.area(key), area.right - 6)
    levels = sorted(PYRAMID_POINTS, reverse=True)
    for row, level in enumerate(levels):
        y = area.y + TITLE + 4 + row * (CELL + 2)
        yield text(area.x + 14, y + 28, str(PYRAMID_POINTS[level]), 15)
        if level == levels[0]:
            yield extra_card(area.x + 33, y + 22, 16)


def pyramid(scene: Scene, area: Box, key: str) -> Iterator[str]:
    yield bonuses(scene, key, area.right - 6, area.y + 4)
    middle = area.x + 10 + area.width / 2
    corners: dict[str, tuple[float, float]] = {}
    places = iter(PLACES_BY_AREA[key])
    for row, symbols in enumerate(PYRAMIDS[key]):
        left = round(middle - len(symbols) * CELL / 2)
        for column in range(len(symbols)):
            corners[next(places)] = (left + column * CELL, area.y + TITLE + 4 + row * (CELL + 2))
    names = symbol_names(scene.language)
    for name, (x, y) in corners.items():
        inside = [*printed(scene, name, 23, 30, 25), text(23, 13, name)]
        what = names[SPACE_SYMBOL[PLACE[name]]]
        yield space(scene, name, what, x, y, CELL_PATH, PAPER[key], *inside)
    for name, (x, y) in corners.items():
        yield from space_ring(scene, name, x, y, CELL_PATH)


# Harbor and trade: five lines that they share, the harbor on the left as it is printed

GOOD_WIDTH = 63
HARBOR_WIDTH = 168
TRADE_AT = HARBOR_WIDTH + 12
HULL = "M-16-9h32l-5 19h-22Z"


def _line_height(area: Box) -> int:
    return int((area.height - TITLE - 8) / LINES)


def trade_and_harbor_board(scene: Scene, area: Box) -> Iterator[str]:
    harbor, pays = scene.area("harbor"), scene.translation.gettext("fleet pays")
    trade, right = area._replace(x=area.x + TRADE_AT), area.right - 8
    yield box(area, PANEL, stroke=EDGE, radius=8)
    title = scene.area("trade")
    room = bonuses_start(scene, right) - trade.x - 16
    yield text(trade.x + 12, area.y + 18, title, TITLE_SIZE, anchor="start", room=room)
    yield from bonus_word(scene, trade, title, right)
    room = HARBOR_WIDTH - 12 - wide_as(harbor, TITLE_SIZE)
    end, y = area.x + 8 + HARBOR_WIDTH, area.y + 17
    named = [
        text(area.x + 12, area.y + 18, harbor, TITLE_SIZE, anchor="start"),
        text(end, y, pays, fill=SOFT_INK, anchor="end", room=room),
    ]
    yield group(named, data_topic="harbor")


def trade_and_harbor(scene: Scene, area: Box) -> Iterator[str]:
    yield bonuses(scene, "trade", area.right - 8, area.y + 4)
    height = _line_height(area)
    outline = box_path(Box(0, 0, GOOD_WIDTH - 3, height - 3))
    middle = (height - 3) / 2
    names = symbol_names(scene.language)
    corners: dict[str, tuple[float, float]] = {}
    for index, name in enumerate(PLACES_BY_AREA["trade"]):
        column, line = divmod(index, LINES)
        x = area.x + TRADE_AT + 8 + column * GOOD_WIDTH
        y = area.y + TITLE + 3 + line * height
        corners[name] = (x, y)
        seat = scene.owner(name)
        inside = [symbol(COMMODITIES[column], GOOD_WIDTH - 15, middle, 18)]
        if seat is not None:
            inside.append(piece(seat, 32, middle, 8))
        inside.append(text(4, middle + 4, name, anchor="start"))
        what = names[COMMODITIES[column]]
        yield space(scene, name, what, x, y, outline, PAPER["trade"], *inside)
    for line, name in enumerate(PLACES_BY_AREA["harbor"]):
        y = area.y + TITLE + 3 + line * height
        yield _harbor_line(scene, name, Box(area.x + 8, y, HARBOR_WIDTH, height - 3))
    for name, (x, y) in corners.items():
        yield from space_ring(scene, name, x, y, outline)


def _harbor_line(scene: Scene, name: str, area: Box) -> str:
    """The three ship spaces of a line, and the current points of a ship of this fleet."""
    _ = scene.translation.gettext
    owners = scene.view["harbor"][name]
    line = PLACES_BY_AREA["harbor"].index(name)
    goods = [
        other for other in PLACES_BY_AREA["trade"][line::LINES] if scene.owner(other) is not None
    ]
    full = len(owners) == SHIPS_PER_LINE
    middle = area.height / 2
    drawn = [
        titled(f"{name}: {', '.join(scene.names[seat] for seat in owners) or _('empty')}"),
        box(Box(0, 0, area.width, area.height), SHALLOWS, radius=4),
    ]
    for index in range(SHIPS_PER_LINE):
        seat = owners[index] if index < len(owners) else None
        x = 46 + index * 36
        drawn.append(_ship_space(name, index, seat, x, middle))
        if seat is not None and index >= len(owners) - scene.changed.places[name]:
            drawn.append(ring(HULL, f"{name}-{index + 1}", x, middle))
    pays = _("left") if full else str(FLEET_POINTS[len(goods)])
    ink = SOFT_INK if full else INK
    right = area.width - 5
    drawn.append(text(5, middle + 4, name, anchor="start"))
    drawn.append(text(right, middle + 4, pays, fill=ink, anchor="end", room=29))
    return group(drawn, transform=at(area.x, area.y), data_spot=name, data_topic="harbor")


def _ship_space(line: str, index: int, seat: int | None, x: float, y: float) -> str:
    looks = {"fill": paper(seat, WHITE), "stroke": EDGE if seat is None else INK}
    drawn = [path(HULL, transform=at(x, y), **looks)]
    if seat is not None:
        drawn.append(piece(seat, x, y, 7.5))
    return group(drawn, data_ship_space=f"{line}-{index + 1}", data_owner=seat)
