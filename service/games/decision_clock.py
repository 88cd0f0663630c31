"""The clocks of seats: what a decision is given when it opens, and what is left after it.

Functions of rows, without a database: a game's row with its `clock`, a seat's row with the habits
of its owner (see `access_seats`), a decision's row.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from service.core.time_control import (
    Span,
    absence_left,
    absences_of,
    allowance,
    bank_after,
    before,
    length,
    sleep_of,
    stood,
    term,
    unused,
)
from service.db.session import AnyRow

Changes = dict[str, Any]  # columns of a row with new values

NO_TIME: Mapping[str, int | None] = {
    "allowed": None,
    "due_at": None,
    "stands": None,
    "held": 0,
    "left": None,
}


def time_for(game: AnyRow, seat: AnyRow, at: datetime) -> Changes:
    """The time of a decision that opens now. A bot needs none; in a pause it is kept for later."""
    if seat.bot:
        return dict(NO_TIME)
    allowed = allowance(game.clock, seat.bank)
    if game.paused_at is not None:
        return {**NO_TIME, "allowed": allowed, "left": allowed}
    return {**NO_TIME, "allowed": allowed, **_running(game, seat, allowed, at)}


def _running(game: AnyRow, seat: AnyRow, seconds: int, at: datetime) -> Changes:
    """When somebody is due who has so many seconds from now on, and when their clock stands."""
    budget = absence_left(game.clock, seat.absence_used)
    due, stands = term(seconds, at, sleep_of(seat), absences_of(seat), budget)
    return {"due_at": due, "stands": written(stands)}


def absence_in(stands: list[list[str]] | None) -> int:
    """The seconds for which a clock stands in all."""
    return 0 if stands is None else length(spans(stands))


def after_answer(
    game: AnyRow, seat: AnyRow, decision: AnyRow, at: datetime, automatic: bool
) -> Changes:
    """What changes for a seat whose decision was answered. What was automatic costs nothing, and
    neither does a pause; of absences it was given what has not been used goes back."""
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


def _left(decision: AnyRow, stands: list[Span], until: datetime) -> int:
    return unused(decision.allowed, decision.opened_at, until, stands, decision.held)


def stopped(seat: AnyRow, decision: AnyRow, at: datetime) -> tuple[Changes, Changes]:
    """What changes for a decision and its seat when all clocks are stopped.

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
    game: AnyRow, seat: AnyRow, decision: AnyRow, since: datetime, at: datetime
) -> tuple[Changes, Changes]:
    """What changes for a decision and its seat when the clocks run again that stood since then."""
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


def thawed(game: AnyRow, seat: AnyRow, decision: AnyRow, at: datetime) -> tuple[Changes, Changes]:
    """What changes for a decision and its seat as if its clock had been stopped when the game was
    frozen, and ran again now."""
    held, given_back = stopped(seat, decision, game.frozen_at)
    running, taken = started_again(
        game, seat._replace(**given_back), decision._replace(**held), game.frozen_at, at
    )
    return held | running, given_back | taken


def spans(stands: list[list[str]] | None) -> list[Span]:
    """Instants as they are kept with a decision."""
    return [
        Span(datetime.fromisoformat(start), datetime.fromisoformat(end))
        for start, end in stands or ()
    ]


def written(found: Iterable[Span]) -> list[list[str]] | None:
    """The same as it is kept; nothing if there is nothing."""
    return [[span.start.isoformat(), span.end.isoformat()] for span in found] or None
