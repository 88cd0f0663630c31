"""What has to be done when nobody is calling: questions and clearing up for the worker."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Column, ColumnElement, Select, bindparam, select

from service.core.clock import now
from service.core.errors import Problem
from service.core.time_control import GRACE
from service.db.models import (
    Decision,
    Game,
)
from service.db.session import (
    db,
    error_fields,
    execute,
    is_transient,
    one_writes_at_a_time,
    reading,
    savepoint,
    table,
    transact,
)
from service.db.write_lock import give_way
from service.games.autoplay import UnreadReply, answer_for_absent
from service.games.moves import PlayedMoves
from service.games.pauses import resume_if_over

log = structlog.get_logger()

# Where one writes at a time, several answers share a turn and its commit, which takes longer than
# an answer; but never so many that somebody who wants to write notices.
MOST_IN_A_TURN = 50
LONGEST_TURN = 0.02  # seconds


class Waiting(NamedTuple):
    """A decision that the house has to answer."""

    game_id: str
    decision: str


class Taken(Enum):
    """A decision that was answered meanwhile, or whose game is in use by another process."""

    taken = "taken"


TAKEN = Taken.taken


class Attempt(NamedTuple):
    """What came of a decision that the service had to answer: a result, or why it could not be
    done; None if it waits for a mail that has to be read first."""

    waiting: Waiting
    came: PlayedMoves | Exception | Taken | None


_DECISION, _GAME = table(Decision), table(Game)


def _open(which: ColumnElement[bool], order: Column[datetime]) -> Select[str, str]:
    """Open decisions of games in which something can be played."""
    return (
        select(_DECISION.c.game_id, _DECISION.c.id)
        .join(_GAME, _GAME.c.id == _DECISION.c.game_id)
        .where(which, _DECISION.c.closed_at.is_(None), _GAME.c.frozen_at.is_(None))
        .order_by(order)
        .limit(bindparam("most"))
    )


_OF_BOTS = _open(_DECISION.c.person_id.is_(None), _DECISION.c.opened_at)
_OVERDUE = _open(
    _DECISION.c.person_id.is_not(None) & (_DECISION.c.due_at <= bindparam("due")),
    _DECISION.c.due_at,
)


# A game whose row is locked is left to the process that holds the lock.
_LOCKED_GAME = (
    select(_GAME.c.id)
    .join(_DECISION, _DECISION.c.game_id == _GAME.c.id)
    .where(
        _GAME.c.id == bindparam("game"),
        _DECISION.c.id == bindparam("decision"),
        _DECISION.c.closed_at.is_(None),
        _GAME.c.frozen_at.is_(None),
    )
    .with_for_update(of=_GAME, skip_locked=True)
)


def waiting_for_bots(most: int) -> list[Waiting]:
    """Decisions of seats that a bot plays, the longest open first."""
    return _asked(_OF_BOTS, {"most": most})


def overdue(at: datetime, most: int) -> list[Waiting]:
    """Decisions of people whose time is up, and a little longer than that, the longest first."""
    return _asked(_OVERDUE, {"due": at - GRACE, "most": most})


def _asked(statement: Select[str, str], parameters: Mapping[str, Any]) -> list[Waiting]:
    with reading():
        return [Waiting(*row) for row in execute(statement, parameters)]


def attempt_some(
    waiting: Sequence[Waiting], at: datetime, unread_reply: UnreadReply
) -> list[Attempt]:
    """Answer the first of these decisions, or the first few, for those who do not.

    One that fails must not keep the others waiting. On PostgreSQL each has a transaction of its
    own, so that no game and nobody's log stays locked for others; where all writers queue anyway,
    several share one, and one that fails takes back nothing but itself.
    """
    if not one_writes_at_a_time():
        return [_attempt_alone(waiting[0], at, unread_reply)]
    attempts = transact(lambda: _attempt_in_a_turn(waiting[:MOST_IN_A_TURN], at, unread_reply))
    if len(attempts) < len(waiting):
        give_way()
    return attempts


def attempt_each(
    waiting: Sequence[Waiting],
    unread_reply: UnreadReply,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Attempt]:
    """Answer these decisions one after the other, until asked to stop.

    It ends early when another process has one of them: what follows is likely taken, too.
    """
    left = waiting
    while left and not stop():
        attempts = attempt_some(left, now(), unread_reply)
        left = left[len(attempts) :]
        yield from attempts
        if any(attempt.came is TAKEN for attempt in attempts):
            return


def _attempt_alone(waiting: Waiting, at: datetime, unread_reply: UnreadReply) -> Attempt:
    try:
        return Attempt(waiting, transact(lambda: _answered(waiting, at, unread_reply)))
    except Exception as error:
        return _failed(waiting, error)


def _answered(
    waiting: Waiting, at: datetime, unread_reply: UnreadReply
) -> PlayedMoves | Taken | None:
    """Answer a decision in this transaction, unless another process has its game."""
    asked = {"game": waiting.game_id, "decision": waiting.decision}
    if execute(_LOCKED_GAME, asked).first() is None:
        return TAKEN
    return answer_for_absent(*waiting, at, unread_reply)


def _attempt_in_a_turn(
    waiting: Sequence[Waiting], at: datetime, unread_reply: UnreadReply
) -> list[Attempt]:
    attempts: list[Attempt] = []
    until = time.monotonic() + LONGEST_TURN
    for one in waiting:
        attempts.append(_attempt_as_part(one, at, unread_reply))
        if time.monotonic() >= until:
            break
    return attempts


def _attempt_as_part(waiting: Waiting, at: datetime, unread_reply: UnreadReply) -> Attempt:
    try:
        with savepoint():
            return Attempt(waiting, _answered(waiting, at, unread_reply))
    except Exception as error:
        return _failed(waiting, error)


def _failed(waiting: Waiting, error: Exception) -> Attempt:
    """Note what is the fault of a decision; what lies in the moment leaves all for later."""
    if is_transient(error):
        raise error
    if isinstance(error, Problem):  # such as a game whose board is not here
        log.warning("not_answered", game=waiting.game_id, reason=error.code)
    else:
        log.error(
            "not_answered", game=waiting.game_id, decision=waiting.decision, **error_fields(error)
        )
    return Attempt(waiting, error)


def resume_paused(at: datetime, stop: Callable[[], bool] = lambda: False) -> int:
    """End the pauses that took as long as a pause may take; how many those were."""
    games = db.session.scalars(
        select(Game.id)
        .where(Game.paused_until <= at, Game.frozen_at.is_(None))
        .order_by(Game.paused_until, Game.id)
    ).all()
    return sum(_resumed(game_id, at) for game_id in games if not stop())


def _resumed(game_id: str, at: datetime) -> bool:
    """One game of which something cannot be done must not keep the others waiting."""
    try:
        return transact(lambda: resume_if_over(game_id, at))
    except Exception as error:
        if is_transient(error):
            raise
        log.error("not_resumed", game=game_id, **error_fields(error))
        return False
