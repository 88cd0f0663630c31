"""Indistinguishable states: the same game with other secrets."""

from collections.abc import Sequence

from engine.chance import Chance
from engine.millefiori.moves import Discard, Keep, Move, Play
from engine.millefiori.state import Cards, State, being_chosen, held_cards
from engine.millefiori.tuples import without


def imagine(
    state: State, seats: Sequence[int], chance: Chance, mover: int, move: Move | None
) -> State:
    """A state with other secrets, and with everything that these seats have seen unchanged.

    A seat knows a hand that it has had, except for the card that was kept from it. All other hands
    are dealt anew together with the deck. The card of the mover's move stays with the mover.
    """
    holders = range(len(state.hands))
    unseen = [holder for holder in holders if not _looked_at(state, holder, seats)]
    pinned = [_pinned(state, holder, mover, move) for holder in holders]
    pool = list(state.deck)
    for holder in unseen:
        pool += _unpinned(state, holder, pinned[holder])
    dealt = iter(chance.shuffled("imagined", pool))
    deck = tuple([next(dealt) for _ in state.deck])
    hands, kept = list(state.hands), list(state.kept)
    for holder in holders:
        held = held_cards(state, holder)
        if holder in unseen:
            fresh = [next(dealt) for _ in _unpinned(state, holder, pinned[holder])]
            held = (*pinned[holder], *fresh)
        if kept[holder] is not None and holder not in seats:
            kept[holder] = _other_keep(state, holder, held, pinned[holder], chance)
        hands[holder] = _hand_without_keep(state, held, kept[holder])
    imagined = state._replace(deck=deck, hands=tuple(hands), kept=tuple(kept))
    return imagined._replace(passed=_imagined_past(imagined, seats))


def _looked_at(state: State, holder: int, seats: Sequence[int]) -> bool:
    """Whether one of the seats has held this hand this round."""
    return any((holder - seat) % len(state.hands) < state.turn for seat in seats)


def _pinned(state: State, holder: int, mover: int, move: Move | None) -> Cards:
    """The card of the mover's move, if it comes from its own cards."""
    if holder == mover and not state.extras and isinstance(move, (Play, Discard)):
        return (move.card,)
    return ()


def _unpinned(state: State, holder: int, pinned: Cards) -> Cards:
    held = held_cards(state, holder)
    return without(held, pinned[0]) if pinned else held


def _other_keep(
    state: State, holder: int, held: Cards, pinned: Cards, chance: Chance
) -> Keep | None:
    if pinned:
        return state.kept[holder]
    return Keep(held[chance.below("imagined", len(held))])


def _hand_without_keep(state: State, held: Cards, keep: Keep | None) -> Cards:
    if keep is None or being_chosen(state):
        return tuple(sorted(held))
    return tuple(sorted(without(held, keep.card)))


def _imagined_past(state: State, seats: Sequence[int]) -> tuple[tuple[Cards, ...], ...]:
    """The hands that others passed on earlier, as far as the current hands determine them."""
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
