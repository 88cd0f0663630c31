"""Tuples with one entry changed."""

from typing import TypeVar

T = TypeVar("T")


def replaced(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """The values with another one at this index."""
    changed = list(values)
    changed[index] = value
    return tuple(changed)


def without(values: tuple[T, ...], value: T) -> tuple[T, ...]:
    """The values with the first such value taken out."""
    index = values.index(value)
    return values[:index] + values[index + 1 :]
