"""Panels and their spaces: printed contents, owners, changes."""

from collections.abc import Iterator

from engine.millefiori.board import BONUS_POINTS, PLACE
from engine.millefiori.space_sets import SPACE_SYMBOL
from engine.millefiori.svg_scene import Scene
from engine.millefiori.svg_shapes import LIVERIES, piece
from engine.millefiori.svg_symbols import symbol
from engine.svg import (
    EDGE,
    INK,
    SOFT_INK,
    WHITE,
    Box,
    at,
    box,
    box_path,
    group,
    panel,
    path,
    ring,
    text,
    title_end,
    titled,
    wide_as,
)

BONUS_SIZE = 11
BONUS_WORD = 52  # room for that word
SLOT = 34  # from one bonus space to the next


def bonuses_start(scene: Scene, right: float) -> float:
    seats: int = scene.view["seats"]
    return right - SLOT * seats


def bonus_panel(scene: Scene, area: Box, title: str, right: float) -> Iterator[str]:
    """A panel with room for the point bonus in its title line, and a word for it
    unless the title is too long."""
    yield from panel(area, title, bonuses_start(scene, right) - area.x - 16)
    yield from bonus_word(scene, area, title, right)


def bonus_word(scene: Scene, area: Box, title: str, right: float) -> Iterator[str]:
    """The word before the point bonus in a title line, if there is room for it."""
    slots = bonuses_start(scene, right)
    word = scene.translation.pgettext("short", "bonus")
    if wide_as(word, BONUS_SIZE) < slots - title_end(area, title):
        x, y = slots - 5, area.y + 17
        yield text(x, y, word, BONUS_SIZE, fill=SOFT_INK, anchor="end")


def bonuses(scene: Scene, area: str, right: float, y: float) -> str:
    """The spaces for the point bonus that can be reached, with those who took them."""
    taken = scene.view["bonuses"][area]
    x = bonuses_start(scene, right)
    slot = Box(0, 0, SLOT - 3, 18)
    slots = []
    for index, points in enumerate(BONUS_POINTS[: scene.view["seats"]]):
        seat = taken[index]["seat"] if index < len(taken) else None
        left = x + SLOT * index
        drawn = [box(slot, paper(seat, WHITE), stroke=EDGE, radius=4)]
        if seat is not None:
            drawn.append(piece(seat, 8, 9, 4.8))
        drawn.append(text(16 if seat is None else 22, 13, str(points), 11))
        if (area, seat) in scene.changed.bonuses:
            drawn.append(ring(box_path(slot), f"bonus-{area}-{seat}"))
        what = {"data_bonus": f"{area}-{points}", "data_owner": seat}
        slots.append(group(drawn, transform=at(left, y), **what))
    return group(slots, data_topic="bonus")


def paper(seat: int | None, empty: str) -> str:
    return empty if seat is None else LIVERIES[seat].tint


def space(
    scene: Scene, name: str, what: str, x: float, y: float, outline: str, empty: str, *inside: str
) -> str:
    """A space with its paper, its printed contents, and its owner's colour.

    All of it is drawn from the point x, y, so that equal spaces are drawn equally.
    """
    seat = scene.owner(name)
    whose = scene.translation.gettext("empty") if seat is None else scene.names[seat]
    drawn = [
        titled(f"{name}, {what}: {whose}"),
        path(outline, fill=paper(seat, empty), stroke=EDGE if seat is None else INK),
        *inside,
    ]
    return group(drawn, transform=at(x, y), data_spot=name, data_owner=seat)


def space_ring(scene: Scene, name: str, x: float, y: float, outline: str) -> Iterator[str]:
    """The mark of a space that has changed, drawn when no neighbour can cover it any more."""
    if scene.changed.places[name]:
        yield ring(outline, name, x, y)


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
