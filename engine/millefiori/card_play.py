"""Play of one card: the diamond, all points, the bonus, the ship, the extra card."""

from engine.contract import Event, Points
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
from engine.millefiori.space_sets import FLEET
from engine.millefiori.state import Board
from engine.millefiori.tuples import replaced

# The board after a card, the events, and whether the card earned an extra one.
Played = tuple[Board, list[Event], bool]


def play_card(board: Board, seat: int, move: Play) -> Played:
    """All effects of a card on the board, in the order of ruling 6."""
    if move.to == ROUTE:
        return _sail(board, seat, move.card, [])
    board, events, extra_card = _place(board, seat, move)
    if move.sail:
        return _sail(board, seat, move.card, events)
    return board, events, extra_card


def points_of(board: Board, seat: int, move: Play) -> tuple[list[Points], bool]:
    """The points of a card by seat, and whether it earns an extra one; much cheaper than playing
    it."""
    found: list[Points] = []
    extra_card = False
    if move.to != ROUTE:
        area = PLACE_AREA[move.to]
        _, _, paid, bonus, extra_card = _landed(board, seat, move)
        found = [Points(owner, points, area) for owner, points in paid]
        if bonus:
            found.append(Points(seat, bonus, "bonus", area))
    if move.to == ROUTE or move.sail:
        _, points, extra_card = _sailed(board, seat, move.card)
        if points:
            found.append(Points(seat, points, "route"))
    return found, extra_card


def _place(board: Board, seat: int, move: Play) -> Played:
    _, _, left, ships, scores_before, bonuses = board
    area = PLACE_AREA[move.to]
    diamonds, filled, paid, bonus, extra_card = _landed(board, seat, move)
    own_left = left[seat] - 1
    events = [{"type": "place", "seat": seat, "card": NAME[move.card], "to": PLACE_NAME[move.to]}]
    scores = list(scores_before)
    for owner, points in paid:
        scores[owner] += points
        events.append({"type": "points", "seat": owner, "points": points, "for": area})
    if bonus:
        scores[seat] += bonus
        events.append(_bonus_points(seat, bonus, area))
        index = BONUS_AREAS.index(area)
        bonuses = replaced(bonuses, index, (*bonuses[index], seat))
        own_left = max(own_left - 1, 0)  # it counts even with no diamond left to mark it
    if own_left <= RESERVE < left[seat]:
        events.append({"type": "supply-empty", "seat": seat})
    left_after = replaced(left, seat, own_left)
    after = Board(diamonds, filled, left_after, ships, tuple(scores), bonuses)
    return after, events, extra_card


# The diamonds of all and the filled spaces after one was placed, what that pays to whom, the points
# of a bonus that was reached first now (or 0), and whether it earns an extra card.
Landed = tuple[tuple[int, ...], int, list[tuple[int, int]], int, bool]


def _landed(board: Board, seat: int, move: Play) -> Landed:
    to, filled = move.to, board.filled
    space = 1 << to if to < FIRST_LINE else _next_ship_space(to - FIRST_LINE, filled)
    diamonds = replaced(board.diamonds, seat, board.diamonds[seat] | space)
    filled |= space
    paid, bonus_reached, extra_card = RULE_OF_PLACE[to](diamonds, filled, seat, to, move.card)
    bonus = 0
    if bonus_reached:
        takers = board.bonuses[BONUS_AREAS.index(PLACE_AREA[to])]
        if seat not in takers:
            bonus = BONUS_POINTS[len(takers)]
    return diamonds, filled, paid, bonus, extra_card


def _next_ship_space(line: int, filled: int) -> int:
    free = FLEET[line] & ~filled
    return free & -free


def _bonus_points(seat: int, points: int, area: str) -> Event:
    return {"type": "points", "seat": seat, "points": points, "for": "bonus", "area": area}


def _sail(board: Board, seat: int, card: int, events: list[Event]) -> Played:
    diamonds, filled, left, ships, scores, bonuses = board
    end, points, extra_card = _sailed(board, seat, card)
    sailed = {"type": "sail", "seat": seat, "card": NAME[card], "from": ships[seat], "to": end}
    events.append(sailed)
    if points:
        events.append({"type": "points", "seat": seat, "points": points, "for": "route"})
        scores = replaced(scores, seat, scores[seat] + points)
    after = Board(diamonds, filled, left, replaced(ships, seat, end), scores, bonuses)
    return after, events, extra_card


def _sailed(board: Board, seat: int, card: int) -> tuple[int, int, bool]:
    """The ship's new space, its points, and whether it earns an extra card."""
    end = min(board.ships[seat] + NUMBER[card], ROUTE_END)
    return end, ROUTE_POINTS[end], end in ROUTE_EXTRA_CARDS
