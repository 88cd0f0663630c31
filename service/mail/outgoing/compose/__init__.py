"""What letters to players say: composed when they are sent, from how things stand then.

A letter is for one seat. Everything in it that is about a game comes from the functions with which
the API answers that seat, so that a mail can tell no more than the page does. A letter that is no
longer true, or no longer wanted, is not sent.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from service.db.session import AnyRow, snapshot
from service.mail.outgoing.compose import notices, turns
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded, reader_of
from service.mail.outgoing.compose.invitations import invitation
from service.notify.preferences import preferences
from service.notify.rules import ANSWER, DIGEST, INVITATION, unwanted

__all__ = ["COMPOSED_KINDS", "Composed", "NotNeeded", "compose"]

_WRITERS: Mapping[str, Callable[[LetterContext], Composed]] = {
    "turn": turns.turn,
    DIGEST: turns.digest,
    "reminder": turns.reminder,
    ANSWER: turns.answer,
    "away": notices.away,
    "started": notices.started,
    "finished": notices.finished,
    "mention": notices.mention,
    "cancelled": notices.cancelled,
    "rematch": notices.rematch,
    "webhook_off": notices.webhook_off,
}


# A letter of another kind is written in the transaction that wants it.
COMPOSED_KINDS = frozenset({*_WRITERS, INVITATION})


def compose(letter: AnyRow, at: datetime) -> Composed:
    """Write a letter as it is now; raises NotNeeded."""
    with snapshot():
        if letter.kind == INVITATION:
            return invitation(letter, at)
        reader = reader_of(letter.person_id)
        if reader is None or reader.email is None:
            raise NotNeeded("gone")
        if reader.suspended_at is not None:
            raise NotNeeded("suspended")
        if reader.unreachable_since is not None:
            raise NotNeeded("unreachable")
        if (reason := unwanted(letter.kind, preferences(reader.mail))) is not None:
            raise NotNeeded(reason)
        return _WRITERS[letter.kind](LetterContext(letter, reader, at))
