"""Games, as their callers may see and change them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, select

from service.access.credentials import (
    CALLER,
    Caller,
    Key,
    access_caller,
    checked,
    not_found,
    note_use,
    refusal_of,
)
from service.access.rows import GameRow, SeatRow
from service.core.clock import now
from service.core.errors import Problem
from service.core.ids import digest
from service.db.models import Credential, Game, Invitation, Person, Seat, Status, Visibility
from service.db.session import AnyRow, db, execute, table

_PERSON, _CREDENTIAL, _GAMES, _SEAT = (table(model) for model in (Person, Credential, Game, Seat))


@dataclass(frozen=True, slots=True)
class GameAccess:
    """A game, and how the caller stands to it."""

    caller: Caller | None
    game: GameRow
    seat: int | None
    seat_version: int
    resigned: bool
    seats: Sequence[SeatRow] | None = None  # all of them, if they were read


@dataclass(frozen=True, slots=True)
class KnownAccess(GameAccess):
    """A game, for somebody who is not a stranger."""

    caller: Caller


@dataclass(frozen=True, slots=True)
class SeatAccess(KnownAccess):
    """A game, for somebody who has a seat in it."""

    seat: int


_GAME = _GAMES.c[GameRow._fields]
_BY_ID = select(*_GAME).where(_GAMES.c.id == bindparam("game"))
_ANY_GAME = _BY_ID
_ANY_GAME_LOCKED = _BY_ID.with_for_update()


_GAME_AND_CALLER = _GAMES.outerjoin(
    _CREDENTIAL, _CREDENTIAL.c.digest == bindparam("digest")
).outerjoin(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id)
_GAME_AND_SEAT = _GAME_AND_CALLER.outerjoin(
    _SEAT, (_SEAT.c.game_id == _GAMES.c.id) & (_SEAT.c.person_id == _PERSON.c.id)
)
_GAME_FOR_CALLER = (
    select(
        *_GAME,
        _SEAT.c.number.label("own_seat"),
        _SEAT.c.version.label("own_version"),
        _SEAT.c.resigned_at.label("own_resigned_at"),
        *CALLER,
    )
    .select_from(_GAME_AND_SEAT)
    .where(_GAMES.c.id == bindparam("game"))
)


# The seats are read after it: PostgreSQL waits for the lock of the game with what it has read of
# other tables, and reads only the game again.
_GAME_LOCKED = (
    select(*_GAME, *CALLER)
    .select_from(_GAME_AND_CALLER)
    .where(_GAMES.c.id == bindparam("game"))
    .with_for_update(of=_GAMES)
)
_GLANCE = (
    select(
        _GAMES.c.version,
        _GAMES.c.visibility,
        _SEAT.c.number.label("seat"),
        _SEAT.c.version.label("seat_version"),
        *[column for column in CALLER if column.name.startswith("credential_")],
        _PERSON.c.deleted_at.label("person_deleted_at"),
        _PERSON.c.suspended_at.label("person_suspended_at"),
    )
    .select_from(_GAME_AND_SEAT)
    .where(_GAMES.c.id == bindparam("game"))
)


class Glance(NamedTuple):
    """What the picture of a game depends on, for somebody who may see it."""

    version: int
    seat: int | None
    seat_version: int


def access_glance(key: Key, scope: str, game_id: str) -> Glance | None:
    """Enough to tell whether a caller has seen a game as it is; None if that needs a closer look,
    which also says what is wrong."""
    row = execute(_GLANCE, {"game": game_id, "digest": key.digest}).one_or_none()
    if row is None or not (row.seat is not None or _shown_to_all(row)):
        return None
    if key.digest is not None:
        if refusal_of(row, scope) is not None:
            return None
        note_use(row)
    return Glance(row.version, row.seat, row.seat_version or 0)


def access_game(
    key: Key,
    scope: str,
    game_id: str,
) -> GameAccess:
    """A game the caller may see, in one query, with the seat they have in it.

    Public games may be seen by anybody, strangers included; the others by those who sit at the
    table or were invited to it.
    """
    if key.digest is None:
        row = execute(_ANY_GAME, {"game": game_id}).one_or_none()
        if row is None or not _shown_to_all(row):
            raise not_found("game")
        return GameAccess(None, _game(row), None, 0, False)
    return access_known_game(key, scope, game_id, for_update=False)


def access_known_game(
    key: Key,
    scope: str,
    game_id: str,
    for_update: bool = True,
    invitation: str | None = None,
) -> KnownAccess:
    """The same for callers who must say who they are, locked so that they may change it.

    The secret of an `invitation` shows the table it is for."""
    if for_update:
        return _known_and_locked(key, scope, game_id, invitation)
    row, caller = _known(execute(_GAME_FOR_CALLER, _shown(key, game_id)).one_or_none(), key, scope)
    _must_be_shown(row, caller, row.own_seat is not None, invitation)
    version, resigned = row.own_version or 0, row.own_resigned_at is not None
    return KnownAccess(caller, _game(row), row.own_seat, version, resigned)


def _known_and_locked(
    key: Key, scope: str, game_id: str, invitation: str | None = None
) -> KnownAccess:
    row, caller = _known(execute(_GAME_LOCKED, _shown(key, game_id)).one_or_none(), key, scope)
    seats = access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == caller.person_id), None)
    _must_be_shown(row, caller, own is not None, invitation)
    if own is None:
        return KnownAccess(caller, _game(row), None, 0, False, seats)
    return KnownAccess(
        caller, _game(row), own.number, own.version, own.resigned_at is not None, seats
    )


def _shown(key: Key, game_id: str) -> dict[str, Any]:
    """What a query for a game and its caller is asked with; strangers are refused."""
    if key.digest is None:
        access_caller(key)
    return {"game": game_id, "digest": key.digest}


def _known(row: AnyRow | None, key: Key, scope: str) -> tuple[AnyRow, Caller]:
    if row is None:
        access_caller(key, scope)
        raise not_found("game")
    return row, checked(row, scope)


def _must_be_shown(row: AnyRow, caller: Caller, seated: bool, invitation: str | None) -> None:
    if not seated and not _shown_to_all(row):
        secret = None if invitation is None else digest(invitation)
        if not _invited(row, caller, secret):
            raise not_found("game")


def access_seat(key: Key, scope: str, game_id: str, for_update: bool = True) -> SeatAccess:
    """A game in which the caller has a seat, locked so that they may act."""
    return _seated(access_known_game(key, scope, game_id, for_update))


def _seated(access: KnownAccess) -> SeatAccess:
    if access.seat is None:
        raise Problem("not_seated", "You have no seat at this table.")
    return SeatAccess(
        access.caller,
        access.game,
        access.seat,
        access.seat_version,
        access.resigned,
        access.seats,
    )


def access_hosted(key: Key, scope: str, game_id: str, for_update: bool = True) -> KnownAccess:
    """A table of which the caller is the host, locked so that they may change it."""
    access = access_known_game(key, scope, game_id, for_update)
    if access.game.host_id != access.caller.person_id:
        raise Problem("not_host", "Only the host of the table may do this.")
    return access


def _shown_to_all(row: AnyRow) -> bool:
    return bool(row.visibility == Visibility.public)


def _invited(row: AnyRow, caller: Caller, secret: str | None) -> bool:
    """Whether an open table waits for the caller: they were invited, or played the game of
    which it is the rematch."""
    if row.host_id == caller.person_id:
        return True
    if row.status != Status.open:
        return False
    mine = select(Person.email).where(Person.id == caller.person_id).scalar_subquery()
    invited = db.session.execute(
        select(Invitation.id).where(
            Invitation.game_id == row.id,
            (Invitation.email == mine) | (Invitation.digest == (secret or "")),
            still_good(now()),
        )
    ).first()
    return invited is not None or played(row.rematch_of, caller)


def still_good(at: datetime) -> ColumnElement[bool]:
    """Of an invitation: neither withdrawn nor too old."""
    return Invitation.withdrawn_at.is_(None) & (Invitation.expires_at > at)


def played(game_id: str | None, caller: Caller) -> bool:
    """Whether the caller had a seat in this game."""
    return (
        game_id is not None
        and db.session.execute(
            select(Seat.number).where(Seat.game_id == game_id, Seat.person_id == caller.person_id)
        ).first()
        is not None
    )


def access_decided_game(game_id: str) -> GameRow:
    """A game for the service itself, which plays for bots and the absent; locked."""
    return _game(execute(_ANY_GAME_LOCKED, {"game": game_id}).one())


def access_for_letter(person_id: str, game_id: str) -> GameAccess:
    """A game for a letter of the house to somebody: with their seat, they may see what the API
    would show them."""
    row, seats = _game(execute(_ANY_GAME, {"game": game_id}).one()), access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == person_id), None)
    if own is None:
        return GameAccess(None, row, None, 0, False, seats)
    return GameAccess(None, row, own.number, own.version, own.resigned_at is not None, seats)


LETTER = "letter"  # the kind of caller that showed a letter we wrote to them, and nothing else


def access_by_letter(person_id: str, game_id: str) -> SeatAccess:
    """A game that a letter to somebody was about, locked, for whoever proved to have that letter.

    They may answer what it asked; it is up to those who call this to ask for no more."""
    row, seats = access_decided_game(game_id), access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == person_id), None)
    if own is None:
        raise Problem("not_seated", "You have no seat at this table.")
    if own.person_suspended_at is not None:
        raise Problem("suspended", "Contact the operator of this server.")
    caller = Caller(person_id, own.name, "", LETTER, frozenset())
    return SeatAccess(caller, row, own.number, own.version, own.resigned_at is not None, seats)


def access_seats(game_id: str) -> list[SeatRow]:
    """The seats of a game somebody was let in to, in order, with the habits of their owners."""
    return [SeatRow._make(row) for row in execute(_SEATS, {"game": game_id}).all()]


def _game(row: AnyRow) -> GameRow:
    """The columns of the game, which come first in every query here."""
    return GameRow._make(row[: len(GameRow._fields)])


SEAT_COLUMNS = SeatRow._fields[: SeatRow._fields.index("person_owner_id")]
_SEATS = (
    select(
        *_SEAT.c[SEAT_COLUMNS],
        _PERSON.c.owner_id.label("person_owner_id"),
        _PERSON.c.deleted_at.label("person_deleted_at"),
        _PERSON.c.suspended_at.label("person_suspended_at"),
        _PERSON.c.unreachable_since.label("person_unreachable_since"),
        _PERSON.c.time_zone,
        _PERSON.c.sleep_from,
        _PERSON.c.sleep_to,
        _PERSON.c.absences,
    )
    .select_from(_SEAT.outerjoin(_PERSON, _PERSON.c.id == _SEAT.c.person_id))
    .where(_SEAT.c.game_id == bindparam("game"))
    .order_by(_SEAT.c.number)
)
