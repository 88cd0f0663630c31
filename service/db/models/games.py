"""Games from the open table to the last move, and the decisions they wait for."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from engine.contract import Json
from service.core.ids import new_id
from service.db.column_types import Instant, JsonText
from service.db.models.people import ID
from service.db.session import BY_KEY, Base


class Status(StrEnum):
    open = "open"  # a table that still looks for players
    running = "running"
    finished = "finished"
    cancelled = "cancelled"


class Visibility(StrEnum):
    public = "public"  # listed; anybody may join and watch
    invitation = "invitation"  # only for those who were invited


def _index_where(name: str, column: str, condition: str) -> Index:
    """An index of the few rows for which the condition holds."""
    return Index(name, column, sqlite_where=text(condition), postgresql_where=text(condition))


class Game(Base):
    """A game = (game, rules, options, seed, moves). `state` is a cache of what they lead to."""

    __tablename__ = "game"
    __table_args__ = (
        Index("ix_game_status_visibility_created_at", "status", "visibility", "created_at", "id"),
        _index_where("ix_game_paused_until", "paused_until", "paused_until IS NOT NULL"),
        _index_where("ix_game_ended_at", "ended_at", "ended_at IS NOT NULL"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    game: Mapped[str] = mapped_column(String(32))
    rules: Mapped[int]
    seats: Mapped[int]
    options: Mapped[dict[str, str]] = mapped_column(JsonText)
    clock: Mapped[Json] = mapped_column(JsonText)
    title: Mapped[str] = mapped_column(String(80), default="")
    visibility: Mapped[str] = mapped_column(String(12))
    status: Mapped[str] = mapped_column(String(12), default=Status.open)
    host_id: Mapped[str] = mapped_column(ForeignKey("person.id"), index=True)
    rematch_of: Mapped[str | None] = mapped_column(ForeignKey("game.id"), unique=True)
    seed: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    commitment: Mapped[str | None] = mapped_column(String(64))
    opening: Mapped[Json | None] = mapped_column(JsonText)  # chance and events of the set-up
    state: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[int] = mapped_column(default=0)  # how many there are
    # Counts every change that anybody at the table can see; see also Seat.version.
    version: Mapped[int] = mapped_column(default=1)
    outcome: Mapped[Json | None] = mapped_column(JsonText)
    created_at: Mapped[datetime] = mapped_column(Instant)
    started_at: Mapped[datetime | None] = mapped_column(Instant)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    moved_at: Mapped[datetime | None] = mapped_column(Instant)
    # No clock of a decision that is open now began to run later than this: the last move, or what
    # else all can see that lets clocks begin anew.
    clocks_from: Mapped[datetime | None] = mapped_column(Instant)
    paused_at: Mapped[datetime | None] = mapped_column(Instant)  # all clocks stand still since then
    paused_until: Mapped[datetime | None] = mapped_column(Instant)  # at the latest they run again
    # Since then the winner by resignation plays on against bots.
    played_on_at: Mapped[datetime | None] = mapped_column(Instant)
    # The audit found that the state is not what the moves lead to: nothing is played any more.
    frozen_at: Mapped[datetime | None] = mapped_column(Instant)
    frozen_why: Mapped[str | None] = mapped_column(String(200))


class GameAudit(Base):
    """When a running game was last audited; games without a row never were."""

    __tablename__ = "game_audit"

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)


class Seat(Base):
    """A seat: free, of a person, or of a bot. `bot` is also set when a bot plays for a person who
    resigned or is away."""

    __tablename__ = "seat"
    __table_args__ = (
        UniqueConstraint("game_id", "person_id"),
        Index("ix_seat_person_id", "person_id"),
        BY_KEY,
    )

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"))
    bot: Mapped[bool] = mapped_column(default=False)
    name: Mapped[str] = mapped_column(String(40), default="")
    # Counts changes only this seat can see: a changed pick, its plan, its note.
    version: Mapped[int] = mapped_column(default=0)
    wishes: Mapped[list[str]] = mapped_column(JsonText, default=list)
    note: Mapped[str] = mapped_column(Text, default="")
    quiet: Mapped[bool] = mapped_column(server_default=false())  # no mails about this game
    bank: Mapped[int | None]  # seconds left of a clock with a bank
    resigned_at: Mapped[datetime | None] = mapped_column(Instant)
    wants_to_end: Mapped[bool] = mapped_column(default=False)
    wants_pause: Mapped[bool] = mapped_column(default=False)
    misses: Mapped[int] = mapped_column(default=0)  # times that time was up, in a row
    # A bot keeps the seat since then, until its owner comes back.
    away_since: Mapped[datetime | None] = mapped_column(Instant)
    # Seconds by which announced absences have prolonged this seat's time; a game has a budget.
    absence_used: Mapped[int] = mapped_column(default=0)


class Decision(Base):
    """One thing one seat has to choose. Seats without a real choice have none."""

    __tablename__ = "decision"
    __table_args__ = (
        ForeignKeyConstraint(["game_id", "seat"], ["seat.game_id", "seat.number"]),
        Index("ix_decision_person_id", "person_id", "closed_at", "via"),
        _index_where("ix_decision_open_due_at", "due_at", "closed_at IS NULL"),
        _index_where(
            "ix_decision_open_remind_at", "remind_at", "closed_at IS NULL AND remind_at IS NOT NULL"
        ),
        BY_KEY,
    )

    game_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    id: Mapped[str] = mapped_column(String(40), primary_key=True)  # r2.t3.keep.s1
    seat: Mapped[int]
    person_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"))  # None: a bot plays
    opened_at: Mapped[datetime] = mapped_column(Instant)
    due_at: Mapped[datetime | None] = mapped_column(Instant)  # None: a bot, or all clocks stand
    allowed: Mapped[int | None]  # seconds that the seat's clock gave for it
    # [from, to] of announced absences during which this decision's clock stands still; they are
    # charged to the seat's budget
    stands: Mapped[list[list[str]] | None] = mapped_column(JsonText)
    held: Mapped[int] = mapped_column(
        default=0
    )  # seconds for which pauses, freezes and postponements stopped it
    left: Mapped[int | None]  # seconds that its clock will still run, while the game is paused
    remind_at: Mapped[datetime | None] = mapped_column(Instant)  # the next reminder
    closed_at: Mapped[datetime | None] = mapped_column(Instant)
    via: Mapped[str | None] = mapped_column(String(8))  # how it was answered


class Move(Base):
    """One line of the log, as in the record. A pick that its player changed while it was secret
    replaces the first one, invisibly to others."""

    __tablename__ = "move"
    __table_args__ = (
        CheckConstraint("n > 0", name="numbered_from_one"),
        UniqueConstraint("game_id", "decision"),
        BY_KEY,
    )

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int]
    decision: Mapped[str] = mapped_column(String(40))
    move: Mapped[Json] = mapped_column(JsonText)
    via: Mapped[str] = mapped_column(String(8))
    chance: Mapped[list[Json]] = mapped_column(JsonText)
    events: Mapped[list[Json]] = mapped_column(JsonText)
    scores: Mapped[list[int]] = mapped_column(JsonText)
    at: Mapped[datetime] = mapped_column(Instant)


class UndoneMove(Base):
    """A line that its player took back. The log has only the moves that count."""

    __tablename__ = "undone_move"
    __table_args__ = BY_KEY

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)  # counts the lines taken back in a game
    n: Mapped[int]  # its number in the log
    seat: Mapped[int]
    decision: Mapped[str] = mapped_column(String(40))
    move: Mapped[Json] = mapped_column(JsonText)
    via: Mapped[str] = mapped_column(String(8))
    events: Mapped[list[Json]] = mapped_column(JsonText)
    at: Mapped[datetime] = mapped_column(Instant)
    undone_at: Mapped[datetime] = mapped_column(Instant)
    withdrawn: Mapped[str] = mapped_column(String(40))  # the decision that was open until then


class Invitation(Base):
    """The right to a seat, for an address or for the holder of the link."""

    __tablename__ = "invitation"
    __table_args__ = (Index("ix_invitation_mailbox_created_at", "mailbox", "created_at"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True, default=new_id)
    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), index=True)
    email: Mapped[str | None] = mapped_column(String(254), index=True)
    mailbox: Mapped[str | None] = mapped_column(String(254))  # the address without a +tag
    mailed: Mapped[bool] = mapped_column(default=False)  # counts for the limit of its mailbox
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    invited_by: Mapped[str] = mapped_column(ForeignKey("person.id"), index=True)
    used_by: Mapped[str | None] = mapped_column(ForeignKey("person.id"))
    created_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    withdrawn_at: Mapped[datetime | None] = mapped_column(Instant)

    @property
    def used(self) -> bool:
        return self.used_by is not None


class Message(Base):
    """A chat message."""

    __tablename__ = "message"
    __table_args__ = BY_KEY

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    seat: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(Instant)
