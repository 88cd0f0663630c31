"""Panels, and the spaces in them: what is printed there, whose they are, what has changed."""

from collections.abc import Iterable, Iterator

from engine.millefiori.board import BONUS_POINTS, PLACE
from engine.millefiori.sets import SPACE_SYMBOL
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import (
    EDGE,
    INK,
    LIVERIES,
    PANEL,
    SOFT_INK,
    WHITE,
    Box,
    box,
    box_path,
    group,
    path,
    piece,
    ring,
    text,
    titled,
)
from engine.millefiori.svg_symbols import symbol

TITLE = 24  # height of a panel's title line
SLOT = 34  # from one bonus space to the next


def panel(area: Box, title: str) -> Iterator[str]:
    yield box(area, PANEL, stroke=EDGE, radius=8)
    yield text(area.x + 12, area.y + 18, title, 14, anchor="start")


def bonuses(scene: Scene, area: str, right: float, y: float) -> Iterator[str]:
    """The spaces for the point bonus that can be reached, with those who took them."""
    taken = scene.view["bonuses"][area]
    seats = scene.view["seats"]
    x = right - SLOT * seats
    yield text(x - 5, y + 13, "bonus", fill=SOFT_INK, anchor="end")
    for index, points in enumerate(BONUS_POINTS[:seats]):
        seat = taken[index]["seat"] if index < len(taken) else None
        slot = Box(x + SLOT * index, y, SLOT - 3, 18)
        drawn = [box(slot, paper(seat, WHITE), stroke=EDGE, radius=4)]
        middle = slot.x + (16 if seat is None else 21.5)
        drawn.append(text(middle, y + 13, str(points)))
        if seat is not None:
            drawn.append(piece(seat, slot.x + 8, y + 9, 4.8))
            if (area, seat) in scene.changed.bonuses:
                drawn.append(ring(box_path(slot), f"bonus-{area}-{seat}"))
        yield group(drawn, data_bonus=f"{area}-{points}", data_owner=seat)


def paper(seat: int | None, empty: str) -> str:
    return empty if seat is None else LIVERIES[seat].tint


def space(scene: Scene, name: str, what: str, outline: str, empty: str, *inside: str) -> str:
    """A space with its paper, what is printed on it, its owner's colour and perhaps a ring."""
    seat = scene.owner(name)
    whose = "empty" if seat is None else scene.names[seat]
    drawn = [
        titled(f"{name}, {what}: {whose}"),
        path(outline, fill=paper(seat, empty), stroke=EDGE if seat is None else INK),
        *inside,
    ]
    if scene.changed.places[name]:
        drawn.append(ring(outline, name))
    return group(drawn, data_space=name, data_owner=seat)


def printed(scene: Scene, name: str, x: float, y: float, size: float) -> list[str]:
    """The symbol of a space, which steps aside for the diamond of an owner."""
    seat = scene.owner(name)
    shown = SPACE_SYMBOL[PLACE[name]]
    if seat is None:
        return [symbol(shown, x, y, size)]
    return [
        symbol(shown, x + size * 0.5, y, size * 0.62),
        piece(seat, x - size * 0.36, y, size * 0.36),
    ]


def changed_last(scene: Scene, spaces: Iterable[str]) -> list[str]:
    """The order of drawing: no neighbour covers a ring."""
    return sorted(spaces, key=lambda name: bool(scene.changed.places[name]))
