"""Heartbeats and bookmarks of background jobs."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.column_types import Instant
from service.db.session import Base


class Heartbeat(Base):
    """When a job of the worker last ran, and its interval."""

    __tablename__ = "heartbeat"

    job: Mapped[str] = mapped_column("lane", String(16), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    every: Mapped[int]  # seconds
    # Of the row `clock`: by how many seconds the clock of a worker differs.
    note: Mapped[str | None] = mapped_column(String(200))


class Bookmark(Base):
    """The position of a job that goes through many rows in batches.

    Only release 0.1.0 uses it, for audits; the table goes when no such process can be left.
    """

    __tablename__ = "bookmark"

    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    place: Mapped[str] = mapped_column(String(40))
