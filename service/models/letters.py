"""Mails that wait to be sent."""

from datetime import datetime

from sqlalchemy import Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, Instant
from service.keys import new_id
from service.models.people import ID


class Letter(Base):
    """A mail, written in the transaction that made it necessary and sent after it."""

    __tablename__ = "letter"
    __table_args__ = (
        Index(
            "ix_letter_due_next_try_at",
            "next_try_at",
            sqlite_where=text("next_try_at IS NOT NULL"),
            postgresql_where=text("next_try_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(String(32))
    to: Mapped[str] = mapped_column(String(254), index=True)
    subject: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text)
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime] = mapped_column(Instant)
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    sent_at: Mapped[datetime | None] = mapped_column(Instant)
