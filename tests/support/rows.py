"""Rows as queries return them, for functions that need no database; other columns are empty."""

from typing import Any, NamedTuple, TypeVar

from service.access.rows import DecisionRow, GameRow, SeatRow

Row = TypeVar("Row", bound=NamedTuple)


def _row(kind: type[Row], facts: dict[str, Any]) -> Row:
    assert facts.keys() <= set(kind._fields)
    return kind._make(facts.get(name) for name in kind._fields)


def game_row(**facts: Any) -> GameRow:
    return _row(GameRow, facts)


def seat_row(**facts: Any) -> SeatRow:
    return _row(SeatRow, facts)


def decision_row(**facts: Any) -> DecisionRow:
    return _row(DecisionRow, facts)
