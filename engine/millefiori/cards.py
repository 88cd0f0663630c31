"""The 109 cards. A card is the index of its kind; cards of one kind are interchangeable."""

from collections.abc import Iterable

AREAS = ("workshops", "residences", "nobili", "populi", "trade", "harbor")

# Ship's-wheel numbers of all cards of a symbol.
NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {
    "workshops": {
        "quartz": (1, 2, 3, 3, 3, 4, 5),
        "ash": (1, 2, 2, 3, 4, 4, 5),
        "lime": (1, 1, 2, 3, 4, 5, 5),
        "pigments": (1, 1, 2, 2, 3, 3, 4, 4, 5),
    },
    "residences": {
        "key": (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5),
    },
    "nobili": {
        "coin": (1, 2, 3, 5),
        "lion": (1, 2, 3, 5),
        "cross": (1, 2, 3, 4),
    },
    "populi": {
        "fish": (1, 2, 3, 4),
        "shell": (1, 2, 3, 4),
        "crab": (1, 2, 3, 5),
    },
    "trade": {
        "glasses": (1, 2, 3, 4, 5),
        "carafes": (1, 2, 3, 4, 5),
        "jewelry": (1, 2, 3, 4, 5),
        "swans": (1, 2, 3, 4, 5),
    },
    "harbor": {
        "ship": (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5),
    },
}

SYMBOL_AREA = {symbol: area for area in AREAS for symbol in NUMBERS[area]}
SYMBOLS = tuple(SYMBOL_AREA)

_KINDS = tuple(
    (area, symbol, number)
    for area in AREAS
    for symbol, numbers in NUMBERS[area].items()
    for number in sorted(set(numbers))
)

AREA = tuple(area for area, _, _ in _KINDS)
SYMBOL = tuple(symbol for _, symbol, _ in _KINDS)
NUMBER = tuple(number for _, _, number in _KINDS)
NAME = tuple(f"{symbol}-{number}" for _, symbol, number in _KINDS)
CARD = {name: card for card, name in enumerate(NAME)}

DECK = tuple(
    CARD[f"{symbol}-{number}"]
    for area in AREAS
    for symbol, numbers in NUMBERS[area].items()
    for number in numbers
)

HAND = 5
DISPLAY_AT_START = {2: 9, 3: 4, 4: 9}
PLAYS_PER_ROUND = {2: 3, 3: 4, 4: 4}
ROUNDS = {2: 10, 3: 7, 4: 5}


def card_names(cards: Iterable[int]) -> list[str]:
    return [NAME[card] for card in cards]
