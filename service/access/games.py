"""Games for callers who may see or change them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Executable, bindparam, select

from service.access.credentials import (
    CALLER,
    Caller,
    CallerRow,
    Key,
    access_caller,
    caller_row,
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
from service.db.session import count_rows, execute, table

_PERSON, _CREDENTIAL, _GAMES, _SEAT = (table(model) for model in (Person, Credential, Game, Seat))


@dataclass(frozen=True, slots=True)
class GameAccess:
    """A game that the caller may see, with their seat in it."""

    caller: Caller | None
    game: GameRow
    seat: int | None
    seat_version: int
    resigned: bool
    seats: Sequence[SeatRow] | None = None  # all of them, if they were read


@dataclass(frozen=True, slots=True)
class KnownAccess(GameAccess):
    """A game for a caller with a key."""

    caller: Caller


@dataclass(frozen=True, slots=True)
class SeatAccess(KnownAccess):
    """A game for a caller with a seat in it."""

    seat: int


class _OwnSeat(NamedTuple):
    """The caller's seat in a game, empty if they have none."""

    number: int | None = None
    version: int | None = None
    resigned_at: datetime | None = None

    @property
    def facts(self) -> tuple[int | None, int, bool]:
        """The seat as `GameAccess` has it."""
        return self.number, self.version or 0, self.resigned_at is not None


_GAME = _GAMES.c[GameRow._fields]
_ANY_GAME = select(*_GAME).where(_GAMES.c.id == bindparam("game"))
_ANY_GAME_LOCKED = _ANY_GAME.with_for_update()
_GAME_AND_CALLER = _GAMES.outerjoin(
    _CREDENTIAL, _CREDENTIAL.c.digest == bindparam("digest")
).outerjoin(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id)
_GAME_AND_SEAT = _GAME_AND_CALLER.outerjoin(
    _SEAT, (_SEAT.c.game_id == _GAMES.c.id) & (_SEAT.c.person_id == _PERSON.c.id)
)
_GAME_FOR_CALLER = (
    select(
        *_GAME,
        *CALLER,
        _SEAT.c.number.label("own_seat"),
        _SEAT.c.version.label("own_version"),
        _SEAT.c.resigned_at.label("own_resigned_at"),
    )
    .select_from(_GAME_AND_SEAT)
    .where(_GAMES.c.id == bindparam("game"))
)
# The seats are read afterwards: PostgreSQL, when it has waited for the lock of the game, reads only
# the game again.
_GAME_LOCKED = (
    select(*_GAME, *CALLER)
    .select_from(_GAME_AND_CALLER)
    .where(_GAMES.c.id == bindparam("game"))
    .with_for_update(of=_GAMES)
)
_VERSION = (
    select(
        _GAMES.c.version,
        _GAMES.c.visibility,
        _SEAT.c.number.label("seat"),
        _SEAT.c.version.label("seat_version"),
        *CALLER,
    )
    .select_from(_GAME_AND_SEAT)
    .where(_GAMES.c.id == bindparam("game"))
)


class GameVersion(NamedTuple):
    """The version of a game for one viewer."""

    version: int
    seat: int | None
    seat_version: int


def access_version(key: Key, scope: str, game_id: str) -> GameVersion | None:
    """The version of a game, to answer a conditional request; None if the caller may not see it, or
    only `access_game` can tell."""
    row = execute(_VERSION, {"game": game_id, "digest": key.digest}).one_or_none()
    if row is None or (row.seat is None and row.visibility != Visibility.public):
        return None
    if key.digest is not None:
        caller = caller_row(row[4:])
        if caller is None or refusal_of(caller, scope) is not None:
            return None
        note_use(caller)
    return GameVersion(row.version, row.seat, row.seat_version or 0)


def access_game(key: Key, scope: str, game_id: str) -> GameAccess:
    """A game the caller may see, in one query, with their seat.

    Everybody may see public games, strangers included; the others are for their players and for
    invited people.
    """
    if key.digest is None:
        found = execute(_ANY_GAME, {"game": game_id}).one_or_none()
        if found is None or (game := _game(found)).visibility != Visibility.public:
            raise not_found("game")
        return GameAccess(None, game, None, 0, False)
    return access_known_game(key, scope, game_id, for_update=False)


def access_known_game(
    key: Key,
    scope: str,
    game_id: str,
    for_update: bool = True,
    invitation: str | None = None,
) -> KnownAccess:
    """A game that a caller with a key may see; locked if `for_update`. The secret of an
    `invitation` is the right to see its table."""
    if for_update:
        game, caller, _ = _known(_GAME_LOCKED, key, scope, game_id)
        seats = access_seats(game_id)
        own = _own_seat(seats, caller.person_id)
        _check_visible(game, caller, own, invitation)
        return KnownAccess(caller, game, *own.facts, seats)
    game, caller, rest = _known(_GAME_FOR_CALLER, key, scope, game_id)
    own = _OwnSeat._make(rest)
    _check_visible(game, caller, own, invitation)
    return KnownAccess(caller, game, *own.facts)


def _own_seat(seats: Sequence[SeatRow], person_id: str) -> _OwnSeat:
    for seat in seats:
        if seat.person_id == person_id:
            return _OwnSeat(seat.number, seat.version, seat.resigned_at)
    return _OwnSeat()


def _known(
    statement: Executable, key: Key, scope: str, game_id: str
) -> tuple[GameRow, Caller, Sequence[object]]:
    """A game, its caller, and further columns of the statement; strangers are refused."""
    if key.digest is None:
        access_caller(key)
    row = execute(statement, {"game": game_id, "digest": key.digest}).one_or_none()
    if row is None:
        access_caller(key, scope)
        raise not_found("game")
    caller = row[len(GameRow._fields) :]
    known = len(CallerRow._fields)
    return _game(row), checked(caller_row(caller[:known]), scope), caller[known:]


def _check_visible(game: GameRow, caller: Caller, own: _OwnSeat, invitation: str | None) -> None:
    if own.number is None and game.visibility != Visibility.public:
        secret = None if invitation is None else digest(invitation)
        if not _invited(game, caller, secret):
            raise not_found("game")


def access_seat(key: Key, scope: str, game_id: str, for_update: bool = True) -> SeatAccess:
    """A game in which the caller has a seat, locked for a change."""
    access = access_known_game(key, scope, game_id, for_update)
    if access.seat is None:
        raise _not_seated()
    known = (access.caller, access.game, access.seat, access.seat_version, access.resigned)
    return SeatAccess(*known, access.seats)


def _not_seated() -> Problem:
    return Problem("not_seated", "You have no seat at this table.")


def access_hosted(key: Key, scope: str, game_id: str, for_update: bool = True) -> KnownAccess:
    """A table of which the caller is the host, locked for a change."""
    access = access_known_game(key, scope, game_id, for_update)
    if access.game.host_id != access.caller.person_id:
        raise Problem("not_host", "Only the host of the table may do this.")
    return access


def _invited(row: GameRow, caller: Caller, secret: str | None) -> bool:
    """Whether the caller is the host, or may join an open table: by an invitation, or because it is
    the rematch of a game of theirs."""
    if row.host_id == caller.person_id:
        return True
    if row.status != Status.open:
        return False
    mine = select(Person.email).where(Person.id == caller.person_id).scalar_subquery()
    invited = count_rows(
        Invitation.game_id == row.id,
        (Invitation.email == mine) | (Invitation.digest == (secret or "")),
        still_good(now()),
    )
    return bool(invited) or played(row.rematch_of, caller)


def still_good(at: datetime) -> ColumnElement[bool]:
    """Of an invitation: neither withdrawn nor too old."""
    return Invitation.withdrawn_at.is_(None) & (Invitation.expires_at > at)


def played(game_id: str | None, caller: Caller) -> bool:
    """Whether the caller had a seat in this game."""
    return count_rows(Seat.game_id == game_id, Seat.person_id == caller.person_id) > 0


def lock_game(game_id: str) -> GameRow:
    """A game for the service itself, which plays for bots and the absent; locked."""
    return _game(execute(_ANY_GAME_LOCKED, {"game": game_id}).one())


def access_for_letter(person_id: str, game_id: str) -> GameAccess:
    """A game for a letter to a person, with their seat: the letter may show as much as the API."""
    game, seats = _game(execute(_ANY_GAME, {"game": game_id}).one()), access_seats(game_id)
    return GameAccess(None, game, *_own_seat(seats, person_id).facts, seats)


LETTER = "letter"  # the kind of caller whose only proof is a letter to them


def access_by_letter(person_id: str, game_id: str) -> SeatAccess:
    """The game of a letter, locked, for a caller who proved to have the letter.

    The letter is the right to answer its question; callers of this function ask for no more."""
    row, seats = lock_game(game_id), access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == person_id), None)
    if own is None:
        raise _not_seated()
    if own.person_suspended_at is not None:
        raise Problem("suspended", "Contact the operator of this server.")
    caller = Caller(person_id, own.name, "", LETTER, frozenset())
    return SeatAccess(caller, row, own.number, own.version, own.resigned_at is not None, seats)


def access_table_by_mail(person: Person, game_id: str) -> KnownAccess:
    """A table, locked, for a caller who proved to receive the mails of their account."""
    row, seats = lock_game(game_id), access_seats(game_id)
    caller = Caller(person.id, person.name, "", LETTER, frozenset())
    own = _own_seat(seats, person.id)
    _check_visible(row, caller, own, None)
    return KnownAccess(caller, row, *own.facts, seats)


def access_seats(game_id: str) -> list[SeatRow]:
    """The seats of a game in order, with time zone, quiet hours and absences of their owners."""
    return [SeatRow._make(row) for row in execute(_SEATS, {"game": game_id}).all()]


def access_seats_of(game_ids: Sequence[str]) -> dict[str, list[SeatRow]]:
    """The seats of several games, each in order."""
    found: dict[str, list[SeatRow]] = {game_id: [] for game_id in game_ids}
    for row in execute(_ALL_SEATS.where(_SEAT.c.game_id.in_(game_ids))):
        seat = SeatRow._make(row)
        found[seat.game_id].append(seat)
    return found


def _game(row: Sequence[object]) -> GameRow:
    """The columns of the game, which come first in every query here."""
    return GameRow._make(row[: len(GameRow._fields)])


SEAT_COLUMNS = SeatRow._fields[: SeatRow._fields.index("person_owner_id")]
_ALL_SEATS = (
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
    .order_by(_SEAT.c.game_id, _SEAT.c.number)
)
_SEATS = _ALL_SEATS.where(_SEAT.c.game_id == bindparam("game"))
