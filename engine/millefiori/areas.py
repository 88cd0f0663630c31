"""Scoring of a diamond in each area: points by seat, bonus, extra card.

Every area is one function of the diamonds *after* placing. It knows nothing of turns, hands or
seats, so that the same function scores a move and its preview.
"""

from collections.abc import Callable

from engine.millefiori.board import (
    FIRST_LINE,
    FIRST_RESIDENCE,
    FLEET_POINTS,
    NUMBERS_FOR_BONUS,
    NUMBERS_FOR_EXTRA_CARD,
    PLACE_AREA,
    PYRAMID_POINTS,
    RESIDENCES,
)
from engine.millefiori.cards import SYMBOL
from engine.millefiori.space_sets import (
    AREA_SYMBOLS,
    AROUND_SYMBOL,
    COMMODITIES_OF_LINE,
    FLEET,
    LEVEL,
    PIGMENTS,
    RESIDENCE_NUMBERS,
    SPACE_SYMBOL,
    SYMBOL_SPACES,
    TOUCHING,
    TRIANGLE,
)

Diamonds = tuple[int, ...]  # by seat, as in `Board.diamonds`

# Points by seat in the order of payment, whether the area's bonus is
# reached (taken or not), whether an extra card is earned.
Gain = tuple[list[tuple[int, int]], bool, bool]


def workshops(diamonds: Diamonds, filled: int, seat: int, space: int, card: int) -> Gain:
    """The size of the own group, doubled on a pigment space (p. 6)."""
    own = diamonds[seat]
    points = group(own, space).bit_count()
    if PIGMENTS >> space & 1:
        points *= 2
    bonus_reached = _meets_all(own, AREA_SYMBOLS["workshops"])
    extra_card = AROUND_SYMBOL[space] & ~filled == 0
    return [(seat, points)], bonus_reached, extra_card


def group(own: int, space: int) -> int:
    """The connected workshop diamonds that the one on this space belongs to."""
    found = frontier = 1 << space
    while frontier:
        lowest = frontier & -frontier
        fresh = TOUCHING[lowest.bit_length() - 1] & own & ~found
        found |= fresh
        frontier ^= lowest | fresh
    return found


def residences(diamonds: Diamonds, filled: int, seat: int, space: int, card: int) -> Gain:
    """The number filled and those of the own run directly before it (p. 7)."""
    own = diamonds[seat]
    points = RESIDENCES[space - FIRST_RESIDENCE]
    before = space - 1
    while before >= FIRST_RESIDENCE and own >> before & 1:
        points += RESIDENCES[before - FIRST_RESIDENCE]
        before -= 1
    numbers = _different_numbers(own)
    is_new = numbers > _different_numbers(own ^ 1 << space)
    extra_card = is_new and numbers in NUMBERS_FOR_EXTRA_CARD
    return [(seat, points)], numbers >= NUMBERS_FOR_BONUS, extra_card


def _different_numbers(own: int) -> int:
    return sum([1 for number in RESIDENCE_NUMBERS if own & number])


def pyramid(diamonds: Diamonds, filled: int, seat: int, space: int, card: int) -> Gain:
    """The level's points, doubled if the card's symbol matches; then the triangle below pays
    every owner, never doubled (p. 8)."""
    level = LEVEL[space]
    points = PYRAMID_POINTS[level]
    if SPACE_SYMBOL[space] == SYMBOL[card]:
        points *= 2
    paid = [(seat, points)]
    if level > 1:
        first_level, second_level = TRIANGLE[space]
        for owner, own in enumerate(diamonds):
            triangle = (own & first_level).bit_count() * PYRAMID_POINTS[1]
            triangle += (own & second_level).bit_count() * PYRAMID_POINTS[2]
            if triangle:
                paid.append((owner, triangle))
    bonus_reached = _meets_all(diamonds[seat], AREA_SYMBOLS[PLACE_AREA[space]])
    return paid, bonus_reached, level == 3


def trade(diamonds: Diamonds, filled: int, seat: int, space: int, card: int) -> Gain:
    """Every diamond on the commodity earns its owner the number of filled spaces; a good deal
    for somebody else earns an extra card (p. 9)."""
    column = SYMBOL_SPACES[SPACE_SYMBOL[space]]
    value = (filled & column).bit_count()
    counts = [(own & column).bit_count() for own in diamonds]
    paid = [(owner, value * count) for owner, count in enumerate(counts) if count]
    bonus_reached = _meets_all(diamonds[seat], AREA_SYMBOLS["trade"])
    return paid, bonus_reached, max(counts) > counts[seat]


def harbor(diamonds: Diamonds, filled: int, seat: int, line_place: int, card: int) -> Gain:
    """A complete fleet earns each of its diamonds what the commodities in its line say (p. 10)."""
    line = line_place - FIRST_LINE
    fleet = FLEET[line]
    paid = []
    if fleet & ~filled == 0:
        worth = FLEET_POINTS[(filled & COMMODITIES_OF_LINE[line]).bit_count()]
        if worth:
            ships = [(own & fleet).bit_count() for own in diamonds]
            paid = [(owner, worth * count) for owner, count in enumerate(ships) if count]
    return paid, False, False


def _meets_all(own: int, sets: tuple[int, ...]) -> bool:
    return all(map(own.__and__, sets))


AreaRule = Callable[[Diamonds, int, int, int, int], Gain]

AREA_RULES: dict[str, AreaRule] = {
    "workshops": workshops,
    "residences": residences,
    "nobili": pyramid,
    "populi": pyramid,
    "trade": trade,
    "harbor": harbor,
}
RULE_OF_PLACE: tuple[AreaRule, ...] = tuple(AREA_RULES[area] for area in PLACE_AREA)
