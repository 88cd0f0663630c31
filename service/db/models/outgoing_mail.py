"""Outgoing mail."""

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from engine.contract import Json
from service.core.ids import new_id
from service.db.column_types import Instant, JsonText
from service.db.models.people import ID
from service.db.session import Base

# Pauses after each failed attempt to send a letter; after the last one it is given up.
BACK_OFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)


class LetterState(StrEnum):
    pending = "pending"
    sent = "sent"
    skipped = "skipped"  # it was no longer true, or not wanted; `reason` says which
    failed = "failed"  # will be tried again
    dead = "dead"  # given up


class Letter(Base):
    """A mail, queued in a transaction and sent after it.

    Some are composed at once, such as a sign-in code; those about games are composed when they are
    sent, from the data of that instant.
    """

    __tablename__ = "letter"
    __table_args__ = (
        Index(
            "ix_letter_due_next_try_at",
            "next_try_at",
            sqlite_where=text("next_try_at IS NOT NULL"),
            postgresql_where=text("next_try_at IS NOT NULL"),
        ),
        UniqueConstraint("person_id", "number", "kind"),
        Index("ix_letter_state", "state"),
        Index("ix_letter_created_at", "created_at"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(String(32))
    to: Mapped[str] = mapped_column(String(254), index=True)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"))
    number: Mapped[int | None]  # of the event; None: not about an event
    game_id: Mapped[str | None] = mapped_column(ForeignKey("game.id"), index=True)
    decision: Mapped[str | None] = mapped_column(String(40))  # must be open when it is sent
    facts: Mapped[Json] = mapped_column(JsonText, default=dict)
    subject: Mapped[str | None] = mapped_column(String(200))  # None: not yet written
    text: Mapped[str | None] = mapped_column(Text)
    html: Mapped[str | None] = mapped_column(Text)
    # Digest of the picture that goes with it. Only where mails are shown on a page it is kept, and
    # there with the newest letter about a game.
    picture: Mapped[str | None] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(8), default=LetterState.pending)
    # Why it was skipped; of a sent letter `unconfirmed`: handed over, and the answer is not known.
    reason: Mapped[str | None] = mapped_column(String(40))
    attempts: Mapped[int] = mapped_column(default=0)
    claim: Mapped[str | None] = mapped_column(ID)  # of who sends it now, until `next_try_at`
    claims: Mapped[int] = mapped_column(server_default="0")  # that came to nothing so far
    # When a mail server was last given this letter, while the result of that is not known.
    begun_at: Mapped[datetime | None] = mapped_column(Instant)
    error: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime] = mapped_column(Instant)
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    expires_at: Mapped[datetime | None] = mapped_column(Instant)  # from then on it is skipped
    sent_at: Mapped[datetime | None] = mapped_column(Instant)


class Picture(Base):
    """A picture of letters that are not sent away but shown on a page, by its digest."""

    __tablename__ = "picture"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    png: Mapped[bytes] = mapped_column(LargeBinary)
    made_at: Mapped[datetime] = mapped_column(Instant, index=True)


class MailServerOutage(Base):
    """A mail server that cannot be reached, and when any process may next try to connect."""

    __tablename__ = "mail_server_outage"

    name: Mapped[str] = mapped_column(String(254), primary_key=True)  # host:port
    away_since: Mapped[datetime] = mapped_column(Instant)
    next_try_at: Mapped[datetime] = mapped_column(Instant)
    error: Mapped[str] = mapped_column(String(300))
