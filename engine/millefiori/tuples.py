"""Changed copies of tuples."""

from typing import TypeVar

T = TypeVar("T")


def replaced(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """A copy with another value at this index."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


def without(values: tuple[T, ...], value: T) -> tuple[T, ...]:
    """A copy without the first such value."""
    index = values.index(value)
    return values[:index] + values[index + 1 :]
