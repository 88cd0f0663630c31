"""Letters that are somebody's to send: claimed many at a time, and each noted when it is done with.

A claim is one update that takes many letters until an instant; nobody else sends them before it,
and only who has it can say what became of them.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Connection, bindparam, exists, insert, select, update

from service.core.clock import now
from service.core.ids import new_id
from service.db.models import Letter, LetterState
from service.db.models import Picture as KeptPicture
from service.db.session import (
    AnyRow,
    db,
    is_transient,
    reading,
    reading_options,
    run,
    table,
    transact,
    turn_to_write,
)
from service.db.statements import Prepared, Rows

log = structlog.get_logger()

AT_ONCE = 100  # letters of a claim
NOTED_WITHIN = 20.0  # seconds in which the database may come back
# Longer than everything takes at its slowest before it is renewed: `mailing.RENEWED_AFTER`, a mail,
# and its note.
CLAIMED_FOR = timedelta(minutes=3)
COMPOSED = ("subject", "text", "html", "game_id", "decision", "facts", "picture")

_LETTER = table(Letter)
_IS_DUE = _LETTER.c.next_try_at <= bindparam("present")
_FIRST_DUE = Prepared(
    select(_LETTER.c.claims).where(_IS_DUE).order_by(_LETTER.c.next_try_at, _LETTER.c.id).limit(1)
)
_CLAIM = Prepared(
    update(_LETTER)
    .where(
        _LETTER.c.id.in_(
            select(_LETTER.c.id)
            .where(_IS_DUE, _LETTER.c.claims == bindparam("so_far"))
            .order_by(_LETTER.c.next_try_at, _LETTER.c.id)
            .limit(bindparam("most"))
            .with_for_update(skip_locked=True)
        )
    )
    .values(
        claim=bindparam("new_claim"), claims=_LETTER.c.claims + 1, next_try_at=bindparam("again")
    )
    .returning(*_LETTER.c)
)


def _of_one(**values: Any) -> Prepared:
    """What became of a letter, which is claimed no more."""
    return Prepared(
        update(_LETTER)
        .where(_LETTER.c.id == bindparam("letter"), _LETTER.c.claim == bindparam("of_claim"))
        .values({"claim": None, "claims": 0, "begun_at": None} | values)
        .returning(_LETTER.c.id)
    )


def _of_rest(**values: Any) -> Prepared:
    """Something about all letters of a claim of which nothing has become yet."""
    return Prepared(
        update(_LETTER)
        .where(
            _LETTER.c.next_try_at == bindparam("until"),  # which has an index
            _LETTER.c.claim == bindparam("of_claim"),
        )
        .values(next_try_at=bindparam("again"), **values)
        .returning(_LETTER.c.id)
    )


RENEW = _of_rest()
GIVE_BACK = _of_rest(claim=None, claims=_LETTER.c.claims - 1)
PUT_OFF = _of_rest(
    claim=None, claims=_LETTER.c.claims - 1, state=LetterState.failed, error=bindparam("why")
)
_WAS_SENT: dict[str, Any] = {
    "state": LetterState.sent,
    "attempts": _LETTER.c.attempts + 1,
    "next_try_at": None,
    "error": None,
    "sent_at": bindparam("present"),
}
_AS_COMPOSED: dict[str, Any] = {name: bindparam(f"new_{name}") for name in COMPOSED}
SENT = _of_one(**_WAS_SENT)
COMPOSED_AND_SENT = _of_one(**_WAS_SENT, **_AS_COMPOSED)
# Written before a mail is handed over, with what it says: whatever happens then, a letter that may
# have arrived is known as such, and can be replied to.
BEGIN = Prepared(
    update(_LETTER)
    .where(_LETTER.c.id == bindparam("letter"), _LETTER.c.claim == bindparam("of_claim"))
    .values(begun_at=bindparam("present"), **_AS_COMPOSED)
    .returning(_LETTER.c.id)
)
# Handed over once, no answer known, and by now no longer true: it is not sent again.
UNCONFIRMED = _of_one(
    state=LetterState.sent,
    reason="unconfirmed",
    next_try_at=None,
    error=None,
    sent_at=bindparam("present"),
)
SKIPPED = _of_one(state=LetterState.skipped, next_try_at=None, error=None, reason=bindparam("why"))
NOT_SENT = _of_one(
    state=bindparam("new_state"),
    attempts=_LETTER.c.attempts + 1,
    next_try_at=bindparam("again"),
    error=bindparam("why"),
    begun_at=bindparam("begun"),  # as before, or now if the answer of the server was not heard
)
SET_ASIDE = _of_one(state=LetterState.dead, next_try_at=None, error=bindparam("why"))


_PICTURE = table(KeptPicture)
_KEPT = exists().where(_PICTURE.c.digest == bindparam("digest"))
KEEP_PICTURE = Prepared(
    insert(_PICTURE).from_select(
        ("digest", "png", "made_at"),
        select(
            bindparam("digest", type_=_PICTURE.c.digest.type),
            bindparam("png", type_=_PICTURE.c.png.type),
            bindparam("present", type_=_PICTURE.c.made_at.type),
        ).where(~_KEPT),
    )
)
# Of the letters about a game that one person has on the page, the newest keeps its picture.
RELEASE_PICTURES = Prepared(
    update(_LETTER)
    .where(
        _LETTER.c.game_id == bindparam("game"),
        _LETTER.c.person_id == bindparam("person"),
        _LETTER.c.id != bindparam("letter"),
        _LETTER.c.picture.is_not(None),
    )
    .values(picture=None)
)


class Claim(NamedTuple):
    """Letters that are one sender's until an instant."""

    token: str
    until: datetime
    letters: Sequence[AnyRow]


def claimed() -> Claim | None:
    """Take letters that are due and nobody else has, the longest waiting first."""
    present = now()
    with reading():  # mostly there is nothing, and nobody needs to be kept from writing
        first = run(_FIRST_DUE, {"present": present}).one_or_none()
    if first is None:
        return None
    token, until = new_id(), present + CLAIMED_FOR
    wanted = {
        "present": present,
        "so_far": first.claims,
        "most": AT_ONCE if first.claims == 0 else 1,
        "new_claim": token,
        "again": until,
    }
    letters = transact(lambda: run(_CLAIM, wanted))
    letters.sort(key=lambda letter: (letter.created_at, letter.id))
    if not letters:
        return None
    return Claim(token, until, letters)


class ResultWriter:
    """Where it is written down what became of letters: each note is one statement on a connection
    that is kept, and is committed by itself."""

    def __init__(self) -> None:
        self.engine = db.engine
        self.connection: Connection | None = None

    def __enter__(self) -> "ResultWriter":
        return self

    def __exit__(self, *_: object) -> None:
        if self.connection is not None:
            self.connection.close()

    def write(self, statement: Prepared, values: dict[str, Any]) -> Rows:
        """Write this down; what the statement answers. If the database is away for a moment, wait
        for it: a mail that was sent and not noted would be sent again."""
        patience = time.monotonic() + NOTED_WITHIN
        while True:
            try:
                return self._write(statement, values)
            except Exception as error:
                self._drop_connection()
                if not is_transient(error) or time.monotonic() > patience:
                    raise
                log.warning("letter_not_noted", error=type(error).__name__)
            time.sleep(0.2)

    def _write(self, statement: Prepared, values: dict[str, Any]) -> Rows:
        if self.connection is None:
            options = reading_options(self.engine)
            self.connection = self.engine.connect().execution_options(**options)
        with turn_to_write(self.engine):
            return statement.run(self.connection, values)

    def _drop_connection(self) -> None:
        """A connection that SQLAlchemy would mend comes back without its options: the notes on it
        would be part of a transaction that nobody commits."""
        if self.connection is not None:
            self.connection.invalidate()
            self.connection.close()
            self.connection = None
