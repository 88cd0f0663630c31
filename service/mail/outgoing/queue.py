"""Outgoing mail queue: claim a batch of letters under a lease, record each result.

A result is committed by itself, and waits for a database that is away for a moment: a mail that was
sent and not recorded would be sent again.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

import structlog
from sqlalchemy import Connection, Executable, exists, insert, literal, select, update

from service.core.clock import now
from service.core.ids import new_id
from service.db.lease_queue import Lease, LeaseQueue
from service.db.models import Letter, LetterState
from service.db.models import Picture as KeptPicture
from service.db.session import db, is_transient, reading_options, table
from service.db.sqlite import WRITING
from service.mail.outgoing.board_png import Picture

log = structlog.get_logger()

BATCH_SIZE = 100
RECORD_PATIENCE = 20.0  # seconds in which the database may come back
RECORD_RETRY_SECONDS = 0.2
# Longer than RENEW_AFTER, the slowest mail and its result together take.
LEASE = timedelta(minutes=3)
RENEW_AFTER = timedelta(seconds=10)
COMPOSED_COLUMNS = ("subject", "text", "html", "game_id", "decision", "facts", "picture")


class LetterRow(NamedTuple):
    """A claimed letter."""

    id: str
    kind: str
    to: str
    person_id: str | None
    number: int | None
    game_id: str | None
    decision: str | None
    facts: dict[str, Any]
    subject: str | None
    text: str | None
    html: str | None
    picture: str | None
    attempts: int
    claims: int
    begun_at: datetime | None
    created_at: datetime
    expires_at: datetime | None


AnyLetter = LetterRow | Letter

_LETTER, _PICTURE = table(Letter), table(KeptPicture)
_QUEUE = LeaseQueue(_LETTER, LetterRow, "claims", [LEASE], BATCH_SIZE)
_FINISHED: dict[str, Any] = {"claim": None, "claims": 0, "begun_at": None}
_ONE_CLAIM_LESS: dict[str, Any] = {"claim": None, "claims": _LETTER.c.claims - 1}
_SENT: dict[str, Any] = _FINISHED | {
    "state": LetterState.sent,
    "next_try_at": None,
    "error": None,
}


class ResultWriter:
    """A kept connection on which every statement commits by itself: a transaction for each would
    take twice as long. A database that is away for a moment is waited for."""

    def __init__(self) -> None:
        self.engine = db.engine
        self.connection: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.connection is not None:
            self.connection.close()

    def execute(self, statement: Executable, values: dict[str, Any]) -> Sequence[Any]:
        """Execute and commit; the rows that the statement returns."""
        patience = time.monotonic() + RECORD_PATIENCE
        while True:
            try:
                return self._execute(statement, values)
            except Exception as error:
                self._drop_connection()
                if not is_transient(error) or time.monotonic() > patience:
                    raise
                log.warning("result_not_recorded", error=type(error).__name__)
            time.sleep(RECORD_RETRY_SECONDS)

    def _execute(self, statement: Executable, values: dict[str, Any]) -> Sequence[Any]:
        if self.connection is None:
            options = reading_options(self.engine) | {WRITING: True}
            self.connection = self.engine.connect().execution_options(**options)
        with self.connection.begin():
            result = self.connection.execute(statement, values)
            return result.all() if result.returns_rows else ()

    def _drop_connection(self) -> None:
        """Forget a broken connection: SQLAlchemy would reconnect it without its options, and
        nothing would be committed."""
        if self.connection is not None:
            self.connection.invalidate()
            self.connection.close()
            self.connection = None


def claim_letters(writer: ResultWriter) -> "LetterBatch | None":
    """Claim letters that are due; None if there are none."""
    lease = _QUEUE.claim(now(), claim=new_id())
    return None if lease is None else LetterBatch(lease, writer)


class LetterBatch:
    """Letters of one lease, oldest first. Each method commits, and returns whether the letter was
    still held; the lease is lost if this process stood still for longer than it lasts."""

    def __init__(self, lease: Lease[LetterRow], writer: ResultWriter) -> None:
        self.lease, self.writer = lease, writer
        lease.execute = writer.execute
        self.letters = sorted(lease.rows, key=lambda letter: (letter.created_at, letter.id))
        self.open = {letter.id for letter in self.letters}  # held, without a result so far

    def holds(self, letter: LetterRow) -> bool:
        """Renew the lease well before it ends; whether it still has this letter."""
        at = now()
        if self.lease.until - at < LEASE - RENEW_AFTER:
            until = at + LEASE
            self.open = self.lease.change(self.open, next_try_at=until)
            self.lease.until = until
        return letter.id in self.open

    def give_back(self) -> None:
        """Let others send the open letters at once."""
        self._release(next_try_at=now())

    def put_off(self, until: datetime, error: str) -> int:
        """Put the open letters off through no fault of theirs; how many those are."""
        return self._release(next_try_at=until, state=LetterState.failed, error=error)

    def begin(self, letter: LetterRow, composed: LetterRow | None, at: datetime) -> bool:
        """Record, before a mail is handed over, that it is, and what it says if it was composed
        now: whatever happens then, a letter that may have arrived is known as such, and a reply to
        it can be read."""
        values = {} if composed is None else _composed_values(composed)
        return self.lease.record(letter.id, begun_at=at, **values)

    def sent(self, letter: LetterRow, at: datetime) -> bool:
        """Record that the mail server took the mail."""
        attempts = letter.attempts + 1
        return self._finish(letter, **_SENT | {"attempts": attempts, "sent_at": at})

    def kept(
        self, letter: LetterRow, content: LetterRow, picture: Picture | None, at: datetime
    ) -> bool:
        """Record a letter for the page on which letters are read, with its content. Its picture
        replaces those of earlier letters; retention deletes pictures that no letter shows."""
        if picture is not None:
            for statement in _keeping_picture(content, picture, at):
                self.writer.execute(statement, {})
        values = _SENT | _composed_values(content)
        return self._finish(letter, **values | {"attempts": letter.attempts + 1, "sent_at": at})

    def unconfirmed(self, letter: LetterRow) -> bool:
        """Record as sent a letter that was handed over, has no known answer, and is no longer
        true: it is not sent again."""
        assert letter.begun_at is not None
        return self._finish(letter, **_SENT | {"reason": "unconfirmed", "sent_at": letter.begun_at})

    def skipped(self, letter: LetterRow, reason: str) -> bool:
        state = LetterState.skipped
        return self._finish(
            letter, **_FINISHED, state=state, next_try_at=None, error=None, reason=reason
        )

    def failed(
        self,
        letter: LetterRow,
        error: str,
        next_try_at: datetime | None,
        begun_at: datetime | None,
    ) -> bool:
        """Record a failed attempt; without a next one the letter is dead. `begun_at` stays as long
        as the answer of the server to an earlier or this attempt is not known."""
        state = LetterState.dead if next_try_at is None else LetterState.failed
        values: dict[str, Any] = {"attempts": letter.attempts + 1, "begun_at": begun_at}
        values |= {"state": state, "next_try_at": next_try_at, "error": error}
        return self._finish(letter, **_FINISHED | values)

    def set_aside(self, letter: LetterRow, error: str) -> bool:
        """Record a letter as dead without an attempt."""
        return self._finish(
            letter, **_FINISHED, state=LetterState.dead, next_try_at=None, error=error
        )

    def _finish(self, letter: LetterRow, **values: Any) -> bool:
        self.open.discard(letter.id)
        return self.lease.record(letter.id, **values)

    def _release(self, **values: Any) -> int:
        return len(self.lease.change(self.open, **_ONE_CLAIM_LESS, **values))


def _composed_values(content: LetterRow) -> dict[str, Any]:
    return {name: getattr(content, name) for name in COMPOSED_COLUMNS}


def _keeping_picture(
    letter: LetterRow, picture: Picture, at: datetime
) -> tuple[Executable, Executable]:
    """Store a picture once, in place of those of the person's earlier letters about the game."""
    row = select(
        literal(picture.digest, _PICTURE.c.digest.type),
        literal(picture.png, _PICTURE.c.png.type),
        literal(at, _PICTURE.c.made_at.type),
    ).where(~exists().where(_PICTURE.c.digest == picture.digest))
    earlier = (
        _LETTER.c.game_id == letter.game_id,
        _LETTER.c.person_id == letter.person_id,
        _LETTER.c.id != letter.id,
        _LETTER.c.picture.is_not(None),
    )
    return (
        insert(_PICTURE).from_select(["digest", "png", "made_at"], row),
        update(_LETTER).where(*earlier).values(picture=None),
    )
