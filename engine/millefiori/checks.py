"""Invariants of a state: cards, diamonds, the end."""

from collections.abc import Iterator

from engine.millefiori.board import BONUS_AREAS, DIAMONDS, PLACE_NAME, RESERVE, ROUTE_END
from engine.millefiori.cards import DECK, HAND, NAME, ROUNDS
from engine.millefiori.space_sets import RESIDENCE_LINE, SHIP_SPACES, STANDS_ON
from engine.millefiori.state import State, being_chosen


def faults(state: State) -> list[str]:
    """A sentence for each broken invariant; empty for a sound state."""
    return [
        *_card_faults(state),
        *_course_faults(state),
        *_diamond_faults(state),
        *_board_faults(state),
    ]


def _card_faults(state: State) -> Iterator[str]:
    piles = [state.deck, state.display, state.discard, *state.hands]
    cards = [card for pile in piles for card in pile]
    if not being_chosen(state):
        cards += [keep.card for keep in state.kept if keep]
    if sorted(cards) != sorted(DECK):
        yield f"The piles hold {len(cards)} cards that are not the {len(DECK)} of the box."
    for seat, hand in enumerate(state.hands):
        if list(hand) != sorted(hand) or len(hand) > HAND:
            yield f"The hand of seat {seat} is not a sorted hand of at most {HAND}: {hand}."
        keep = state.kept[seat]
        if being_chosen(state) and keep and keep.card not in hand:
            yield f"Seat {seat} keeps {NAME[keep.card]}, which is not in its hand."


def _course_faults(state: State) -> Iterator[str]:
    """The deck lasts for a fixed number of rounds; only diamonds end a game earlier."""
    seats = len(state.hands)
    rounds_left = ROUNDS[seats] - state.round
    if len(state.deck) != rounds_left * HAND * seats:
        yield f"In round {state.round} there are {len(state.deck)} cards in the deck."
    supply_used_up = min(state.board.left) <= RESERVE
    if state.reason == "deck" and (rounds_left or supply_used_up):
        yield f"The deck is said to end the game {rounds_left} rounds early."
    if state.reason == "diamonds" and not supply_used_up:
        yield "Diamonds are said to end the game, and everybody has a supply."


def _diamond_faults(state: State) -> Iterator[str]:
    board = state.board
    for seat, own in enumerate(board.diamonds):
        bonuses = sum(seat in takers for takers in board.bonuses)
        used = own.bit_count() + bonuses
        left = board.left[seat]
        unmarked = used + left - DIAMONDS  # bonuses taken when no diamond was left
        if left < 0 or unmarked < 0 or (unmarked > 0 and (left > 0 or unmarked > bonuses)):
            yield f"Seat {seat} has {used} diamonds in use and {left} left, not {DIAMONDS}."
    together = sum(own.bit_count() for own in board.diamonds)
    if together != board.filled.bit_count() or sum(board.diamonds) != board.filled:
        yield "Two diamonds share a space, or a filled space has no diamond."
    for area, takers in zip(BONUS_AREAS, board.bonuses):
        if len(set(takers)) != len(takers):
            yield f"A seat took the {area} bonus twice: {takers}."


def _board_faults(state: State) -> Iterator[str]:
    filled = state.board.filled
    line = filled & RESIDENCE_LINE
    first = RESIDENCE_LINE & -RESIDENCE_LINE
    if line and (line + first) & line:
        yield "The residences are not filled one after the other."
    for space, supports in STANDS_ON.items():
        if filled >> space & 1 and supports & ~filled:
            yield f"{PLACE_NAME[space]} does not stand on two diamonds."
    for number, (left, middle, right) in enumerate(SHIP_SPACES, start=1):
        if (filled & right and not filled & middle) or (filled & middle and not filled & left):
            yield f"Harbor line {number} is not filled from the left."
    for seat, (ship, score) in enumerate(zip(state.board.ships, state.board.scores)):
        if not 0 <= ship <= ROUTE_END or score < 0:
            yield f"Seat {seat} has its ship on {ship} and {score} points."
