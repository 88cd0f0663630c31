"""Incoming mail, and bounces of ours."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from service.core.ids import new_id
from service.db.column_types import Instant
from service.db.models.people import ID
from service.db.session import Base


class IncomingState(StrEnum):
    pending = "pending"
    done = "done"  # what it said was done, or it was answered why not
    dropped = "dropped"  # nobody wrote it, or it is of no use; `reason` says which
    dead = "dead"  # set aside: it could not be taken in or read; `error` says what failed


class Incoming(Base):
    """A mail to one of our addresses, stored before it was acknowledged."""

    __tablename__ = "incoming"
    __table_args__ = (
        UniqueConstraint("letter_id", "purpose", "fingerprint"),
        Index(
            "ix_incoming_due_next_try_at",
            "next_try_at",
            sqlite_where=text("next_try_at IS NOT NULL"),
            postgresql_where=text("next_try_at IS NOT NULL"),
        ),
        # Mails to the server's own addresses are about no letter; each is stored once as well.
        Index(
            "ix_incoming_own_address_fingerprint",
            "purpose",
            "fingerprint",
            unique=True,
            sqlite_where=text("letter_id IS NULL AND purpose <> ''"),
            postgresql_where=text("letter_id IS NULL AND purpose <> ''"),
        ),
        Index("ix_incoming_owner_received_at", "owner", "received_at"),
        Index("ix_incoming_received_at", "received_at"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    # None: to an own address of the server, or set aside before it was known what it answers.
    letter_id: Mapped[str | None] = mapped_column(ForeignKey("letter.id", ondelete="CASCADE"))
    # Of the address: turn, off, bounce, play, operator or "".
    purpose: Mapped[str] = mapped_column(String(8))
    # `to` of the letter; without a letter the purpose.
    owner: Mapped[str] = mapped_column(String(254), server_default="")
    # Of its Message-ID, or of the whole mail if it has none: the same mail is taken once.
    fingerprint: Mapped[str] = mapped_column(String(64))
    sender: Mapped[str] = mapped_column(String(254))  # of the envelope; "" is nobody
    via: Mapped[str] = mapped_column(String(8))  # smtp, lmtp, imap, hook or page
    # None: forgotten, or not here. Of a large mail without attachments.
    raw: Mapped[bytes | None] = mapped_column(LargeBinary)
    size: Mapped[int] = mapped_column(server_default="0")  # bytes, when it came
    state: Mapped[str] = mapped_column(String(8), default=IncomingState.pending)
    reason: Mapped[str | None] = mapped_column(String(40))
    # Commands that were read and done, for the operator; no more than the writer may know.
    result: Mapped[str | None] = mapped_column(Text)
    # Of the text that its writer wrote, if it was refused: programs repeat themselves.
    text_digest: Mapped[str | None] = mapped_column(String(64))
    error: Mapped[str | None] = mapped_column(String(200))  # the last failure, in one line
    attempts: Mapped[int] = mapped_column(default=0)
    received_at: Mapped[datetime] = mapped_column(Instant)
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    done_at: Mapped[datetime | None] = mapped_column(Instant)


class Bounce(Base):
    """A mail of ours that bounced."""

    __tablename__ = "bounce"
    __table_args__ = (Index("ix_bounce_address_at", "address", "at"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    address: Mapped[str] = mapped_column(String(254))  # to which it was sent
    letter_id: Mapped[str | None] = mapped_column(ForeignKey("letter.id", ondelete="SET NULL"))
    hard: Mapped[bool]  # there is nobody; otherwise it may be taken another time
    status: Mapped[str] = mapped_column(String(16))  # as 5.1.1
    said: Mapped[str] = mapped_column(String(300))  # by the server that returned it
    at: Mapped[datetime] = mapped_column(Instant)
