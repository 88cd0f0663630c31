"""Competition ranking: equal players share a place, and the places after it stay empty."""

from collections.abc import Sequence


def places(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The place of each seat by its sort key, the highest key first, as `(1, 2, 2, 4)`."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


def first(ranking: Sequence[int]) -> tuple[int, ...]:
    """The seats on the first place."""
    return tuple(seat for seat, place in enumerate(ranking) if place == 1)
