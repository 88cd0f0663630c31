"""The five areas of the board, each laid out so that what belongs together touches."""

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
from engine.millefiori.sets import SPACE_SYMBOL
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import (
    EDGE,
    INK,
    LIVERIES,
    SHALLOWS,
    SOFT_INK,
    WHITE,
    Box,
    box,
    box_path,
    figure,
    group,
    path,
    piece,
    ring,
    text,
    titled,
)
from engine.millefiori.svg_spaces import TITLE, bonuses, changed_last, panel, paper, printed, space
from engine.millefiori.svg_symbols import EXTRA_CARD, drawing, symbol

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

HEX = 54.0


def workshops(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, "Workshops")
    yield from _legend("workshops", area.x + 108, area.y + 13)
    yield from bonuses(scene, "workshops", area.right - 6, area.y + 4)
    columns = max(column for _, column, _ in WORKSHOPS) + 2
    left = area.x + (area.width - columns * HEX / 2) / 2 + HEX / 2
    top = area.y + TITLE + 3 + HEX / sqrt(3)
    centres = {
        name: (left + column * HEX / 2, top + (row - 1) * HEX * sqrt(3) / 2)
        for name, (row, column, _) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS)
    }
    for name in changed_last(scene, centres):
        x, y = centres[name]
        shown = SPACE_SYMBOL[PLACE[name]]
        label = text(x, y - 12, name)
        inside = [label, *printed(scene, name, x, y + 7, 26)]
        yield space(scene, name, shown, _hexagon(x, y), PAPER[shown], *inside)
    for trio in EXTRA_CARD_SYMBOLS:
        x = sum(centres[name][0] for name in trio) / 3
        y = sum(centres[name][1] for name in trio) / 3
        if any(scene.owner(name) is None for name in trio):
            yield drawing(EXTRA_CARD, x, y, 14)


def _hexagon(x: float, y: float) -> str:
    half, tall = HEX / 2 - 1.2, HEX / sqrt(3) - 1.4
    corners = [
        (x, y - tall),
        (x + half, y - tall / 2),
        (x + half, y + tall / 2),
        (x, y + tall),
        (x - half, y + tall / 2),
        (x - half, y - tall / 2),
    ]
    return "M" + "L".join(f"{figure(right)} {figure(down)}" for right, down in corners) + "Z"


def _legend(area: str, x: float, y: float) -> Iterator[str]:
    """The symbols of an area with their names."""
    for name in NUMBERS[area]:
        word = f"{name} x2" if name == "pigments" else name
        yield symbol(name, x + 7, y, 14)
        yield text(x + 17, y + 4, word, fill=SOFT_INK, anchor="start")
        x += 24 + 7.2 * len(word)


# Residences: one row of houses


def residences(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, "Residences")
    yield text(
        area.x + 112, area.y + 17, "filled from left to right", 12, anchor="start", light=True
    )
    yield from bonuses(scene, "residences", area.right - 6, area.y + 4)
    width = (area.width - 16) / len(RESIDENCES)
    ground = area.bottom - 7
    for name in changed_last(scene, PLACES_BY_AREA["residences"]):
        index = PLACES_BY_AREA["residences"].index(name)
        points = RESIDENCES[index]
        left = area.x + 8 + index * width
        seat = scene.owner(name)
        middle = left + width / 2
        house = _house(left + 1.5, ground, width - 3)
        inside = [
            text(middle, ground - 5, name),
            text(middle - (0 if seat is None else 11), ground - 19, str(points), 16),
        ]
        if seat is not None:
            inside.append(piece(seat, middle + 10, ground - 24, 8))
        roof = "#d79f80" if seat is None else LIVERIES[seat].colour
        inside.append(path(_roof(left + 1.5, ground, width - 3), fill=roof, stroke=INK))
        yield space(scene, name, f"number {points}", house, PAPER["residences"], *inside)


def _house(x: float, ground: float, width: float) -> str:
    half = figure(width / 2)
    return f"M{figure(x)} {figure(ground)}v-38l{half}-13l{half} 13v38Z"


def _roof(x: float, ground: float, width: float) -> str:
    half = figure(width / 2)
    return f"M{figure(x)} {figure(ground - 38)}l{half}-13l{half} 13Z"


# Nobili and Populi: two pyramids

CELL = 45.0


def pyramid(scene: Scene, area: Box, key: str) -> Iterator[str]:
    yield from panel(area, key.capitalize())
    yield from bonuses(scene, key, area.right - 6, area.y + 4)
    levels = sorted(PYRAMID_POINTS, reverse=True)
    middle = area.x + 10 + area.width / 2
    cells: dict[str, Box] = {}
    names = iter(PLACES_BY_AREA[key])
    for row, (level, symbols) in enumerate(zip(levels, PYRAMIDS[key])):
        y = area.y + TITLE + 4 + row * (CELL + 2)
        yield text(area.x + 14, y + 28, str(PYRAMID_POINTS[level]), 15)
        if level == levels[0]:
            yield drawing(EXTRA_CARD, area.x + 33, y + 22, 16)
        left = middle - len(symbols) * CELL / 2
        for column in range(len(symbols)):
            cells[next(names)] = Box(left + column * CELL + 1, y, CELL - 2, CELL)
    for name in changed_last(scene, cells):
        cell = cells[name]
        x = cell.x + cell.width / 2
        label = text(x, cell.y + 13, name)
        inside = [label, *printed(scene, name, x, cell.y + 29, 25)]
        yield space(scene, name, SPACE_SYMBOL[PLACE[name]], box_path(cell), PAPER[key], *inside)


# Trade and harbor: five lines that they share


def trade_and_harbor(scene: Scene, area: Box) -> Iterator[str]:
    yield from panel(area, "Trade")
    yield from bonuses(scene, "trade", area.x + 260, area.y + 4)
    harbor_x = area.x + 272
    yield text(harbor_x, area.y + 18, "Harbor", 14, anchor="start")
    yield text(area.right - 8, area.y + 17, "fleet pays", fill=SOFT_INK, anchor="end")
    height = (area.height - TITLE - 8) / LINES
    for name in changed_last(scene, PLACES_BY_AREA["trade"]):
        column, line = divmod(PLACES_BY_AREA["trade"].index(name), LINES)
        cell = Box(area.x + 8 + column * 63, area.y + TITLE + 3 + line * height, 60, height - 3)
        y = cell.y + cell.height / 2
        label = text(cell.x + 5, y + 4, name, anchor="start")
        seat = scene.owner(name)
        inside = [label, symbol(COMMODITIES[column], cell.right - 12, y, 18)]
        if seat is not None:
            inside.append(piece(seat, cell.x + 32, y, 8))
        yield space(scene, name, COMMODITIES[column], box_path(cell), PAPER["trade"], *inside)
    for line, name in enumerate(PLACES_BY_AREA["harbor"]):
        y = area.y + TITLE + 3 + line * height
        yield _harbor_line(scene, name, Box(harbor_x, y, area.right - 8 - harbor_x, height - 3))


def _harbor_line(scene: Scene, name: str, area: Box) -> str:
    """The three ship spaces of a line, and what a ship of this fleet gets as things stand."""
    owners = scene.view["harbor"][name]
    line = PLACES_BY_AREA["harbor"].index(name)
    goods = [
        other for other in PLACES_BY_AREA["trade"][line::LINES] if scene.owner(other) is not None
    ]
    full = len(owners) == SHIPS_PER_LINE
    y = area.y + area.height / 2
    drawn = [
        titled(f"{name}: {', '.join(scene.names[seat] for seat in owners) or 'empty'}"),
        box(area, SHALLOWS, radius=4),
        text(area.x + 6, y + 4, name, anchor="start"),
        text(
            area.right - 9,
            y + 4,
            "left" if full else str(FLEET_POINTS[len(goods)]),
            fill=SOFT_INK if full else INK,
            anchor="end",
        ),
    ]
    for index in range(SHIPS_PER_LINE):
        seat = owners[index] if index < len(owners) else None
        x = area.x + 45 + index * 36
        drawn.append(_ship_space(name, index, seat, x, y))
        if seat is not None and index >= len(owners) - scene.changed.places[name]:
            drawn.append(ring(_hull(x, y), f"{name}-{index + 1}"))
    return group(drawn, data_space=name)


def _hull(x: float, y: float) -> str:
    return f"M{figure(x - 16)} {figure(y - 9)}h32l-5 19h-22Z"


def _ship_space(line: str, index: int, seat: int | None, x: float, y: float) -> str:
    drawn = [path(_hull(x, y), fill=paper(seat, WHITE), stroke=EDGE if seat is None else INK)]
    if seat is not None:
        drawn.append(piece(seat, x, y, 7.5))
    return group(drawn, data_ship_space=f"{line}-{index + 1}", data_owner=seat)
