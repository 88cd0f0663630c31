"""Sets of spaces as bit masks, computed once from the printed board.

A set of diamonds is an integer with one bit for each diamond. The bit of a space is its place;
after the last trade space each harbor line has three bits, filled from the left.
"""

from collections.abc import Iterable

from engine.millefiori.board import (
    COMMODITIES,
    EXTRA_CARD_SYMBOLS,
    FIRST_LINE,
    LINES,
    PLACE,
    PLACE_NAME,
    PLACES_BY_AREA,
    PYRAMIDS,
    RESIDENCES,
    SHIPS_PER_LINE,
    WORKSHOPS,
)
from engine.millefiori.cards import AREA, NUMBERS, SYMBOL, SYMBOLS


def set_of(names: Iterable[str]) -> int:
    """The set of the spaces with these names."""
    return sum(1 << PLACE[name] for name in names)


# The symbol printed on a place; the residences and the harbor need none.

SPACE_SYMBOL: dict[int, str] = {}
for _name, (_, _, _symbol) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS, strict=True):
    SPACE_SYMBOL[PLACE[_name]] = _symbol
for _area, _rows in PYRAMIDS.items():
    _printed = (symbol for row in _rows for symbol in row)
    for _name, _symbol in zip(PLACES_BY_AREA[_area], _printed, strict=True):
        SPACE_SYMBOL[PLACE[_name]] = _symbol
for _index, _name in enumerate(PLACES_BY_AREA["trade"]):
    SPACE_SYMBOL[PLACE[_name]] = COMMODITIES[_index // LINES]

SYMBOL_SPACES = {
    symbol: sum(1 << place for place, shown in SPACE_SYMBOL.items() if shown == symbol)
    for symbol in SYMBOLS
}
AREA_SYMBOLS = {
    area: tuple(SYMBOL_SPACES[symbol] for symbol in symbols) for area, symbols in NUMBERS.items()
}
PIGMENTS = SYMBOL_SPACES["pigments"]

# Workshops: the neighbours of a space, and the three spaces around its extra-card symbol.

_POSITION = {
    name: (row, column)
    for name, (row, column, _) in zip(PLACES_BY_AREA["workshops"], WORKSHOPS, strict=True)
}


def _touching(name: str) -> int:
    row, column = _POSITION[name]
    steps = ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))
    around = {(row + down, column + right) for down, right in steps}
    return set_of(other for other, spot in _POSITION.items() if spot in around)


TOUCHING = tuple(_touching(name) for name in PLACES_BY_AREA["workshops"])
AROUND_SYMBOL = tuple(
    next(set_of(three) for three in EXTRA_CARD_SYMBOLS if name in three)
    for name in PLACES_BY_AREA["workshops"]
)

# Residences: the whole line, and the spaces of each number.

RESIDENCE_LINE = set_of(PLACES_BY_AREA["residences"])
RESIDENCE_NUMBERS = tuple(
    set_of(
        name
        for name, points in zip(PLACES_BY_AREA["residences"], RESIDENCES, strict=True)
        if points == value
    )
    for value in sorted(set(RESIDENCES))
)

# Pyramids: a space's level, the two spaces it stands on, and the spaces of levels 1 and 2 in the
# triangle below it.

LEVEL: dict[int, int] = {}
STANDS_ON: dict[int, int] = {}
TRIANGLE: dict[int, tuple[int, int]] = {}


def _lay_out_pyramid(area: str) -> None:
    names = iter(PLACES_BY_AREA[area])
    top, middle, bottom = [[PLACE[next(names)] for _ in row] for row in PYRAMIDS[area]]
    for level, row, below in ((3, top, middle), (2, middle, bottom), (1, bottom, [])):
        for index, space in enumerate(row):
            LEVEL[space] = level
            STANDS_ON[space] = sum(1 << support for support in below[index : index + 2])
    for space in bottom:
        TRIANGLE[space] = (0, 0)
    for space in middle:
        TRIANGLE[space] = (STANDS_ON[space], 0)
    for index, space in enumerate(top):
        TRIANGLE[space] = (sum(1 << low for low in bottom[index : index + 3]), STANDS_ON[space])


for _area in PYRAMIDS:
    _lay_out_pyramid(_area)

# Trade and harbor lines

COMMODITIES_OF_LINE = tuple(
    set_of(f"{letter}{line}" for letter in "GCJS") for line in range(1, LINES + 1)
)
SHIP_SPACES = tuple(
    tuple(1 << (FIRST_LINE + SHIPS_PER_LINE * line + ship) for ship in range(SHIPS_PER_LINE))
    for line in range(LINES)
)
FLEET = tuple(sum(ships) for ships in SHIP_SPACES)
ALL_SHIPS = sum(FLEET)

# The spaces that decide where a card may go.


def _deciding_spaces(card: int) -> int:
    area = AREA[card]
    if area in ("workshops", "trade"):
        return SYMBOL_SPACES[SYMBOL[card]]
    if area == "harbor":
        return sum(ships[-1] for ships in SHIP_SPACES)
    return set_of(PLACES_BY_AREA[area])


DECIDING_SPACES = tuple(_deciding_spaces(card) for card in range(len(AREA)))


def space_names(diamonds: int) -> list[str]:
    """The spaces of a set by name, in the order of the board; without ships."""
    names = []
    spaces = diamonds & ~ALL_SHIPS
    while spaces:
        lowest = spaces & -spaces
        names.append(PLACE_NAME[lowest.bit_length() - 1])
        spaces ^= lowest
    return names
