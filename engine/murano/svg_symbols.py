"""The symbols of the board, drawn in a square of 24 around the origin."""

from functools import lru_cache

from engine.svg import INK, WHITE, SeatStyle, Strokes, at, group, path

BRICK, CLAY, STONE, SKIN = "#c4693f", "#d9a066", "#f2e3c9", "#f0cfa8"
COIN, PALE_GOLD, WOOD, ROOF = "#e6bf55", "#fbeab5", "#a9825a", "#5f9ea8"
RED, BLUE, GREY, GREEN = "#c23b32", "#2f74b5", "#6a767c", "#3f9a62"
CRIMSON, LIGHT_STONE = "#a9465a", "#dfe5e6"

# Customers are told apart by their clothes too: a wide dress, a tall hat, a hood.
CUSTOMER_STROKES: dict[str, Strokes] = {
    "red": (("M-3-4Q-5-6-5-8q0-4 5-4t5 4q0 2-2 4L9 11H-9Z", RED),),
    "blue": (("M-7 11V2q0-3 4-4q-2-2-2-4H-8V-8H-5V-12H5V-8H8V-6H5q0 2-2 4q4 1 4 4V11Z", BLUE),),
    "grey": (("M-7 11Q-9-11 0-11T7 11ZM-3-4q0 3 3 3t3-3t-3-4t-3 4Z", GREY),),
}

# So are beads: round, with corners, as a drop.
BEAD_STROKES: dict[str, Strokes] = {
    "red": (
        ("M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0Z", RED),
        ("M-6-1Q-5-6 0-6", ""),
    ),
    "blue": (
        ("M-10-4L-4-10H4L10-4V4L4 10H-4L-10 4Z", BLUE),
        ("M-10-4H10M-4-10L-3-4M4-10L3-4", ""),
    ),
    "green": (
        ("M0-12Q10 0 8 5Q6 11 0 11T-8 5Q-10 0 0-12Z", GREEN),
        ("M-4 5Q-4 0-1-4", ""),
    ),
}

_STALL: Strokes = (("M-9-2H9V11H-9Z", STONE),)


def _awning(colour: str, pattern: str) -> Strokes:
    return (("M-9-10H9L12-1H-12Z", colour), (pattern, WHITE))


_STRIPES = "M-5-10L-7-1H-2L-2-10ZM2-10L2-1H7L5-10Z"
SHOP_STROKES: dict[str, Strokes] = {
    "red": (*_STALL, *_awning(RED, _STRIPES)),
    "blue": (*_STALL, *_awning(BLUE, "M-11-4H11L12-1H-12Z")),
    "grey": (*_STALL, *_awning(GREY, "M0-9L4-5.5L0-2L-4-5.5Z")),
}

PALACE: Strokes = (
    ("M-11 11V-5H-8V-8H-5V-5H-2V-8H2V-5H5V-8H8V-5H11V11Z", STONE),
    ("M-8 11V7a2 2 0 0 1 4 0V11ZM-2 11V7a2 2 0 0 1 4 0V11ZM4 11V7a2 2 0 0 1 4 0V11Z", ROOF),
)
CREST: Strokes = (("M-9-10H9V0Q9 7 0 11Q-9 7-9 0Z", CRIMSON), ("M0-10V11M-9-2H9", ""))

SYMBOL_STROKES: dict[str, Strokes] = {
    # What the spaces of the ring do
    "gold": (
        ("M-11 4a7 7 0 1 0 14 0a7 7 0 1 0-14 0Z", COIN),
        ("M-3-4a7 7 0 1 0 14 0a7 7 0 1 0-14 0Z", COIN),
        ("M4-8L7-4L4 0L1-4Z", PALE_GOLD),
    ),
    "glassworks": (
        ("M3 0V-11H8V0Z", CLAY),
        ("M-11 11V3Q-11-6 0-6T11 3V11Z", BRICK),
        ("M-5 11V5Q-5 1 0 1T5 5V11Z", "#ffc84a"),
    ),
    "shop": (*_STALL, ("M-3 11V3H3V11Z", WOOD), *_awning(ROOF, _STRIPES)),
    "palace": (*PALACE, ("M-4-4H4V0Q4 3 0 4Q-4 3-4 0Z", CRIMSON)),
    "special": (
        ("M-11 11V4H11V11Z", STONE),
        ("M-4 11V-4H4V11ZM-1 2V-1H1V2Z", CLAY),
        ("M-5-4L0-12L5-4Z", ROOF),
    ),
    "recruit": (
        ("M5-5Q4-12 11-12Q9-9 10-4Z", CRIMSON),
        ("M-11-5Q0-8 11-5Q12 6 5 7Q2 7 0 3Q-2 7-5 7Q-12 6-11-5Z", PALE_GOLD),
        ("M-8-1Q-5-4-2 0Q-5 3-8-1ZM8-1Q5-4 2 0Q5 3 8-1Z", INK),
    ),
    "gondolier": (
        ("M6-10L9 11", ""),
        ("M-4 5L-3-3H3L4 5Z", WHITE),
        ("M-3-6a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z", SKIN),
        ("M-5-8H5L3-11H-3Z", COIN),
        ("M-12-1Q-10 4-7 4H7Q11 3 11-3Q13 5 8 9H-7Q-12 7-12-1Z", "#2b3f49"),
    ),
    "build": (
        ("M-11 2H11V11H-11Z", BRICK),
        ("M-11 6.5H11M-4 2V6.5M4 2V6.5M0 6.5V11M-7 6.5V11M7 6.5V11", ""),
        ("M2-6L5-6L11-11", ""),
        ("M-11-1L0-10L4-4Z", LIGHT_STONE),
    ),
    "income": (
        ("M-5-4Q-12 3-10 8Q-8 11 0 11T10 8Q12 3 5-4Z", WOOD),
        ("M-6-11L-4-4H4L6-11Q3-8 0-10Q-3-8-6-11Z", CLAY),
        ("M-4 4a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", COIN),
    ),
    "production": (
        ("M11-11L0 0", ""),
        ("M-11 4a7 7 0 1 0 14 0a7 7 0 1 0-14 0Z", "#8fd0b0"),
        ("M-8 3Q-7-1-3-1M6 5h1M9 8h1M5 10h1", ""),
    ),
    "crew": (
        ("M-9 11L5-6M9 11L-5-6", ""),
        ("M4-5L8-12L11-10L7-3ZM-4-5L-8-12L-11-10L-7-3Z", CLAY),
        ("M-4 8L0 11L4 8M0 11V4", ""),
    ),
    # What players have, and what characters count
    "coin": (
        ("M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0Z", COIN),
        ("M0-6L4 0L0 6L-4 0Z", PALE_GOLD),
    ),
    "crest": CREST,
    "building": (("M-10 11V-2L0-11L10-2V11Z", CLAY), ("M-3 11V4H3V11Z", STONE)),
    "street": (
        ("M-11-11H11V11H-11Z", "#d9d2c3"),
        ("M-11-4H11M-11 4H11M-3-11V-4M5-4V4M-5 4V11", ""),
    ),
}
SYMBOL_STROKES |= {f"{colour} shop": strokes for colour, strokes in SHOP_STROKES.items()}
SYMBOL_STROKES |= {f"{colour} bead": strokes for colour, strokes in BEAD_STROKES.items()}
SYMBOL_STROKES |= CUSTOMER_STROKES

SHIP: Strokes = (
    ("M-11 3H11L7 10H-7Z", WOOD),
    ("M0 3V-11", ""),
    ("M1-11Q10-6 10 1H1Z", WHITE),
)
# With another sail and a pennant: not only its colour tells the red ship.
RED_SHIP: Strokes = (
    ("M-12 1L-8 3H8L12 1L8 10H-8Z", RED),
    ("M0 3V-12", ""),
    ("M0-12H7L5-10.5L7-9H0Z", RED),
    ("M-8-8H8Q6-3 8 1H-8Q-6-3-8-8Z", RED),
    ("M0-7L3-3.5L0 0L-3-3.5Z", WHITE),
)
GONDOLA: Strokes = (("M-12-2Q-10 4-7 4H7Q11 3 11-3Q13 5 8 9H-7Q-12 7-12-2Z", "#2b3f49"),)


SIZE = 24
MARKER = 6  # half as wide as a marker is without more ado


@lru_cache(maxsize=4096)
def drawn(strokes: Strokes, x: float, y: float, size: float = SIZE) -> str:
    """A drawing with this centre. The root element sets the ends of lines."""
    scale = size / SIZE
    looks = {
        "transform": at(x, y, scale),
        "stroke": INK,
        "stroke_width": None if scale == 1 else 1.1 / scale,
    }
    if len(strokes) == 1:
        [(d, fill)] = strokes
        return path(d, fill=fill, **looks)
    return group((path(d, fill=fill or "none") for d, fill in strokes), **looks)


def symbol(name: str, x: float, y: float, size: float = SIZE) -> str:
    return drawn(SYMBOL_STROKES[name], x, y, size)


def customer(colour: str, x: float, y: float, size: float = SIZE) -> str:
    """A customer's figure, which needs no outline."""
    [(d, fill)] = CUSTOMER_STROKES[colour]
    return path(d, fill=fill, transform=at(x, y, size / SIZE))


def marker(style: SeatStyle, x: float, y: float, radius: float = MARKER) -> str:
    """Marker of a player's property."""
    scale = radius / MARKER
    return path(
        style.shape,
        transform=at(x, y, scale),
        fill=style.colour,
        stroke=INK,
        stroke_width=None if scale == 1 else 1.2 / scale,
    )
