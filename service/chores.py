"""What has to be done when nobody is calling: questions and clearing up for the worker."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, CursorResult, delete, select

from service.database import db
from service.models import Decision, KeptAnswer, Letter, SignIn

SIGN_INS_FOR = timedelta(days=7)
ANSWERS_FOR = timedelta(days=1)
LETTERS_FOR = timedelta(days=30)


class Waiting(NamedTuple):
    """A decision that the house has to answer."""

    game_id: str
    decision: str


def waiting_for_bots(most: int) -> list[Waiting]:
    """Decisions of seats that a bot plays, the longest open first."""
    return _open(Decision.person_id.is_(None), Decision.opened_at, most)


def overdue(at: datetime, most: int) -> list[Waiting]:
    """Decisions of people whose time is up, the longest overdue first."""
    late = Decision.person_id.is_not(None) & (Decision.due_at <= at)
    return _open(late, Decision.due_at, most)


def _open(which: ColumnElement[bool], order: Any, most: int) -> list[Waiting]:
    rows = db.session.execute(
        select(Decision.game_id, Decision.id)
        .where(which, Decision.closed_at.is_(None))
        .order_by(order, Decision.game_id, Decision.id)
        .limit(most)
    )
    return [Waiting(game_id, decision) for game_id, decision in rows]


def purge(at: datetime) -> int:
    """Forget what nobody needs any more; how many rows that were."""
    return sum(
        _deleted(delete(model).where(which))
        for model, which in (
            (SignIn, SignIn.created_at < at - SIGN_INS_FOR),
            (KeptAnswer, KeptAnswer.created_at < at - ANSWERS_FOR),
            (Letter, (Letter.created_at < at - LETTERS_FOR) & Letter.next_try_at.is_(None)),
        )
    )


def _deleted(deletion: Any) -> int:
    done = db.session.execute(deletion.execution_options(synchronize_session=False))
    assert isinstance(done, CursorResult)
    return done.rowcount
