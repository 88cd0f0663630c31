"""The islands: their spaces with buildings, and the docks before them."""

from collections.abc import Iterator
from functools import cache, lru_cache
from math import ceil
from typing import NamedTuple

from engine.contract import Json
from engine.murano.board import BUILDING, STREET, WATER, Board, Island
from engine.murano.guide import BUILDING_TOPICS, street_topic
from engine.murano.names import colour_name, tile_names
from engine.murano.paths import dock_spot, island_spot
from engine.murano.phrases import street_words, tile_words
from engine.murano.svg_scene import Scene
from engine.murano.svg_symbols import CREST, GONDOLA, PALACE, customer, drawn, marker, symbol
from engine.svg import (
    INK,
    SMALLEST,
    WHITE,
    Box,
    SeatStyle,
    at,
    box_path,
    figure,
    group,
    path,
    reach,
    ring,
    short_name,
    text,
    titled,
)

SHORE, SAND = "#8cc3cd", "#ecdcb4"
STREET_SPACE, BUILDING_SPACE = "#dcd8cf", "#c79a6d"
PAVING, JOINT, HOUSE_PAPER, SPACE_EDGE = "#c9c2b2", "#a79f8d", "#f7ecd9", "#8d7a5f"
JETTY = "#7a5a3c"

CELL = 42
TITLE_ROOM, DOCK_GAP = 22, 12
DOCK = Box(0, 0, 46, 22)
DOCK_STEP = 50
DOCK_OUTLINE = box_path(DOCK)
BIG = 27  # what stands alone on a tile
COLUMNS = "abcdefghijklmnopqrstuvwxyz"


class Site(NamedTuple):
    """Where an island lies: the corner of its grid, how large a cell is, and its docks."""

    island: Island
    slot: Box
    x: float
    y: float
    cell: float
    dock_x: float
    dock_y: float
    dock_size: float

    @property
    def size(self) -> float:
        return self.cell / CELL

    def corner(self, row: int, column: int) -> tuple[float, float]:
        return round(self.x + column * self.cell), round(self.y + row * self.cell)


def sites(board: Board, seats: int, area: Box) -> list[Site]:
    return _sites(tuple(board.islands[number] for number in board.islands_for(seats)), area)


@lru_cache(maxsize=16)
def _sites(islands: tuple[Island, ...], area: Box) -> list[Site]:
    """In as many rows as let the cells be largest; all islands have cells of one size."""
    count = len(islands)
    rows = max(range(1, count + 1), key=lambda rows: _cell(islands, area, rows))
    cell = _cell(islands, area, rows)
    found = []
    for row in range(rows):
        some = islands[ceil(row * count / rows) : ceil((row + 1) * count / rows)]
        width, height = area.width / len(some), area.height / rows
        for column, island in enumerate(some):
            slot = Box(area.x + column * width, area.y + row * height, width, height)
            found.append(_site(island, slot, cell))
    return found


def _cell(islands: tuple[Island, ...], area: Box, rows: int) -> float:
    """How large cells can be with so many rows of islands."""
    columns = ceil(len(islands) / rows)
    across = area.width / columns - 26
    down = area.height / rows - TITLE_ROOM - DOCK_GAP - DOCK.height
    return min(
        float(CELL),
        *(across / len(island.grid[0]) for island in islands),
        *(down / len(island.grid) for island in islands),
    )


def _site(island: Island, slot: Box, cell: float) -> Site:
    grid_width, grid_height = cell * len(island.grid[0]), cell * len(island.grid)
    docks = DOCK_STEP * len(island.docks)
    dock_size = min(1.0, (slot.width - 8) / max(docks, 1))
    tall = TITLE_ROOM + grid_height + DOCK_GAP + DOCK.height * dock_size
    top = slot.y + (slot.height - tall) / 2
    middle = slot.x + slot.width / 2
    return Site(
        island,
        slot,
        round(middle - grid_width / 2),
        round(top + TITLE_ROOM),
        cell,
        round(middle - docks * dock_size / 2 + (DOCK_STEP - DOCK.width) / 2),
        round(top + TITLE_ROOM + grid_height + DOCK_GAP),
        dock_size,
    )


def islands_board(scene: Scene, area: Box) -> Iterator[str]:
    for site in sites(scene.board, scene.view["seats"], area):
        spot = island_spot(site.island.code)
        yield group(_island_board(site), data_spot=spot, data_topic="islands")


def _island_board(site: Site) -> Iterator[str]:
    land = {"d": _land(site), "stroke_linejoin": "round"}
    rows, columns = len(site.island.grid), len(site.island.grid[0])
    yield reach(Box(site.x, site.y, columns * site.cell, rows * site.cell).inset(-12))
    if site.island.docks:
        yield _jetty(site)
    yield path(**land, fill=SHORE, stroke=SHORE, stroke_width=24)
    yield path(**land, fill=SAND, stroke=SAND, stroke_width=12)
    for sort, paper in ((STREET, STREET_SPACE), (BUILDING, BUILDING_SPACE)):
        outlines = "".join(
            _outline(site, row, column) for row, column, _ in _cells(site.island, sort)
        )
        if outlines:
            yield path(outlines, fill=paper, stroke=SPACE_EDGE)
    middle, room = site.slot.x + site.slot.width / 2, site.slot.width - 10
    title = short_name(f"{site.island.code} {site.island.name}", room / SMALLEST)
    yield text(middle, site.y - 15, title, 14, fill=WHITE, room=room)


def _jetty(site: Site) -> str:
    """A landing stage along the docks, and a way from it to the island."""
    quay = site.dock_y + DOCK.height * site.dock_size / 2
    width = DOCK_STEP * len(site.island.docks) * site.dock_size
    along = f"M{figure(site.dock_x - 2)} {figure(quay)}h{figure(width)}"
    across = f"m{figure(-width / 2)} 0V{figure(site.y + 8)}"
    return path(along + across, fill="none", stroke=JETTY, stroke_width=6)


def _outline(site: Site, row: int, column: int) -> str:
    x, y = site.corner(row, column)
    return box_path(Box(x, y, site.cell + 1, site.cell + 1))


def _land(site: Site) -> str:
    """The cells that are not water, by rows; the strokes around them melt together."""
    runs = []
    for row, line in enumerate(site.island.grid):
        column = 0
        while column < len(line):
            end = column
            while end < len(line) and line[end] != WATER:
                end += 1
            if end > column:
                x, y = site.corner(row, column)
                width = (end - column) * site.cell
                runs.append(box_path(Box(x, y, width + 1, site.cell + 1)))
            column = end + 1
    return "".join(runs)


def islands(scene: Scene, area: Box) -> Iterator[str]:
    for site in sites(scene.board, scene.view["seats"], area):
        yield group(_spaces(scene, site), data_topic="islands")
        yield group(_docks(scene, site), data_topic="docks")


def _spaces(scene: Scene, site: Site) -> Iterator[str]:
    here = scene.view["islands"][site.island.code]
    rings = []
    for row, column, place in _cells(site.island):
        name = f"{site.island.code}-{place}"
        x, y = site.corner(row, column)
        tile = here["spaces"].get(name)
        yield _space(scene, name, at(x, y, site.size), tile)
        if name in scene.changed.spaces:
            rings.append(group([ring(SPACE_OUTLINE, name)], transform=at(x, y, site.size)))
    yield from rings


def _docks(scene: Scene, site: Site) -> Iterator[str]:
    here = scene.view["islands"][site.island.code]
    for number, colour in enumerate(site.island.docks):
        x = site.dock_x + number * DOCK_STEP * site.dock_size
        transform = at(round(x), site.dock_y, site.dock_size)
        seat = here["docks"][colour]
        what = {"data_spot": dock_spot(site.island.code, colour), "data_owner": seat}
        yield group(_dock(scene, site, colour, seat), transform=transform, **what)


def _cells(island: Island, *sorts: str) -> Iterator[tuple[int, int, str]]:
    """Row and column of the spaces, and their names without the island's."""
    for row, line in enumerate(island.grid):
        for column, cell in enumerate(line):
            if cell in (sorts or (STREET, BUILDING)):
                yield row, column, f"{COLUMNS[column]}{row + 1}"


# Neighbours share a line, which lies on whole pixels at the usual size.
SPACE_OUTLINE = box_path(Box(0, 0, CELL + 1, CELL + 1))
CELL_BOX = Box(0, 0, CELL, CELL)
SLAB = "M2.5 2.5h38v38h-38Zm0 19h38m-12-19v19m-14 0v19"


def _space(scene: Scene, name: str, transform: str, tile: Json | None) -> str:
    """The name of an empty space (its paper is printed on the island), or its tile."""
    place = name.partition("-")[2]
    if tile is None:
        drawing = [reach(CELL_BOX), text(21, 26, place)]
        return group(drawing, transform=transform, data_spot=name)
    sort, kind, owner = tile["tile"], tile.get("kind", ""), tile.get("seat")
    if sort == "street":
        what = f"{tile_names(scene.language)[sort]} {street_words(scene.language)[kind]}"
        inside, topic = street_tile(kind), street_topic(kind)
    else:
        what = tile_words(sort, kind, scene.language)
        style = None if owner is None else scene.style(owner)
        inside, topic = building_tile(sort, kind, style), BUILDING_TOPICS[sort]
    whose = "" if owner is None else f", {scene.names[owner]}"
    drawing = [titled(f"{name}: {what}{whose}"), inside, text(10, 11, place, 10)]
    told = {"data_spot": name, "data_topic": topic, "data_owner": owner}
    return group(drawing, transform=transform, **told)


@cache
def street_tile(kind: str) -> str:
    """A street with its customers, in a cell."""
    paving = path(SLAB, fill=PAVING, stroke=JOINT)
    customers = [] if kind == "blank" else kind.split("+")
    if len(customers) == 1:
        return paving + customer(customers[0], 22.5, 25.5, BIG)
    return paving + "".join(customer(one, x, 26) for one, x in zip(customers, (12, 31)))


@cache
def building_tile(sort: str, kind: str, owner: SeatStyle | None) -> str:
    """A building in a cell, with its owner's marker."""
    return "".join(_building(sort, kind, owner))


def _building(sort: str, kind: str, owner: SeatStyle | None) -> Iterator[str]:
    yield path(SPACE_OUTLINE, fill=owner.tint if owner else HOUSE_PAPER, stroke=INK)
    if sort == "palace":
        yield drawn(PALACE, 22.5, 26.5, BIG)
        crests = int(kind)
        for number in range(crests):
            yield drawn(CREST, 22.5 + (number - (crests - 1) / 2) * 12, 23.5, 12)
    elif sort == "shop":
        yield symbol(f"{kind} shop", 21.5, 25.5, BIG)
        yield customer(kind, 19, 33, 14)
    else:
        yield symbol(sort, 20.5, 26.5, BIG)
    if owner:
        yield marker(owner, 34.5, 34.5)


def _dock(scene: Scene, site: Site, colour: str, seat: int | None) -> Iterator[str]:
    whose = scene.translation.gettext("empty") if seat is None else scene.names[seat]
    yield titled(f"{site.island.code}, {colour_name(colour, scene.language)}: {whose}")
    yield _landing(scene.colour(colour), None if seat is None else scene.style(seat))
    if (site.island.code, colour) in scene.changed.docks:
        yield ring(DOCK_OUTLINE, f"{site.island.code}-{colour}")


@cache
def _landing(dock: SeatStyle, gondolier: SeatStyle | None) -> str:
    paper = path(DOCK_OUTLINE, fill=dock.tint, stroke=INK)
    if gondolier is None:
        return paper + marker(dock, 23.5, 11.5)
    return paper + drawn(GONDOLA, 23.5, 10.5) + marker(gondolier, 23.5, 9.5)
