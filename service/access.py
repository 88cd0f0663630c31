"""The only way to rows: every function checks who asks and what they may see.

A `Key` is what a request shows of itself; nothing else proves who it is. What somebody may not
see does not exist for them: the answer is `not_found`, as for an id that never was.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from flask import g
from sqlalchemy import Column, ColumnElement, bindparam, select, update

from engine.languages import ENGLISH
from service.clock import now
from service.database import AnyRow, db, run, table
from service.keys import digest
from service.models import (
    Credential,
    CredentialKind,
    Delivery,
    Game,
    Invitation,
    Person,
    Seat,
    Status,
    Visibility,
    Webhook,
)
from service.problems import Refused
from service.statements import Prepared, Rows

# "Last used" is for people, not for accounting; a read need not become a write each time.
USE_NOTED_EVERY = timedelta(minutes=5)


@dataclass(frozen=True)
class Key:
    """The digest of the secret that a request carries; None for a stranger."""

    digest: str | None


STRANGER = Key(None)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what the credential they showed allows."""

    person_id: str
    name: str
    credential_id: str
    kind: str
    scopes: frozenset[str]
    expires_at: datetime | None = None
    language: str = ENGLISH  # which pages speak to them
    time_zone: str = "UTC"
    last_event: int = 0  # what they were told before they asked

    @property
    def signed_in(self) -> bool:
        """A person who signed in may do everything; a token only what its scopes say."""
        return self.kind == CredentialKind.session


_PERSON, _CREDENTIAL, _GAMES, _SEAT = (table(model) for model in (Person, Credential, Game, Seat))
_CALLER = (
    _CREDENTIAL.c.id.label("credential_id"),
    _CREDENTIAL.c.kind.label("credential_kind"),
    _CREDENTIAL.c.scopes.label("credential_scopes"),
    _CREDENTIAL.c.expires_at.label("credential_expires_at"),
    _CREDENTIAL.c.revoked_at.label("credential_revoked_at"),
    _CREDENTIAL.c.last_used_at.label("credential_last_used_at"),
    _PERSON.c.id.label("person_id"),
    _PERSON.c.name.label("person_name"),
    _PERSON.c.language.label("person_language"),
    _PERSON.c.time_zone.label("person_time_zone"),
    _PERSON.c.last_event.label("person_last_event"),
    _PERSON.c.deleted_at.label("person_deleted_at"),
)
_BY_DIGEST = Prepared(
    select(*_CALLER)
    .select_from(_CREDENTIAL.join(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id))
    .where(_CREDENTIAL.c.digest == bindparam("digest"))
)


def _checked(row: AnyRow | None, scope: str | None) -> Caller:
    """The caller of a row with `_CALLER`; raises what is wrong with their credential."""
    if row is None:
        raise Refused("invalid_token", "We do not know this token.")
    if (refusal := _refusal(row, scope)) is not None:
        raise refusal
    _note(row)
    return Caller(
        person_id=row.person_id,
        name=row.person_name,
        credential_id=row.credential_id,
        kind=row.credential_kind,
        scopes=frozenset(row.credential_scopes.split()),
        expires_at=row.credential_expires_at,
        language=row.person_language,
        time_zone=row.person_time_zone,
        last_event=row.person_last_event,
    )


def _refusal(row: AnyRow, scope: str | None) -> Refused | None:
    """What is wrong with the credential of a row, if anything is."""
    if row.credential_id is None or row.person_deleted_at is not None:
        return Refused("invalid_token", "We do not know this token.")
    if row.credential_revoked_at is not None:
        return Refused("revoked_token", "This token was revoked; make a new one.")
    if row.credential_expires_at is not None and row.credential_expires_at <= now():
        return Refused("expired_token", "This token has expired; make a new one or sign in again.")
    by_token = row.credential_kind != CredentialKind.session
    if scope is not None and by_token and scope not in row.credential_scopes.split():
        return Refused(
            "missing_scope",
            f"This needs a token with the scope {scope}.",
            more={"scope": scope},
            headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
        )
    return None


def _note(row: AnyRow) -> None:
    """Remember to write down that the credential was used, if that was not done lately."""
    present, used = now(), row.credential_last_used_at
    if used is None or present - used > USE_NOTED_EVERY:
        g.setdefault("used_credentials", {})[row.credential_id] = present


def uses_to_note() -> dict[str, datetime]:
    """The credentials used since the last call whose use is worth writing down."""
    uses: dict[str, datetime] = g.pop("used_credentials", {})
    return uses


def note_uses(uses: dict[str, datetime]) -> None:
    """Write down when these credentials were last used."""
    for credential_id, used_at in uses.items():
        db.session.execute(
            update(Credential).where(Credential.id == credential_id).values(last_used_at=used_at)
        )


def access_caller(key: Key, scope: str | None = None) -> Caller:
    """Who shows this key; raises `not_signed_in` for a stranger."""
    if key.digest is None:
        raise Refused("not_signed_in", "Send a token as `Authorization: Bearer lag_..`.")
    return _checked(
        run(_BY_DIGEST, {"digest": key.digest}).one_or_none(),
        scope,
    )


def access_visitor(key: Key, scope: str | None = None) -> Caller | None:
    """Who shows this key, or None for a stranger; a wrong key is refused all the same."""
    return None if key.digest is None else access_caller(key, scope)


def access_session(key: Key) -> Caller:
    """A person who signed in: tokens are not enough for what could lock their owner out."""
    caller = access_caller(key)
    if not caller.signed_in:
        raise Refused("sessions_only", "Sign in by mail to do this; a token is not enough.")
    return caller


def access_own_account(caller: Caller, for_update: bool = False) -> Person:
    """The caller's own account; to change it, locked together with its games."""
    if for_update:
        _lock_with_games(caller.person_id)
    return db.session.get_one(Person, caller.person_id, populate_existing=True)


def access_own_habits(caller: Caller) -> Person:
    """The caller's own account, locked without its games: to change what only games that ask
    them something later will look at."""
    run(_PERSON_LOCKED, {"person": caller.person_id})
    return db.session.get_one(Person, caller.person_id, populate_existing=True)


def _lock_with_games(person_id: str) -> None:
    """Lock what a change of an account may touch: its games in order, then the person.

    A move locks its game first and its people last; whoever does it the other way round waits
    for somebody who waits for them.
    """
    run(_OWN_GAMES_LOCKED, {"person": person_id})
    run(_PERSON_LOCKED, {"person": person_id})


_OWN_GAMES_LOCKED = Prepared(
    select(_GAMES.c.id)
    .select_from(_GAMES.join(_SEAT, _SEAT.c.game_id == _GAMES.c.id))
    .where(_SEAT.c.person_id == bindparam("person"))
    .order_by(_GAMES.c.id)
    .with_for_update(of=_GAMES)
)
_PERSON_LOCKED = Prepared(
    select(_PERSON.c.id).where(_PERSON.c.id == bindparam("person")).with_for_update(key_share=True)
)


def access_player(person_id: str) -> Person:
    """Somebody's public side."""
    person = db.session.get(Person, person_id)
    if person is None or person.deleted_at is not None:
        raise _nothing("player")
    return person


def access_credential(caller: Caller, credential_id: str, kind: CredentialKind) -> Credential:
    """A token or session of the caller, or of a bot they answer for."""
    credential = db.session.execute(
        select(Credential)
        .join(Person, Person.id == Credential.person_id)
        .where(
            Credential.id == credential_id,
            Credential.kind == kind,
            (Person.id == caller.person_id) | (Person.owner_id == caller.person_id),
        )
    ).scalar_one_or_none()
    if credential is None:
        raise _nothing(kind)
    return credential


def access_bot(caller: Caller, bot_id: str, for_update: bool = False) -> Person:
    """A bot account the caller answers for; to delete it, locked together with its games."""
    if for_update:
        _lock_with_games(bot_id)
    bot = db.session.execute(
        select(Person).where(
            Person.id == bot_id, Person.owner_id == caller.person_id, Person.deleted_at.is_(None)
        )
    ).scalar_one_or_none()
    if bot is None:
        raise _nothing("bot account")
    return bot


def access_webhook(caller: Caller, webhook_id: str) -> Webhook:
    """A webhook of the caller."""
    webhook = db.session.execute(
        select(Webhook).where(Webhook.id == webhook_id, Webhook.person_id == caller.person_id)
    ).scalar_one_or_none()
    if webhook is None:
        raise _nothing("webhook")
    return webhook


def access_delivery(webhook: Webhook, delivery_id: str) -> Delivery:
    delivery = db.session.execute(
        select(Delivery).where(Delivery.id == delivery_id, Delivery.webhook_id == webhook.id)
    ).scalar_one_or_none()
    if delivery is None:
        raise _nothing("delivery")
    return delivery


@dataclass(frozen=True, slots=True)
class GameAccess:
    """A game's row of columns, and how the caller stands to it."""

    caller: Caller | None
    game: AnyRow
    seat: int | None
    seat_version: int
    resigned: bool
    seats: Sequence[AnyRow] | None = None  # all of them, if they were read


@dataclass(frozen=True, slots=True)
class KnownAccess(GameAccess):
    """A game, for somebody who is not a stranger."""

    caller: Caller


@dataclass(frozen=True, slots=True)
class SeatAccess(KnownAccess):
    """A game, for somebody who has a seat in it."""

    seat: int


# Everything of a game but its opening, which is long and only the record needs.
_GAME = tuple(column for column in _GAMES.c if column.name != "opening")
_BY_ID = select(*_GAME).where(_GAMES.c.id == bindparam("game"))
_ANY_GAME = Prepared(_BY_ID)
_ANY_GAME_LOCKED = Prepared(_BY_ID.with_for_update())


_GAME_AND_CALLER = _GAMES.outerjoin(
    _CREDENTIAL, _CREDENTIAL.c.digest == bindparam("digest")
).outerjoin(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id)
_GAME_AND_SEAT = _GAME_AND_CALLER.outerjoin(
    _SEAT, (_SEAT.c.game_id == _GAMES.c.id) & (_SEAT.c.person_id == _PERSON.c.id)
)
_GAME_FOR_CALLER = Prepared(
    select(
        *_GAME,
        _SEAT.c.number.label("own_seat"),
        _SEAT.c.version.label("own_version"),
        _SEAT.c.resigned_at.label("own_resigned_at"),
        *_CALLER,
    )
    .select_from(_GAME_AND_SEAT)
    .where(_GAMES.c.id == bindparam("game"))
)


def _locked(columns: Iterable[Column[Any]]) -> Prepared:
    """These columns of a game, and the caller, when nobody else can change the game any more.

    The seats are read after it: PostgreSQL waits for the lock of the game with what it has read
    of other tables, and reads only the game again.
    """
    return Prepared(
        select(*columns, *_CALLER)
        .select_from(_GAME_AND_CALLER)
        .where(_GAMES.c.id == bindparam("game"))
        .with_for_update(of=_GAMES)
    )


_GAME_LOCKED = _locked(_GAME)
# What a move needs of its game: each column costs something, on PostgreSQL most.
_TURN_LOCKED = _locked(
    _GAMES.c[
        "id",
        "game",
        "rules",
        "clock",
        "status",
        "visibility",
        "host_id",
        "rematch_of",
        "seed",
        "state",
        "moves",
        "version",
        "paused_at",
        "frozen_at",
    ]
)
_GLANCE = Prepared(
    select(
        _GAMES.c.version,
        _GAMES.c.visibility,
        _SEAT.c.number.label("seat"),
        _SEAT.c.version.label("seat_version"),
        *[column for column in _CALLER if column.name.startswith("credential_")],
        _PERSON.c.deleted_at.label("person_deleted_at"),
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
    row = run(_GLANCE, {"game": game_id, "digest": key.digest}).one_or_none()
    if row is None or not (row.seat is not None or _shown_to_all(row)):
        return None
    if key.digest is not None:
        if _refusal(row, scope) is not None:
            return None
        _note(row)
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
        row = run(_ANY_GAME, {"game": game_id}).one_or_none()
        if row is None or not _shown_to_all(row):
            raise _nothing("game")
        return GameAccess(None, row, None, 0, False)
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
        return _known_and_locked(_GAME_LOCKED, key, scope, game_id, invitation)
    row, caller = _known(run(_GAME_FOR_CALLER, _shown(key, game_id)), key, scope)
    _must_be_shown(row, caller, row.own_seat is not None, invitation)
    version, resigned = row.own_version or 0, row.own_resigned_at is not None
    return KnownAccess(caller, row, row.own_seat, version, resigned)


def _known_and_locked(
    query: Prepared, key: Key, scope: str, game_id: str, invitation: str | None = None
) -> KnownAccess:
    row, caller = _known(run(query, _shown(key, game_id)), key, scope)
    seats = access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == caller.person_id), None)
    _must_be_shown(row, caller, own is not None, invitation)
    if own is None:
        return KnownAccess(caller, row, None, 0, False, seats)
    return KnownAccess(caller, row, own.number, own.version, own.resigned_at is not None, seats)


def _shown(key: Key, game_id: str) -> dict[str, Any]:
    """What a query for a game and its caller is asked with; strangers are refused."""
    if key.digest is None:
        access_caller(key)
    return {"game": game_id, "digest": key.digest}


def _known(found: Rows, key: Key, scope: str) -> tuple[AnyRow, Caller]:
    row = found.one_or_none()
    if row is None:
        access_caller(key, scope)
        raise _nothing("game")
    return row, _checked(row, scope)


def _must_be_shown(row: AnyRow, caller: Caller, seated: bool, invitation: str | None) -> None:
    if not seated and not _shown_to_all(row):
        secret = None if invitation is None else digest(invitation)
        if not _invited(row, caller, secret):
            raise _nothing("game")


def access_turn(key: Key, scope: str, game_id: str) -> SeatAccess:
    """A game in which the caller has a seat, locked, with no more of it than a move needs."""
    return _seated(_known_and_locked(_TURN_LOCKED, key, scope, game_id))


def access_seat(key: Key, scope: str, game_id: str, for_update: bool = True) -> SeatAccess:
    """A game in which the caller has a seat, locked so that they may act."""
    return _seated(access_known_game(key, scope, game_id, for_update))


def _seated(access: KnownAccess) -> SeatAccess:
    if access.seat is None:
        raise Refused("not_seated", "You have no seat at this table.")
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
        raise Refused("not_host", "Only the person who opened the table may do that.")
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


def access_decided_game(game_id: str) -> AnyRow:
    """A game for the house itself, which plays for bots and the absent; locked."""
    return run(_ANY_GAME_LOCKED, {"game": game_id}).one()


def access_for_letter(person_id: str, game_id: str) -> GameAccess:
    """A game for a letter of the house to somebody: with their seat, they may see what the API
    would show them."""
    row, seats = run(_ANY_GAME, {"game": game_id}).one(), access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == person_id), None)
    if own is None:
        return GameAccess(None, row, None, 0, False, seats)
    return GameAccess(None, row, own.number, own.version, own.resigned_at is not None, seats)


LETTER = "letter"  # the kind of caller that showed a letter we wrote to them, and nothing else


def access_by_letter(person_id: str, game_id: str) -> SeatAccess:
    """A game that a letter to somebody was about, locked, for whoever proved to have that letter.

    They may answer what it asked; it is up to those who call this to ask for no more."""
    row, seats = run(_ANY_GAME_LOCKED, {"game": game_id}).one(), access_seats(game_id)
    own = next((seat for seat in seats if seat.person_id == person_id), None)
    if own is None:
        raise Refused("not_seated", "You have no seat at this table.")
    caller = Caller(person_id, own.name, "", LETTER, frozenset())
    return SeatAccess(caller, row, own.number, own.version, own.resigned_at is not None, seats)


def access_seats(game_id: str) -> Rows:
    """The seats of a game somebody was let in to, in order, with the habits of their owners."""
    return run(_SEATS, {"game": game_id})


_SEATS = Prepared(
    select(
        *_SEAT.c,
        _PERSON.c.owner_id.label("person_owner_id"),
        _PERSON.c.deleted_at.label("person_deleted_at"),
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


def _nothing(what: str) -> Refused:
    return Refused("not_found", f"There is no such {what}, or not for you.")
