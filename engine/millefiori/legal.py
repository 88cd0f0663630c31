"""Legal moves."""

from collections.abc import Sequence
from functools import cache

from engine.millefiori.board import (
    FIRST_LINE,
    FIRST_RESIDENCE,
    LINES,
    PLACE,
    PLACE_AREA,
    PLACES_BY_AREA,
    ROUTE,
    ROUTE_END,
)
from engine.millefiori.cards import AREA, NAME, SYMBOL, SYMBOL_AREA
from engine.millefiori.moves import Decline, Discard, Keep, Move, Play, in_harbor
from engine.millefiori.space_sets import (
    DECIDING_SPACES,
    SHIP_SPACES,
    SPACE_SYMBOL,
    STANDS_ON,
    SYMBOL_SPACES,
)
from engine.millefiori.state import Board, Cards, State


def suits(card: int, place: int) -> bool:
    """Whether the card could ever go to this place."""
    if place == ROUTE:
        return True
    if AREA[card] in ("workshops", "trade"):
        return SPACE_SYMBOL.get(place) == SYMBOL[card]
    return PLACE_AREA[place] == AREA[card]


# Moves are values, so each is made once.
KEEP = tuple(Keep(card) for card in range(len(NAME)))
PLAY = tuple(
    {place: Play(card, place) for place in range(ROUTE + 1) if suits(card, place)}
    for card in range(len(NAME))
)
PLAY_AND_SAIL = tuple(
    {place: Play(card, place, sail=True) for place in PLAY[card] if in_harbor(place)}
    for card in range(len(NAME))
)
DISCARD = tuple(Discard(card) for card in range(len(NAME)))
DECLINE = Decline()


def legal_moves(state: State, seat: int) -> Sequence[Move]:
    """The legal moves of a seat by card, then by place."""
    if state.mover is None:
        return [KEEP[card] for card in dict.fromkeys(state.hands[seat])]
    if state.extras:
        return [*_plays_of(state, seat, state.display), DECLINE]
    if state.tactical:
        return _plays_of(state, seat, state.hands[seat])
    keep = state.kept[seat]
    return plays(state.board, seat, keep.card) if keep else ()


def accepts(state: State, seat: int, move: Move) -> bool:
    """Whether the move is legal, or a legal keep with a placement that its card could ever make."""
    if isinstance(move, Keep) and move.then is not None:
        bare = KEEP[move.card]
        return bare in legal_moves(state, seat) and move in premoves(state, seat, bare)
    return move in legal_moves(state, seat)


def asks(state: State, seat: int) -> bool:
    """False: a seat without a choice waits for the others, so that an automatic keep reveals
    nothing."""
    return False


def premoves(state: State, seat: int, move: Move) -> list[Keep]:
    """A keep with every placement that its card could ever make: spaces may open until the turn."""
    if not isinstance(move, Keep):
        return []
    places = [*PLAY[move.card].values(), *PLAY_AND_SAIL[move.card].values()]
    return [Keep(move.card, then) for then in places]


def _plays_of(state: State, seat: int, cards: Cards) -> list[Move]:
    board = state.board
    filled = board.filled
    plays_of_card = PLAYS[board.left[seat] > 0, board.ships[seat] < ROUTE_END]
    moves: list[Move] = []
    for card in dict.fromkeys(cards):
        moves += plays_of_card[card][filled & DECIDING_SPACES[card]]
    return moves


class Plays(dict[int, tuple[Move, ...]]):
    """All plays of a card, by the filled ones of its deciding spaces.

    There are few combinations; each is computed on first use.
    """

    def __init__(self, card: int, diamond_left: bool, ship_can_sail: bool) -> None:
        super().__init__()
        self.card = card
        self.diamond_left = diamond_left
        self.ship_can_sail = ship_can_sail

    def __missing__(self, filled: int) -> tuple[Move, ...]:
        card = self.card
        moves: list[Move] = []
        if self.diamond_left:
            for place in open_places(SYMBOL[card], filled):
                moves.append(PLAY[card][place])
                if self.ship_can_sail and AREA[card] == "harbor":
                    moves.append(PLAY_AND_SAIL[card][place])
        if self.ship_can_sail:
            moves.append(PLAY[card][ROUTE])
        # A card without a play is discarded.
        found = self[filled] = tuple(moves) or (DISCARD[card],)
        return found


PLAYS = {
    (diamond_left, ship_can_sail): tuple(
        Plays(card, diamond_left, ship_can_sail) for card in range(len(NAME))
    )
    for diamond_left in (False, True)
    for ship_can_sail in (False, True)
}


def plays(board: Board, seat: int, card: int) -> tuple[Move, ...]:
    """All plays of this card."""
    filled = board.filled & DECIDING_SPACES[card]
    return PLAYS[board.left[seat] > 0, board.ships[seat] < ROUTE_END][card][filled]


@cache
def open_places(symbol: str, filled: int) -> tuple[int, ...]:
    """The open places for a card of this symbol."""
    return tuple(_open_places(symbol, filled))


def _open_places(symbol: str, filled: int) -> list[int]:
    area = SYMBOL_AREA[symbol]
    if area == "residences":
        next_one = FIRST_RESIDENCE + filled.bit_count()
        return [next_one] if next_one < FIRST_RESIDENCE + len(PLACES_BY_AREA[area]) else []
    if area == "harbor":
        return [FIRST_LINE + line for line in range(LINES) if not filled & SHIP_SPACES[line][-1]]
    places = [PLACE[name] for name in PLACES_BY_AREA[area]]
    empty = [place for place in places if not filled >> place & 1]
    if area in ("nobili", "populi"):
        return [place for place in empty if STANDS_ON[place] & ~filled == 0]
    return [place for place in empty if SYMBOL_SPACES[symbol] >> place & 1]
