"""Composition of letters when they are sent, from the current state.

A letter is for one seat. Its facts about a game come from the functions that serve the API for that
seat, so that a mail reveals no more than the page. A letter that is no longer true, or no longer
wanted, is not sent.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from service.db.models import Person
from service.db.session import db, snapshot
from service.mail.outgoing.compose import notices, turns
from service.mail.outgoing.compose.answers import answer
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.digests import digest
from service.mail.outgoing.compose.invitations import invitation
from service.mail.outgoing.queue import AnyLetter
from service.notify.notification_rules import ANSWER, DIGEST, INVITATION, reason_not_to_send
from service.notify.preferences import preferences

__all__ = ["COMPOSED_KINDS", "Composed", "NotNeeded", "compose"]

_WRITERS: Mapping[str, Callable[[LetterContext], Composed]] = {
    "turn": turns.turn,
    DIGEST: digest,
    "reminder": turns.reminder,
    ANSWER: answer,
    "away": notices.away,
    "started": notices.started,
    "finished": notices.finished,
    "mention": notices.mention,
    "cancelled": notices.cancelled,
    "rematch": notices.rematch,
    "webhook_off": notices.webhook_off,
}
# Letters of other kinds are rendered when they are queued.
COMPOSED_KINDS = frozenset({*_WRITERS, INVITATION})


def compose(letter: AnyLetter, at: datetime) -> Composed:
    """Compose a letter; raises NotNeeded."""
    with snapshot():
        if letter.kind == INVITATION:
            return invitation(letter, at)
        known = letter.person_id is not None
        reader = db.session.get(Person, letter.person_id) if known else None
        if reader is None or reader.email is None:
            raise NotNeeded("gone")
        if reader.suspended_at is not None:
            raise NotNeeded("suspended")
        if reader.unreachable_since is not None:
            raise NotNeeded("unreachable")
        if (reason := reason_not_to_send(letter.kind, preferences(reader.mail))) is not None:
            raise NotNeeded(reason)
        return _WRITERS[letter.kind](LetterContext(letter, reader, at))
