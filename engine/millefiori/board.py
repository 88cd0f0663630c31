"""The printed board as tables: spaces, symbols, points, and the names of the places.

A *place* is a target of a move: a space, a harbor line (its ship spaces are not a choice) or the
route. It is the index of its name in `PLACE_NAME`.
"""

SUPPLY = 27
RESERVE = 3
DIAMONDS = SUPPLY + RESERVE

# Row, column and symbol of W1 to W30. Spaces touch when they are neighbours in their row (two
# columns apart) or one column apart in the next row.
WORKSHOPS = (
    (1, 1, "pigments"),
    (1, 3, "ash"),
    (1, 5, "pigments"),
    (1, 7, "lime"),
    (1, 9, "ash"),
    (1, 11, "lime"),
    (1, 15, "ash"),
    (2, 0, "quartz"),
    (2, 2, "lime"),
    (2, 4, "quartz"),
    (2, 6, "ash"),
    (2, 8, "pigments"),
    (2, 10, "quartz"),
    (2, 14, "pigments"),
    (2, 16, "quartz"),
    (3, 1, "pigments"),
    (3, 3, "ash"),
    (3, 7, "quartz"),
    (3, 9, "lime"),
    (3, 11, "pigments"),
    (3, 13, "quartz"),
    (3, 15, "lime"),
    (3, 17, "pigments"),
    (4, 2, "quartz"),
    (4, 6, "lime"),
    (4, 8, "pigments"),
    (4, 10, "ash"),
    (4, 12, "lime"),
    (4, 14, "pigments"),
    (4, 16, "ash"),
)

# The three spaces around each extra-card symbol.
EXTRA_CARD_SYMBOLS = (
    ("W1", "W8", "W9"),
    ("W2", "W3", "W10"),
    ("W4", "W11", "W12"),
    ("W5", "W6", "W13"),
    ("W7", "W14", "W15"),
    ("W16", "W17", "W24"),
    ("W18", "W25", "W26"),
    ("W19", "W20", "W27"),
    ("W21", "W28", "W29"),
    ("W22", "W23", "W30"),
)

# The line of residences; different numbers earn the bonus and extra cards.
RESIDENCES = (2, 4, 3, 5, 1, 4, 2, 3, 1, 5, 10, 2, 3, 4, 5, 10, 1, 5, 4, 3)

NUMBERS_FOR_BONUS = 4
NUMBERS_FOR_EXTRA_CARD = (3, 5)

# The pyramids from the top row down; each space stands on the two below it.
PYRAMIDS = {
    "nobili": (
        ("coin", "lion", "cross"),
        ("lion", "cross", "coin", "lion"),
        ("cross", "coin", "lion", "cross", "coin"),
    ),
    "populi": (
        ("shell", "fish", "crab"),
        ("fish", "crab", "shell", "fish"),
        ("crab", "shell", "fish", "crab", "shell"),
    ),
}
PYRAMID_POINTS = {1: 1, 2: 3, 3: 6}

COMMODITIES = ("glasses", "carafes", "jewelry", "swans")
LINES = 5
SHIPS_PER_LINE = 3
FLEET_POINTS = (0, 1, 3, 6, 10)

ROUTE_POINTS = (0, 1, 1, 1, 3, 1, 10, 0, 1, 5, 1, 1, 10, 10, 1, 5, 0, 1, 1, 1, 10)
ROUTE_END = len(ROUTE_POINTS) - 1
ROUTE_EXTRA_CARDS = frozenset({7, 16, 20})

BONUS_POINTS = (20, 15, 10, 5)
BONUS_AREAS = ("workshops", "residences", "nobili", "populi", "trade")


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


PLACES_BY_AREA = {
    "workshops": _numbered("W", len(WORKSHOPS)),
    "residences": _numbered("R", len(RESIDENCES)),
    "nobili": _numbered("N", 12),
    "populi": _numbered("P", 12),
    "trade": tuple(space for letter in "GCJS" for space in _numbered(letter, LINES)),
    "harbor": _numbered("H", LINES),
}
SPACES = tuple(space for spaces in PLACES_BY_AREA.values() for space in spaces)
PLACE = {name: place for place, name in enumerate((*SPACES, "route"))}
PLACE_NAME = (*SPACES, "route")
PLACE_AREA = tuple(area for area, spaces in PLACES_BY_AREA.items() for _ in spaces)

ROUTE = PLACE["route"]
FIRST_RESIDENCE = PLACE["R1"]
FIRST_LINE = PLACE["H1"]
