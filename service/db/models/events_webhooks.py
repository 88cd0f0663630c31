"""Event logs of people, webhooks and their deliveries."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from engine.contract import Json
from service.core.ids import new_id
from service.db.column_types import Instant, JsonText
from service.db.models.people import ID
from service.db.session import BY_KEY, Base


class Event(Base):
    """One entry of a person's numbered log: complete, without gaps, in the order of commits."""

    __tablename__ = "event"
    __table_args__ = BY_KEY

    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    type: Mapped[str] = mapped_column(String(32))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("game.id"))
    data: Mapped[Json] = mapped_column(JsonText)
    at: Mapped[datetime] = mapped_column(Instant)


class Webhook(Base):
    """The URL of a program that receives a person's events."""

    __tablename__ = "webhook"

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), index=True)
    url: Mapped[str] = mapped_column(String(500))
    types: Mapped[list[str]] = mapped_column(JsonText, default=list)  # empty: all of them
    secret: Mapped[str] = mapped_column(String(100))
    # Signs beside the new secret until this instant, so that nobody has to hurry.
    old_secret: Mapped[str | None] = mapped_column(String(100))
    old_secret_until: Mapped[datetime | None] = mapped_column(Instant)
    told: Mapped[int]  # number of the newest event for which a delivery was written
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    failing_since: Mapped[datetime | None] = mapped_column(Instant)  # the first of them
    disabled_at: Mapped[datetime | None] = mapped_column(Instant)
    disabled_why: Mapped[str | None] = mapped_column(String(8))
    version: Mapped[int] = mapped_column(default=1)  # of what its owner sees, for If-Match
    created_at: Mapped[datetime] = mapped_column(Instant)

    @property
    def enabled(self) -> bool:
        return self.disabled_at is None


class DisabledWhy(StrEnum):
    owner = "owner"  # wanted it so
    failures = "failures"  # too many, for too long
    gone = "gone"  # the address said so


class DeliveryState(StrEnum):
    pending = "pending"
    sent = "sent"
    failed = "failed"  # will be tried again
    dead = "dead"


class Delivery(Base):
    """The delivery of one event to one webhook."""

    __tablename__ = "delivery"
    __table_args__ = (
        Index(
            "ix_delivery_due_next_try_at",
            "next_try_at",
            sqlite_where=text("next_try_at IS NOT NULL"),
            postgresql_where=text("next_try_at IS NOT NULL"),
        ),
        Index("ix_delivery_webhook_id_created_at", "webhook_id", "created_at"),
        Index("ix_delivery_created_at", "created_at"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    number: Mapped[int | None]  # of the event; None: a test
    type: Mapped[str] = mapped_column(String(32))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(8), default=DeliveryState.pending)
    attempts: Mapped[int] = mapped_column(default=0)  # since it was written or sent again
    status: Mapped[int | None]  # of the last answer
    error: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime] = mapped_column(Instant)
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    tried_at: Mapped[datetime | None] = mapped_column(Instant)
    sent_at: Mapped[datetime | None] = mapped_column(Instant)
