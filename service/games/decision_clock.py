"""Clocks of seats: the time of a decision when it opens, and the rest after it. Pure functions of
rows."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from service.access.rows import DecisionRow, GameRow, SeatRow
from service.core.time_control import (
    Span,
    absence_left,
    absence_spans,
    allowance,
    bank_after,
    before,
    length,
    sleep_of,
    stood,
    term,
    unused,
)

Changes = dict[str, Any]  # columns of a row with new values

NO_TIME: Mapping[str, int | None] = {
    "allowed": None,
    "due_at": None,
    "stands": None,
    "held": 0,
    "left": None,
}


def time_for(game: GameRow, seat: SeatRow, at: datetime) -> Changes:
    """The time of a decision that opens now. A bot needs none; in a pause it starts later."""
    if seat.bot:
        return dict(NO_TIME)
    allowed = allowance(game.clock, seat.bank)
    if game.paused_at is not None:
        return {**NO_TIME, "allowed": allowed, "left": allowed}
    return {**NO_TIME, "allowed": allowed, **_running(game, seat, allowed, at)}


def _running(game: GameRow, seat: SeatRow, seconds: int, at: datetime) -> Changes:
    """The deadline of a clock that runs so many seconds from now on, and when it stands."""
    budget = absence_left(game.clock, seat.absence_used)
    due, stands = term(seconds, at, sleep_of(seat), absence_spans(seat.absences), budget)
    return {"due_at": due, "stands": written(stands)}


def absence_in(stands: list[list[str]] | None) -> int:
    """The seconds for which a clock stands in all."""
    return 0 if stands is None else length(spans(stands))


def after_answer(
    game: GameRow, seat: SeatRow, decision: DecisionRow, at: datetime, automatic: bool
) -> Changes:
    """The changes of a seat whose decision was answered. An automatic answer and a pause cost
    nothing; the unused part of absences goes back to the budget."""
    until = at
    if automatic:
        until = decision.opened_at
    elif game.paused_at is not None:
        until = max(decision.opened_at, game.paused_at)
    stands = spans(decision.stands)
    changes: Changes = {}
    bank = bank_after(game.clock, _left(decision, stands, until))
    if bank is not None and bank != seat.bank:
        changes["bank"] = bank
    to_come = length(stands) - stood(stands, until)
    if to_come:
        changes["absence_used"] = max(0, seat.absence_used - to_come)
    return changes


def reopened(
    seat: SeatRow, answered: DecisionRow, closed_at: datetime, opened: DecisionRow
) -> Changes:
    """The changes of a seat that takes an answer back: its budget for absences is as if the
    decision had never been answered. The bank is computed with the next answer."""
    stands = spans(answered.stands)
    given_back = length(stands) - stood(stands, closed_at)
    used = max(0, seat.absence_used + given_back - absence_in(opened.stands))
    return {} if used == seat.absence_used else {"absence_used": used}


def _left(decision: DecisionRow, stands: list[Span], until: datetime) -> int:
    assert decision.allowed is not None, "the decision of a bot has no clock"
    return unused(decision.allowed, decision.opened_at, until, stands, decision.held)


def stopped(seat: SeatRow, decision: DecisionRow, at: datetime) -> tuple[Changes, Changes]:
    """The changes of a decision and its seat when all clocks stop.

    Absences and nights to come are no part of the time that is left: they count when it runs again.
    """
    stands = spans(decision.stands)
    to_come = length(stands) - stood(stands, at)
    changes = {
        "due_at": None,
        "remind_at": None,
        "left": _left(decision, stands, at),
        "stands": written(before(stands, at)),
    }
    return changes, {"absence_used": max(0, seat.absence_used - to_come)} if to_come else {}


def started_again(
    game: GameRow, seat: SeatRow, decision: DecisionRow, since: datetime, at: datetime
) -> tuple[Changes, Changes]:
    """The changes of a decision and its seat when the clocks run again that stood since then."""
    assert decision.left is not None, "its clock runs"
    running = _running(game, seat, decision.left, at)
    more = absence_in(running["stands"])
    stood_for = at - max(since, decision.opened_at)
    return (
        {
            "due_at": running["due_at"],
            "left": None,
            "stands": written([*spans(decision.stands), *spans(running["stands"])]),
            "held": decision.held + round(stood_for.total_seconds()),
        },
        {"absence_used": seat.absence_used + more} if more else {},
    )


def thawed(
    game: GameRow, seat: SeatRow, decision: DecisionRow, at: datetime
) -> tuple[Changes, Changes]:
    """The changes of a decision and its seat as if its clock had stopped when the game was frozen,
    and ran again now."""
    assert game.frozen_at is not None
    held, given_back = stopped(seat, decision, game.frozen_at)
    running, taken = started_again(
        game, seat._replace(**given_back), decision._replace(**held), game.frozen_at, at
    )
    return held | running, given_back | taken


def spans(stands: list[list[str]] | None) -> list[Span]:
    """The stored spans of a decision."""
    return [
        Span(datetime.fromisoformat(start), datetime.fromisoformat(end))
        for start, end in stands or ()
    ]


def written(found: Iterable[Span]) -> list[list[str]] | None:
    """Spans as they are stored; None for none."""
    return [[span.start.isoformat(), span.end.isoformat()] for span in found] or None
