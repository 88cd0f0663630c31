"""Playing one card: the diamond, the points of all, the bonus, the ship, the extra card."""

from engine.contract import Event
from engine.millefiori.areas import RULE_OF_PLACE
from engine.millefiori.board import (
    BONUS_AREAS,
    BONUS_POINTS,
    FIRST_LINE,
    PLACE_AREA,
    PLACE_NAME,
    RESERVE,
    ROUTE,
    ROUTE_END,
    ROUTE_EXTRA_CARDS,
    ROUTE_POINTS,
)
from engine.millefiori.cards import NAME, NUMBER
from engine.millefiori.moves import Play
from engine.millefiori.sets import FLEET
from engine.millefiori.state import Board
from engine.millefiori.tuples import replaced

# The board after a card, what happened, and whether the card earned an extra one.
Played = tuple[Board, list[Event], bool]


def play_card(board: Board, seat: int, move: Play) -> Played:
    """All a card does to the board, in the order of ruling 6."""
    if move.to == ROUTE:
        return _sail(board, seat, move.card, [])
    board, events, extra_card = _place(board, seat, move)
    if move.sail:
        return _sail(board, seat, move.card, events)
    return board, events, extra_card


def _place(board: Board, seat: int, move: Play) -> Played:
    diamonds, filled, left, ships, scores_before, bonuses = board
    card, to = move.card, move.to
    area = PLACE_AREA[to]
    space = 1 << to if to < FIRST_LINE else _next_ship_space(to - FIRST_LINE, filled)
    diamonds = replaced(diamonds, seat, diamonds[seat] | space)
    own_left = left[seat] - 1
    events = [{"type": "place", "seat": seat, "card": NAME[card], "to": PLACE_NAME[to]}]
    rule = RULE_OF_PLACE[to]
    filled |= space
    paid, bonus_reached, extra_card = rule(diamonds, filled, seat, to, card)
    scores = list(scores_before)
    for owner, points in paid:
        scores[owner] += points
        events.append({"type": "points", "seat": owner, "points": points, "for": area})
    if bonus_reached:
        index = BONUS_AREAS.index(area)
        takers = bonuses[index]
        if seat not in takers:
            points = BONUS_POINTS[len(takers)]
            scores[seat] += points
            events.append(_bonus_points(seat, points, area))
            bonuses = replaced(bonuses, index, (*takers, seat))
            own_left = max(own_left - 1, 0)  # it counts even with no diamond left to mark it
    if own_left <= RESERVE < left[seat]:
        events.append({"type": "supply-empty", "seat": seat})
    left_after = replaced(left, seat, own_left)
    after = Board(diamonds, filled, left_after, ships, tuple(scores), bonuses)
    return after, events, extra_card


def _next_ship_space(line: int, filled: int) -> int:
    free = FLEET[line] & ~filled
    return free & -free


def _bonus_points(seat: int, points: int, area: str) -> Event:
    return {"type": "points", "seat": seat, "points": points, "for": "bonus", "area": area}


def _sail(board: Board, seat: int, card: int, events: list[Event]) -> Played:
    diamonds, filled, left, ships, scores, bonuses = board
    start = ships[seat]
    end = min(start + NUMBER[card], ROUTE_END)
    points = ROUTE_POINTS[end]
    events.append({"type": "sail", "seat": seat, "card": NAME[card], "from": start, "to": end})
    if points:
        events.append({"type": "points", "seat": seat, "points": points, "for": "route"})
        scores = replaced(scores, seat, scores[seat] + points)
    after = Board(diamonds, filled, left, replaced(ships, seat, end), scores, bonuses)
    return after, events, end in ROUTE_EXTRA_CARDS
