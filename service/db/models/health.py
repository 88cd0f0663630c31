"""Signs of life and bookmarks of the processes that nobody calls."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.db.session import Base, Instant


class Heartbeat(Base):
    """When a lane of the worker last did its round, and how often it should."""

    __tablename__ = "heartbeat"

    job: Mapped[str] = mapped_column("lane", String(16), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    every: Mapped[int]  # seconds
    # Of the row that is no job's: by how many seconds the clock of a worker differs.
    note: Mapped[str | None] = mapped_column(String(200))


class Bookmark(Base):
    """Where something that goes through many rows, a few at a time, left off.

    Only release 0.1.0 uses it, for audits; the table goes when no such process can be left.
    """

    __tablename__ = "bookmark"

    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    place: Mapped[str] = mapped_column(String(40))
