"""Lists of a caller: open tables, games, decisions, sessions, tokens and bots."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Select, Text, and_, func, literal, or_, select, tuple_, type_coerce
from sqlalchemy.orm import defer

from engine.contract import Json
from engine.registry import game_type_by_key
from service.access.credentials import Caller
from service.access.games import access_seats_of
from service.access.rows import SeatRow
from service.core.pagination import cursor_from, read_cursor, read_instant
from service.db.column_types import Instant
from service.db.models import (
    Credential,
    CredentialKind,
    Decision,
    Game,
    Person,
    Seat,
    Status,
    Visibility,
)
from service.db.session import db
from service.games.views import summary_json

Page = tuple[list[Json], str | None]
NEVER_DUE = datetime(9999, 12, 31, tzinfo=UTC)  # sorts decisions of stopped clocks last


def open_tables(caller: Caller | None, filters: Json, cursor: str | None, limit: int) -> Page:
    """Public tables that look for players, newest first."""
    query = _games().where(Game.status == Status.open, Game.visibility == Visibility.public)
    if "game" in filters:
        query = query.where(Game.game == filters["game"])
    if "seats" in filters:
        query = query.where(Game.seats == filters["seats"])
    if "clock" in filters:
        written = type_coerce(Game.clock, Text)  # its kind comes first
        query = query.where(written.like(f'{{"kind":"{filters["clock"]}"%'))
    return _page_of_games(query, caller, cursor, limit)


def games_of(
    person_id: str,
    caller: Caller | None,
    cursor: str | None,
    limit: int,
    status: Status | None = None,
    public: bool = False,
) -> Page:
    """The games in which a person has a seat, newest first."""
    query = _games().where(Game.id.in_(select(Seat.game_id).where(Seat.person_id == person_id)))
    if status is not None:
        query = query.where(Game.status == status)
    if public:
        query = query.where(Game.visibility == Visibility.public, Game.status != Status.cancelled)
    return _page_of_games(query, caller, cursor, limit)


def _games() -> Select[Game]:
    """Games without their positions and secrets."""
    hidden = (Game.opening, Game.state, Game.seed)
    return select(Game).options(*(defer(column, raiseload=True) for column in hidden))


def _page_of_games(
    query: Select[Game], caller: Caller | None, cursor: str | None, limit: int
) -> Page:
    after = read_cursor(cursor, str, str)
    if after is not None:
        created = read_instant(after[0])
        same = and_(Game.created_at == created, Game.id < after[1])
        query = query.where(or_(Game.created_at < created, same))
    newest_first = query.order_by(Game.created_at.desc(), Game.id.desc())
    rows = db.session.scalars(newest_first.limit(limit + 1)).all()
    shown = rows[:limit]
    seats = access_seats_of([row.id for row in shown])
    items = [summary_json(row, seats[row.id], _own_seat(seats[row.id], caller)) for row in shown]
    if len(rows) <= limit:
        return items, None
    last = shown[-1]
    return items, cursor_from(last.created_at.isoformat(), last.id)


def _own_seat(seats: Sequence[SeatRow], caller: Caller | None) -> int | None:
    if caller is None:
        return None
    return next((seat.number for seat in seats if seat.person_id == caller.person_id), None)


def decisions_of(caller: Caller, cursor: str | None, limit: int) -> Page:
    """Open decisions of the caller, soonest first; those without a due instant come last.

    The cursor names the last decision of the page, so that answering decisions between two pages
    skips none.
    """
    order = (
        func.coalesce(Decision.due_at, literal(NEVER_DUE, Instant)),
        Decision.opened_at,
        Decision.game_id,
        Decision.id,
    )
    query = (
        select(Decision, Game.title, Game.game, Game.rules)
        .join(Game, Game.id == Decision.game_id)
        .where(
            Decision.person_id == caller.person_id,
            Decision.closed_at.is_(None),
            Game.frozen_at.is_(None),
        )
        .order_by(*order)
        .limit(limit + 1)
    )
    after = read_cursor(cursor, str, str, str, str)
    if after is not None:
        due, opened, game_id, decision_id = after
        last_shown = (
            literal(read_instant(due), Instant),
            literal(read_instant(opened), Instant),
            literal(game_id),
            literal(decision_id),
        )
        query = query.where(tuple_(*order) > tuple_(*last_shown))
    rows = db.session.execute(query).all()
    items = [
        {
            "game": decision.game_id,
            "title": title or game_type_by_key(game, rules).meta.title,
            "decision": decision.id,
            "seat": decision.seat,
            "opened_at": decision.opened_at,
            "due_at": decision.due_at,
        }
        for decision, title, game, rules in rows[:limit]
    ]
    if len(rows) <= limit:
        return items, None
    last = rows[limit - 1][0]
    due_at = last.due_at or NEVER_DUE
    return items, cursor_from(due_at.isoformat(), last.opened_at.isoformat(), last.game_id, last.id)


def sessions_of(caller: Caller, at: datetime) -> Sequence[Credential]:
    """Where the caller is signed in, newest first."""
    return db.session.scalars(
        select(Credential)
        .where(
            Credential.person_id == caller.person_id,
            Credential.kind == CredentialKind.session,
            Credential.revoked_at.is_(None),
            Credential.expires_at > at,
        )
        .order_by(Credential.created_at.desc(), Credential.id)
    ).all()


def tokens_of(caller: Caller) -> Sequence[Credential]:
    """The caller's tokens and those of their bots, newest first."""
    return db.session.scalars(
        select(Credential)
        .join(Person, Person.id == Credential.person_id)
        .where(
            or_(Person.id == caller.person_id, Person.owner_id == caller.person_id),
            Credential.kind == CredentialKind.token,
        )
        .order_by(Credential.created_at.desc(), Credential.id)
    ).all()


def bots_of(caller: Caller) -> Sequence[Person]:
    """The bot accounts the caller answers for."""
    return db.session.scalars(
        select(Person)
        .where(Person.owner_id == caller.person_id, Person.deleted_at.is_(None))
        .order_by(Person.created_at, Person.id)
    ).all()
