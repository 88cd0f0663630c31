"""Forced moves: moves that follow without a question, as far as a seat can be certain of them."""

from collections.abc import Callable, Collection
from typing import Any

from engine.chance import SEED_BYTES, Chance
from engine.contract import Forced, Step

_NO_SEED = bytes(SEED_BYTES)

Apply = Callable[[Any, int, Any, Chance], Step]
OnlyMove = Callable[[Any, int], Any]


def forced_after(
    apply: Apply, only_move: OnlyMove, state: Any, seat: int, move: Any, uncertain: Collection[str]
) -> tuple[Forced, ...]:
    """The chain of single moves of the seat after this move.

    `only_move` gives the automatic move of the seat in a state, or None. The chain ends where
    chance was drawn or an event of a type in `uncertain` happened: the seat does not know what
    follows.
    """
    found: list[Forced] = []
    while True:
        chance = Chance(_NO_SEED, "forced")
        after, events = apply(state, seat, move, chance)
        if chance.drawn or any(event["type"] in uncertain for event in events):
            return tuple(found)
        following = only_move(after, seat)
        if following is None:
            return tuple(found)
        found.append(Forced(after, following))
        state, move = after, following
