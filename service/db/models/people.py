"""People and their credentials."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from engine.contract import Json
from service.core.ids import new_id
from service.db.column_types import Instant, JsonText
from service.db.session import Base

ID = String(16)


class Person(Base):
    """A player: a human with a verified address, or a bot account of a human."""

    __tablename__ = "person"
    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    email: Mapped[str | None] = mapped_column(String(254), unique=True)
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"), index=True)  # of a bot
    name: Mapped[str] = mapped_column(String(40))
    language: Mapped[str] = mapped_column(String(8), default="en")
    time_zone: Mapped[str] = mapped_column(String(64), default="UTC")
    sleep_from: Mapped[str | None] = mapped_column(String(5))  # "22:30", local time
    sleep_to: Mapped[str | None] = mapped_column(String(5))
    mail: Mapped[Json] = mapped_column(JsonText, default=dict)
    # Mails to the address came back: none are sent until it is proven again.
    unreachable_since: Mapped[datetime | None] = mapped_column(Instant)
    # Part of the private address of their calendar; counted up, the old address is void.
    calendar: Mapped[int] = mapped_column(server_default="1")
    version: Mapped[int] = mapped_column(default=1)  # of the settings, for If-Match
    # Announced, not yet over: [{"id": .., "from": .., "to": ..}]
    absences: Mapped[list[dict[str, str]]] = mapped_column(JsonText, default=list)
    # Number of the newest event of their log. Every event changes it: no index may name it, not in
    # a condition either, or PostgreSQL writes all indexes of the row each time (no HOT update).
    last_event: Mapped[int] = mapped_column(default=0)
    noticed: Mapped[int] = mapped_column(default=0)  # last event that the planner of mails read
    created_at: Mapped[datetime] = mapped_column(Instant)
    # By an operator: no access, no mails, bots keep the seats.
    suspended_at: Mapped[datetime | None] = mapped_column(Instant)
    deleted_at: Mapped[datetime | None] = mapped_column(Instant)

    @property
    def is_bot(self) -> bool:
        return self.owner_id is not None

    @property
    def kind(self) -> str:
        """The kind of account, as the API names it."""
        return "bot" if self.is_bot else "person"


class PendingNotice(Base):
    """A person with events that the planner of mails has not processed yet."""

    __tablename__ = "pending_notice"

    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), primary_key=True)


class CredentialKind(StrEnum):
    session = "session"  # made by signing in
    token = "token"  # noqa: S105 - made on purpose, for a program


class Credential(Base):
    """A session or a token of a person. Only the digest of its secret is stored."""

    __tablename__ = "credential"

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    prefix: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(80))
    scopes: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime | None] = mapped_column(Instant)
    last_used_at: Mapped[datetime | None] = mapped_column(Instant)
    revoked_at: Mapped[datetime | None] = mapped_column(Instant)


class SignIn(Base):
    """A code and a link that were mailed to verify an address."""

    __tablename__ = "sign_in"
    __table_args__ = (
        Index("ix_sign_in_email_created_at", "email", "created_at"),
        Index("ix_sign_in_mailbox_created_at", "mailbox", "created_at"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    email: Mapped[str] = mapped_column(String(254))
    mailbox: Mapped[str] = mapped_column(String(254))  # the address without a +tag
    code_digest: Mapped[str] = mapped_column(String(64))
    # Digests of what the browser or program that asked shows again, and of its network address
    # if it shows nothing: the code works for these only. None: by the link alone.
    requester: Mapped[str | None] = mapped_column(String(64))
    client: Mapped[str | None] = mapped_column(String(64))
    link_digest: Mapped[str] = mapped_column(String(64), unique=True)
    # Where the link leads afterwards, a path of ours.
    next_path: Mapped[str | None] = mapped_column(String(200))
    failures: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    used_at: Mapped[datetime | None] = mapped_column(Instant)


class InvitationRefusal(Base):
    """An address without an account that refuses invitation mails, known by its digest only."""

    __tablename__ = "invitation_refusal"

    address_digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    refused_at: Mapped[datetime] = mapped_column(Instant)


class KeptAnswer(Base):
    """The response to a request with an Idempotency-Key, stored in the request's transaction."""

    __tablename__ = "kept_answer"

    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    headers: Mapped[dict[str, str] | None] = mapped_column(JsonText)
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Instant, index=True)
