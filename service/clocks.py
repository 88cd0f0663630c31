"""How long a decision may take: pure functions of a clock, what is left of it, and instants.

A clock is `{"kind": "none"}`, `{"kind": "flat", "hours": 48}` (that much for every decision) or
`{"kind": "bank", "start_hours": 72, "increment_hours": 12, "cap_hours": 120}`: a store of time,
to which every decision adds, up to the cap.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

Clock = Mapping[str, Any]

HOUR = 3600
DEFAULT_CLOCK: Clock = {"kind": "flat", "hours": 48}


def first_bank(clock: Clock) -> int | None:
    """The seconds a seat begins with; None where nothing is stored up."""
    return round(clock["start_hours"] * HOUR) if clock["kind"] == "bank" else None


def allowance(clock: Clock, bank: int | None) -> timedelta | None:
    """How long a decision that opens now may take; None: as long as it likes."""
    if clock["kind"] == "flat":
        return timedelta(hours=clock["hours"])
    if clock["kind"] == "bank":
        stored = (bank or 0) + round(clock["increment_hours"] * HOUR)
        return timedelta(seconds=min(stored, round(clock["cap_hours"] * HOUR)))
    return None


def due_at(clock: Clock, bank: int | None, opened_at: datetime) -> datetime | None:
    """When a decision must be answered."""
    time = allowance(clock, bank)
    return None if time is None else opened_at + time


def bank_after(clock: Clock, due: datetime | None, answered_at: datetime) -> int | None:
    """The seconds left after an answer."""
    if clock["kind"] != "bank" or due is None:
        return None
    return max(0, int((due - answered_at).total_seconds()))


def longest_wait(clock: Clock) -> timedelta | None:
    """What everybody can count on: no decision of this game takes longer."""
    if clock["kind"] == "flat":
        return timedelta(hours=clock["hours"])
    if clock["kind"] == "bank":
        return timedelta(hours=clock["cap_hours"])
    return None
