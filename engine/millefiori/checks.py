"""For those who check us: what is wrong with a state, and states a seat cannot tell apart."""

from collections.abc import Iterator, Sequence

from engine.chance import Chance
from engine.millefiori.board import BONUS_AREAS, DIAMONDS, PLACE_NAME, ROUTE_END
from engine.millefiori.cards import DECK, HAND, NAME
from engine.millefiori.moves import Keep
from engine.millefiori.sets import RESIDENCE_LINE, SHIP_SPACES, STANDS_ON
from engine.millefiori.state import Cards, State, filled_spaces


def faults(state: State) -> list[str]:
    """Sentences about everything that cannot be; empty for a sound state."""
    return [*_card_faults(state), *_diamond_faults(state), *_board_faults(state)]


def _card_faults(state: State) -> Iterator[str]:
    piles = [state.deck, state.display, state.discard, *state.hands]
    cards = [card for pile in piles for card in pile]
    if not _keeping(state):
        cards += [keep.card for keep in state.kept if keep]
    if sorted(cards) != sorted(DECK):
        yield f"The piles hold {len(cards)} cards that are not the {len(DECK)} of the box."
    for seat, hand in enumerate(state.hands):
        if list(hand) != sorted(hand) or len(hand) > HAND:
            yield f"The hand of seat {seat} is not a sorted hand of at most {HAND}: {hand}."
        keep = state.kept[seat]
        if _keeping(state) and keep and keep.card not in hand:
            yield f"Seat {seat} keeps {NAME[keep.card]}, which is not in its hand."


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
    if together != filled_spaces(board.diamonds).bit_count():
        yield "Two diamonds share a space."
    for area, takers in zip(BONUS_AREAS, board.bonuses):
        if len(set(takers)) != len(takers):
            yield f"A seat took the {area} bonus twice: {takers}."


def _board_faults(state: State) -> Iterator[str]:
    filled = filled_spaces(state.board.diamonds)
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


def imagine(state: State, seats: Sequence[int], chance: Chance) -> State:
    """Other secrets, dealt so that everything these seats have seen stays as they saw it."""
    unseen = [holder for holder in range(len(state.hands)) if not _looked_at(state, holder, seats)]
    hidden_keeps = [
        holder for holder, keep in enumerate(state.kept) if keep and holder not in seats
    ]
    keeping = _keeping(state)
    kept_apart = [] if keeping else hidden_keeps
    pool = [*state.deck]
    for holder in unseen:
        pool += state.hands[holder]
        pool += _kept_cards(state, holder, kept_apart)
    dealt = iter(chance.shuffled("imagined", pool))
    deck = tuple([next(dealt) for _ in state.deck])
    hands, kept = list(state.hands), list(state.kept)
    for holder in range(len(hands)):
        known = [*hands[holder], *_kept_cards(state, holder, kept_apart)]
        if holder in unseen:
            known = [next(dealt) for _ in known]
        if holder in hidden_keeps:
            choice = known[chance.below("imagined", len(known))]
            kept[holder] = Keep(choice)
            if not keeping:
                known.remove(choice)
        hands[holder] = tuple(sorted(known))
    imagined = state._replace(deck=deck, hands=tuple(hands), kept=tuple(kept))
    return imagined._replace(passed=_imagined_past(imagined, seats))


def _keeping(state: State) -> bool:
    """While cards are being chosen the kept ones are still in the hands."""
    return state.mover is None and state.reason is None


def _looked_at(state: State, holder: int, seats: Sequence[int]) -> bool:
    """Whether one of the seats has had this hand in its own hand this round."""
    return any((holder - seat) % len(state.hands) < state.turn for seat in seats)


def _kept_cards(state: State, holder: int, kept_apart: Sequence[int]) -> Cards:
    keep = state.kept[holder]
    return (keep.card,) if keep and holder in kept_apart else ()


def _imagined_past(state: State, seats: Sequence[int]) -> tuple[tuple[Cards, ...], ...]:
    """What the others passed on earlier, as far as it can be known from the hands now."""
    count = len(state.hands)
    return tuple(
        [
            tuple(
                [
                    hand if seat in seats else state.hands[(seat + state.turn - turn) % count]
                    for seat, hand in enumerate(hands)
                ]
            )
            for turn, hands in enumerate(state.passed, start=1)
        ]
    )
