"""Queueing of a letter that follows from no event of a person's log.

The row is part of the caller's transaction. The worker composes the letter when it sends it
(`service.mail.outgoing`), from the facts stored here and from the state of the database by then.
"""

from datetime import datetime
from typing import Any

from service.core.ids import new_id
from service.core.worker_signal import wake
from service.db.models import Letter, LetterState
from service.db.session import db


def queue_letter(
    kind: str,
    to: str,
    facts: dict[str, Any],
    at: datetime,
    *,
    person_id: str | None = None,
    game_id: str | None = None,
    skipped: str | None = None,
) -> None:
    """Queue a letter, or store it as skipped for this reason."""
    db.session.add(
        Letter(
            id=new_id(),
            kind=kind,
            to=to,
            person_id=person_id,
            game_id=game_id,
            facts=facts,
            state=LetterState.pending if skipped is None else LetterState.skipped,
            reason=skipped,
            created_at=at,
            next_try_at=at if skipped is None else None,
        )
    )
    if skipped is None:
        wake("mail")
