"""The lagoon and the ring around it: actions of its spaces, and ships.

The spaces of the rows above and below lie flat, those at the sides stand upright.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from engine.murano.guide import action_topic
from engine.murano.names import action_names, tile_names
from engine.murano.paths import ship_spot
from engine.murano.svg_scene import Scene
from engine.murano.svg_symbols import RED_SHIP, SHIP, drawn, symbol
from engine.svg import (
    INK,
    SOFT_INK,
    WHITE,
    Box,
    at,
    box,
    box_path,
    figure,
    group,
    path,
    reach,
    ring,
    round_path,
    text,
    titled,
    wide_as,
)

LAGOON_WATER, LANE, RIPPLE = "#3a8297", "#6fadbc", "#4f93a6"
SPACE_PAPER = "#eef6f5"
FLAT = Box(-63, -29, 126, 58)
UPRIGHT = Box(-47, -50, 94, 100)
MARGIN = 6


class Spot(NamedTuple):
    """Where a space of the ring lies, around its middle."""

    x: float
    y: float
    size: float
    flat: bool

    @property
    def transform(self) -> str:
        return at(self.x, self.y, self.size)

    @property
    def outline(self) -> Box:
        return FLAT if self.flat else UPRIGHT


def inside(area: Box) -> Box:
    """The area inside the ring."""
    across, down = UPRIGHT.width + 2 * MARGIN, FLAT.height + 2 * MARGIN
    return Box(area.x + across, area.y + down, area.width - 2 * across, area.height - 2 * down)


def spots(count: int, area: Box) -> list[Spot]:
    """The spaces counter-clockwise from the lower left corner, as on the printed board; smaller if
    there are many."""
    side = max(1, count // 9)
    below = ceil((count - 2 * side) / 2)
    above = count - 2 * side - below
    free = inside(area)
    flat = min(1.0, (area.width - 2 * MARGIN) / below / (FLAT.width + MARGIN))
    upright = min(1.0, free.height / side / (UPRIGHT.height + MARGIN))
    top, bottom = round(area.y + MARGIN + FLAT.height / 2), round(free.bottom + MARGIN + 29)
    left, right = round(area.x + MARGIN + 47), round(area.right - MARGIN - 47)

    def across(number: int, of: int) -> float:
        return round(area.x + MARGIN + (number + 0.5) * (area.width - 2 * MARGIN) / of)

    def down(number: int) -> float:
        return round(free.y + (number + 0.5) * free.height / side)

    return [
        *(Spot(across(n, below), bottom, flat, True) for n in range(below)),
        *(Spot(right, down(side - 1 - n), upright, False) for n in range(side)),
        *(Spot(across(above - 1 - n, above), top, flat, True) for n in range(above)),
        *(Spot(left, down(n), upright, False) for n in range(side)),
    ]


def ring_board(scene: Scene, area: Box) -> Iterator[str]:
    yield box(area, LAGOON_WATER, radius=10)
    yield path(_ripples(inside(area)), fill="none", stroke=RIPPLE, stroke_width=2)
    lane = box_path(Box(area.x + 53, area.y + 35, area.width - 106, area.height - 70))
    yield path(lane, fill="none", stroke=LANE, stroke_width=14)
    places = spots(len(scene.board.ring), area)
    yield path(_courses(places), fill="none", stroke=WHITE, stroke_width=2.5)
    for number, spot in enumerate(places):
        name = scene.board.ring[number]
        drawing = _space(scene, number, spot)
        what = {"data_spot": name, "data_topic": action_topic(scene.board.actions[number])}
        yield group(drawing, transform=spot.transform, **what)


def _ripples(area: Box) -> str:
    rows = (
        f"M{figure(area.x + across * area.width)} {figure(area.y + down * area.height)}"
        "q9-7 18 0t18 0t18 0"
        for across, down in (
            *((0.02, 0.1), (0.3, 0.05), (0.62, 0.12), (0.9, 0.3), (0.01, 0.52), (0.33, 0.5)),
            *((0.64, 0.53), (0.92, 0.62), (0.05, 0.93), (0.35, 0.97), (0.7, 0.96), (0.9, 0.94)),
        )
    )
    return "".join(rows)


def _courses(places: list[Spot]) -> str:
    """An arrow head before each space that has one before it in its row."""
    heads = []
    for last, spot in pairwise(places):
        if last.flat != spot.flat:
            continue
        x, y = figure((last.x + spot.x) / 2), figure((last.y + spot.y) / 2)
        if spot.flat:
            way = 1 if spot.x > last.x else -1
            heads.append(f"M{x} {y}m{-2 * way}-5l{4 * way} 5l{-4 * way} 5")
        else:
            way = 1 if spot.y > last.y else -1
            heads.append(f"M{x} {y}m-5 {-2 * way}l5 {4 * way}l5 {-4 * way}")
    return "".join(heads)


def _space(scene: Scene, number: int, spot: Spot) -> Iterator[str]:
    name, action = scene.board.ring[number], scene.board.actions[number]
    long_name = action_names(scene.language)[action]
    said = tile_names(scene.language).get(action, long_name)
    yield titled(f"{name}: {long_name}")
    yield box(spot.outline, SPACE_PAPER, radius=8)
    if spot.flat:
        yield symbol(action, -40, -8, 36)
        yield text(-20, -4, name, 14, anchor="start")
        yield text(0, 23, said, 11, fill=SOFT_INK, room=118)
    else:
        yield symbol(action, -24, -25, 36)
        yield text(4, -22, name, 14, anchor="start")
        first, _, last = said.rpartition(" ") if wide_as(said, 11) > 88 else ("", "", said)
        if first:
            yield text(0, 31, first, 11, fill=SOFT_INK, room=88)
        yield text(0, 43, last, 11, fill=SOFT_INK, room=88)


def ring_position(scene: Scene, area: Box) -> Iterator[str]:
    """The space whose action is at hand, and the ships."""
    view, names = scene.view, scene.board.ring
    places = dict(zip(names, spots(len(names), area)))
    if view["at"] and not view["outcome"]:
        yield _here(places[view["at"]], view["at"])
    for name, spot in places.items():
        fleet = [False] * view["ships"].count(name) + [True] * (view["red_ship"] == name)
        for number, red in enumerate(fleet):
            shift = (number - (len(fleet) - 1) / 2) * 22
            yield _ship(scene, name, spot, red, shift)


def _here(spot: Spot, name: str) -> str:
    frame = box(spot.outline, "none", stroke=INK, radius=8)
    return group([frame], transform=spot.transform, stroke_width=4, data_at=name)


def _ship(scene: Scene, name: str, spot: Spot, red: bool, shift: float) -> str:
    x, y = (38, -8) if spot.flat else (16, 3)
    inside = [
        reach(Box(x + shift - 18, y - 18, 36, 36)),
        drawn(RED_SHIP if red else SHIP, x + shift, y, 36),
    ]
    what = f"{name}-red" if red else name
    if (name, red) in scene.changed.ships:
        inside.append(ring(round_path(x + shift, y, 19), f"ship-{what}"))
    told = {"data_spot": ship_spot(name, red), "data_topic": "red-ship" if red else None}
    return group(inside, transform=spot.transform, **told)
