"""The symbols of cards and spaces, drawn in a square of 24 around the origin."""

from engine.svg import GOLD, WHITE, Strokes, drawing, group

SYMBOL_STROKES: dict[str, Strokes] = {
    "quartz": (
        ("M0 10L1 1L5-6L10 2L8 10Z", "#8fc3d6"),
        ("M-9 10L-10 0L-4-11L2-1L1 10Z", "#bfe3ee"),
        ("M-4-11L-5 0L-4 10M-10 0H2", ""),
    ),
    "ash": (
        ("M-11 10Q-5-2 0-2T11 10Z", "#a5a3a8"),
        ("M-4-5q-3-3 0-6M3-5q3-3 0-6", ""),
    ),
    "lime": (
        ("M-11 6L-8-5L0-9L9-6L11 5L4 10H-6Z", "#dfdca0"),
        ("M-8-5L0-1L9-6M0-1L-1 10", ""),
    ),
    "pigments": (
        ("M-9 2Q-3-11 0-11T9 2Z", "#b8433f"),
        ("M-11 1H11Q9 11 0 11T-11 1Z", "#e6c79c"),
    ),
    "key": (
        ("M-2 0L0-2L11 9V11H8V8L6 10L4 8L6 6Z", "#e6bf55"),
        ("M-11-6a5 5 0 1 0 10 0a5 5 0 1 0-10 0ZM-8-6a2 2 0 1 0 4 0a2 2 0 1 0-4 0Z", "#e6bf55"),
    ),
    "coin": (
        ("M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0Z", "#e6bf55"),
        ("M0-6L4 0L0 6L-4 0Z", "#fbeab5"),
    ),
    "lion": (
        (
            "M0-11L4-9L8-8L9-4L11 0L9 4L8 8L4 9L0 11L-4 9L-8 8L-9 4L-11 0L-9-4L-8-8L-4-9Z",
            "#c98b3c",
        ),
        ("M-6-4Q0-8 6-4L5 3Q0 10-5 3Z", "#f3d9a4"),
        ("M-3-1V0M3-1V0M-2 3H2L0 5Z", ""),
    ),
    "cross": (("M-4-11H4L2-2L11-4V4L2 2L4 11H-4L-2 2L-11 4V-4L-2-2Z", "#a9465a"),),
    "fish": (
        ("M4 0L11-6V6Z", "#5f9ea8"),
        ("M-11 0Q-3-10 7 0Q-3 10-11 0Z", "#93c9cc"),
        ("M-6-1V0M-1-4Q2 0-1 4", ""),
    ),
    "shell": (
        ("M-3 8L0 5L3 8V10H-3ZM0 8L-11-1Q-11-8-6-8Q0-13 6-8Q11-8 11-1Z", "#f3cdb0"),
        ("M0 8L-6-7M0 8V-10M0 8L6-7", ""),
    ),
    "crab": (
        ("M-7 4L-11 6M-5 7L-8 11M7 4L11 6M5 7L8 11", ""),
        ("M-6 0Q-12-3-9-10L-6-6L-4-9Q-2-4-6 0ZM6 0Q12-3 9-10L6-6L4-9Q2-4 6 0Z", "#c9694c"),
        ("M-8 3Q-7-3 0-3T8 3Q5 9 0 9T-8 3Z", "#e08f6c"),
    ),
    "glasses": (
        ("M0 2V10M-6 10H6", ""),
        ("M-7-11H7Q7 2 0 2T-7-11Z", "#bfe3ee"),
        ("M-6-5H6", ""),
    ),
    "carafes": (
        ("M-3-11H3V-4Q10 0 9 6Q8 11 0 11T-9 6Q-10 0-3-4Z", "#d8ecdf"),
        ("M-9 4H9Q9 11 0 11T-9 4Z", "#86bfa0"),
    ),
    "jewelry": (
        ("M-7 4a7 7 0 1 0 14 0a7 7 0 1 0-14 0M0 0", ""),
        ("M-6-7L-3-11H3L6-7L0-1Z", "#b79ad6"),
    ),
    "swans": (
        ("M-9 3Q-7 11 2 10Q10 9 11-2Q4 3-2 1Z", WHITE),
        ("M-8 4Q-2-1-5-5Q-7-10-4-11Q0-11-1-7L2-6", ""),
    ),
    "ship": (
        ("M-11 4H11L7 10H-7Z", "#a9825a"),
        ("M0 4V-11", ""),
        ("M2-9Q10-6 10 1H2ZM-2-6Q-8-3-8 1H-2Z", WHITE),
    ),
}

EXTRA_CARD: Strokes = (
    ("M-7-10H7V10H-7Z", WHITE),
    ("M0-5V5M-4 0H4", ""),
)
CARD_BACK: Strokes = (
    ("M-7-10H7V10H-7Z", "#4f8fa1"),
    ("M0-6L4 0L0 6L-4 0Z", WHITE),
)
DOGE_CAP: Strokes = (
    ("M-10 6Q-9-4-3-5Q2-11 8-10Q11-4 10 6Z", GOLD),
    ("M-10 5H10V10H-10Z", WHITE),
)
# A slice of millefiori glass.
FLOWER: Strokes = (
    ("M0-5A5 5 0 1 1 7-1A5 5 0 1 1 4 7A5 5 0 1 1-4 7A5 5 0 1 1-7-1A5 5 0 1 1 0-5Z", "#f1d3e3"),
    ("M-4 1a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", GOLD),
)


def extra_card(x: float, y: float, size: float) -> str:
    return group([drawing(EXTRA_CARD, x, y, size)], data_topic="extra-card")


def symbol(name: str, x: float, y: float, size: float) -> str:
    return drawing(SYMBOL_STROKES[name], x, y, size)
