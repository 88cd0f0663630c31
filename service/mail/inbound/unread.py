"""Replies that came in and nobody has read yet."""

from datetime import datetime

from sqlalchemy import bindparam, select

from service.db.models import Incoming, Letter
from service.db.session import execute, table

_INCOMING, _LETTER = table(Incoming), table(Letter)
# A reply to a letter that asked this decision, or to one about the game that asked nothing. A mail
# that cannot be read is given up after a while (`next_try_at`), so no game waits for it for ever.
_UNREAD = (
    select(_INCOMING.c.id)
    .select_from(_INCOMING.join(_LETTER, _LETTER.c.id == _INCOMING.c.letter_id))
    .where(
        _INCOMING.c.next_try_at.is_not(None),
        _INCOMING.c.received_at <= bindparam("until"),
        _LETTER.c.game_id == bindparam("game"),
        (_LETTER.c.decision == bindparam("decision"))
        | (_LETTER.c.decision.is_(None) & (_LETTER.c.person_id == bindparam("person"))),
    )
    .limit(1)
)


def has_unread_reply(game_id: str, decision: str, person_id: str, until: datetime) -> bool:
    """Whether a reply to this decision was received by this instant and waits to be read."""
    asked = {"game": game_id, "decision": decision, "person": person_id, "until": until}
    return execute(_UNREAD, asked).first() is not None
