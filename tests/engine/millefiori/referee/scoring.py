"""Cards, moves, and what a diamond earns in each area."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.engine.millefiori.referee.tables import (
    AREA_OF_SYMBOL,
    FLEET_POINTS,
    LEVEL_POINTS,
    PYRAMID_BY_SYMBOL,
    PYRAMID_LEVELS,
    PYRAMID_SUPPORTS,
    RESIDENCE_NUMBERS,
    SHIPS_IN_FLEET,
    TRADE_BY_HARBOR_LINE,
    TRADE_BY_SYMBOL,
    WORKSHOP_NEIGHBOURS,
    WORKSHOP_TRIPLES,
    WORKSHOPS_BY_SYMBOL,
)

Move = dict[str, Any]
Board = dict[str, int]  # filled space -> seat that owns the diamond
Fleets = dict[str, list[int]]  # harbor line -> seats, in the order the diamonds came
Payment = tuple[int, str, int]  # seat, cause, points


def symbol_of(card: str) -> str:
    return card.split("-")[0]


def number_of(card: str) -> int:
    return int(card.split("-")[1])


def area_of(card: str) -> str:
    return AREA_OF_SYMBOL[symbol_of(card)]


def level_of(space: str) -> int:
    for level, spaces in PYRAMID_LEVELS.items():
        if space in spaces:
            return level
    raise KeyError(space)


def destination_text(play: Move) -> str:
    return f"{play['to']} sail" if play.get("sail") else str(play["to"])


def notation(move: Move) -> str:
    if move["type"] == "keep":
        text = f"keep {move['card']}"
        return f"{text} then {destination_text(move['then'])}" if "then" in move else text
    if move["type"] == "play":
        return f"{move['card']} {destination_text(move)}"
    if move["type"] == "discard":
        return f"{move['card']} discard"
    return "decline"


def canonical(value: object) -> str:
    """Equal texts for equal JSON values; unlike ==, it tells true from 1."""
    return json.dumps(value, sort_keys=True)


def without_duplicates(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))


# --------------------------------------------------- instant points, area by area
#
# All of these look at the board after the new diamond has been placed.


def owned(board: Board, seat: int, spaces: Iterable[str]) -> list[str]:
    return [space for space in spaces if board.get(space) == seat]


def workshop_points(board: Board, space: str) -> list[Payment]:
    seat = board[space]
    group = {space}
    to_visit = [space]
    while to_visit:
        for neighbour in WORKSHOP_NEIGHBOURS[to_visit.pop()]:
            if board.get(neighbour) == seat and neighbour not in group:
                group.add(neighbour)
                to_visit.append(neighbour)
    per_diamond = 2 if space in WORKSHOPS_BY_SYMBOL["pigments"] else 1
    return [(seat, "workshops", per_diamond * len(group))]


def residence_points(board: Board, space: str) -> list[Payment]:
    seat = board[space]
    line = list(RESIDENCE_NUMBERS)
    position = line.index(space)
    points = 0
    while position >= 0 and board.get(line[position]) == seat:
        points += RESIDENCE_NUMBERS[line[position]]
        position -= 1
    return [(seat, "residences", points)]


def pyramid_points(board: Board, space: str, card: str) -> list[Payment]:
    area = area_of(card)
    points = LEVEL_POINTS[level_of(space)]
    if space in PYRAMID_BY_SYMBOL[symbol_of(card)]:
        points *= 2
    payments: list[Payment] = [(board[space], area, points)]

    triangle: set[str] = set()
    for below in PYRAMID_SUPPORTS[space]:
        triangle.add(below)
        triangle.update(PYRAMID_SUPPORTS[below])
    for other in sorted(triangle):
        payments.append((board[other], area, LEVEL_POINTS[level_of(other)]))
    return payments


def trade_points(board: Board, commodity: str) -> list[Payment]:
    filled = [space for space in TRADE_BY_SYMBOL[commodity] if space in board]
    return [(board[space], "trade", len(filled)) for space in filled]


def fleet_points(board: Board, fleets: Fleets, line: str) -> list[Payment]:
    if len(fleets[line]) < SHIPS_IN_FLEET:
        return []
    commodities = [space for space in TRADE_BY_HARBOR_LINE[line] if space in board]
    return [(seat, "harbor", FLEET_POINTS[len(commodities)]) for seat in fleets[line]]


# ------------------------------------------------------- point bonuses and extra cards


def residence_variety(board: Board, seat: int) -> int:
    """How many different numbers the seat owns in the residences."""
    return len({RESIDENCE_NUMBERS[space] for space in owned(board, seat, RESIDENCE_NUMBERS)})


def earns_bonus(board: Board, seat: int, area: str) -> bool:
    if area == "residences":
        return residence_variety(board, seat) >= 4
    spaces_by_symbol = {**WORKSHOPS_BY_SYMBOL, **PYRAMID_BY_SYMBOL, **TRADE_BY_SYMBOL}
    symbols = [symbol for symbol, its_area in AREA_OF_SYMBOL.items() if its_area == area]
    return all(owned(board, seat, spaces_by_symbol[symbol]) for symbol in symbols)


def workshop_gives_extra_card(board: Board, space: str) -> bool:
    return any(
        space in triple and all(other in board for other in triple) for triple in WORKSHOP_TRIPLES
    )


def residence_gives_extra_card(board: Board, space: str) -> bool:
    seat = board[space]
    board_before = {other: owner for other, owner in board.items() if other != space}
    before = residence_variety(board_before, seat)
    after = residence_variety(board, seat)
    return after > before and after in (3, 5)


def trade_gives_extra_card(board: Board, space: str, commodity: str) -> bool:
    seat = board[space]
    diamonds = Counter(board[other] for other in TRADE_BY_SYMBOL[commodity] if other in board)
    return any(diamonds[other] > diamonds[seat] for other in diamonds)
