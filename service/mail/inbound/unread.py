"""Replies that wait to be processed."""

from datetime import datetime

from sqlalchemy import select

from service.db.models import Incoming, Letter
from service.db.session import execute


def has_unread_reply(game_id: str, decision: str, person_id: str, until: datetime) -> bool:
    """Whether a reply to this decision was received by this instant and is not processed.

    It answers a letter about the decision, or one about the game without a question. The queue
    gives up a mail after some attempts, so that no game waits for it for ever.
    """
    about = (Letter.decision == decision) | (
        Letter.decision.is_(None) & (Letter.person_id == person_id)
    )
    unread = (
        select(Incoming.id)
        .join(Letter, Letter.id == Incoming.letter_id)
        .where(
            Incoming.next_try_at.is_not(None),
            Incoming.received_at <= until,
            Letter.game_id == game_id,
            about,
        )
    )
    return execute(unread.limit(1)).first() is not None
