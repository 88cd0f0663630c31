"""Deadlines for the worker: decisions of bots and overdue players, and pauses that end."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

import structlog
from sqlalchemy import Select, bindparam, select

from service.core.clock import now
from service.core.errors import Problem
from service.core.time_control import GRACE
from service.db.models import Decision, Game
from service.db.session import db, error_fields, execute, is_transient, reading, transact
from service.db.sqlite import give_way
from service.games.autoplay import UnreadReply, answer_automatically
from service.games.moves import PlayedMoves
from service.games.pauses import resume_if_over

log = structlog.get_logger()

GIVE_WAY_EVERY = 8  # answers, each in a transaction of its own


class Waiting(NamedTuple):
    """A decision that the service has to answer."""

    game_id: str
    decision: str


class Taken(Enum):
    """A decision that was answered meanwhile, or whose game is in use by another process."""

    taken = "taken"


TAKEN = Taken.taken


class Attempt(NamedTuple):
    """The result of answering a decision, or its failure; None if an unread mail may answer it."""

    waiting: Waiting
    came: PlayedMoves | Exception | Taken | None


# Open decisions of games that are not frozen.
_OPEN = (
    select(Decision.game_id, Decision.id)
    .join(Game, Game.id == Decision.game_id)
    .where(Decision.closed_at.is_(None), Game.frozen_at.is_(None))
)
# A game whose row is locked is left to the process that holds the lock.
_LOCKED = _OPEN.where(
    Game.id == bindparam("game"), Decision.id == bindparam("decision")
).with_for_update(of=Game, skip_locked=True)


def waiting_for_bots(most: int) -> list[Waiting]:
    """Decisions of seats that a bot plays, the longest open first."""
    of_bots = _OPEN.where(Decision.person_id.is_(None)).order_by(Decision.opened_at)
    return _read(of_bots.limit(most))


def overdue(at: datetime, most: int) -> list[Waiting]:
    """Decisions of people whose deadline and grace are over, the longest overdue first."""
    late = _OPEN.where(Decision.person_id.is_not(None), Decision.due_at <= at - GRACE)
    return _read(late.order_by(Decision.due_at).limit(most))


def _read(query: Select[str, str]) -> list[Waiting]:
    with reading():
        return [Waiting(*row) for row in execute(query)]


def attempt_each(
    waiting: Sequence[Waiting],
    unread_reply: UnreadReply,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Attempt]:
    """Answer these decisions one after the other, until asked to stop.

    Each has a transaction of its own, so that no game and no person's log stays locked for others
    and a failure keeps no other waiting. It ends early when another process has one of them, and so
    probably the rest.
    """
    for number, one in enumerate(waiting, start=1):
        if stop():
            return
        attempt = _attempt(one, now(), unread_reply)
        yield attempt
        if attempt.came is TAKEN:
            return
        if number % GIVE_WAY_EVERY == 0:
            give_way(db.engine)


def _attempt(waiting: Waiting, at: datetime, unread_reply: UnreadReply) -> Attempt:
    try:
        return Attempt(waiting, transact(lambda: _answer(waiting, at, unread_reply)))
    except Exception as error:
        return _failed(waiting, error)


def _answer(
    waiting: Waiting, at: datetime, unread_reply: UnreadReply
) -> PlayedMoves | Taken | None:
    """Answer a decision in this transaction, unless another process has its game."""
    asked = {"game": waiting.game_id, "decision": waiting.decision}
    if execute(_LOCKED, asked).first() is None:
        return TAKEN
    return answer_automatically(*waiting, at, unread_reply)


def _failed(waiting: Waiting, error: Exception) -> Attempt:
    """Log a failure of this decision; raise a transient one, which leaves the rest for later."""
    if is_transient(error):
        raise error
    if isinstance(error, Problem):  # such as a game whose board is not here
        log.warning("not_answered", game=waiting.game_id, reason=error.code)
    else:
        game_id, decision = waiting
        log.error("not_answered", game=game_id, decision=decision, **error_fields(error))
    return Attempt(waiting, error)


def resume_paused(at: datetime, stop: Callable[[], bool] = lambda: False) -> int:
    """End the pauses that have reached their limit; how many those were."""
    games = db.session.scalars(
        select(Game.id)
        .where(Game.paused_until <= at, Game.frozen_at.is_(None))
        .order_by(Game.paused_until, Game.id)
    ).all()
    return sum(_end_pause(game_id, at) for game_id in games if not stop())


def _end_pause(game_id: str, at: datetime) -> bool:
    """End the pause of one game; a failure keeps no other waiting."""
    try:
        return transact(lambda: resume_if_over(game_id, at))
    except Exception as error:
        if is_transient(error):
            raise
        log.error("not_resumed", game=game_id, **error_fields(error))
        return False
