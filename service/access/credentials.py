"""Credentials: the caller behind the secret of a request, and the scopes it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from flask import g
from sqlalchemy import bindparam, func, select, update

from engine.languages import ENGLISH
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind, Person
from service.db.session import db, execute, table

# "Last used" is for people, not for accounting; a read need not become a write each time.
USE_NOTED_EVERY = timedelta(minutes=5)
IDS_PER_QUERY = 500

_PERSON, _CREDENTIAL = table(Person), table(Credential)


@dataclass(frozen=True)
class Key:
    """The digest of the secret that a request carries, its only proof; None for a stranger."""

    digest: str | None


STRANGER = Key(None)


@dataclass(frozen=True, slots=True)
class Caller:
    """The person who sends a request, with their credential."""

    person_id: str
    name: str
    credential_id: str
    kind: str
    scopes: frozenset[str]
    expires_at: datetime | None = None
    language: str = ENGLISH  # of pages
    time_zone: str = "UTC"
    last_event: int = 0  # number of the newest event of their log
    owner_id: str | None = None  # of a bot account

    @property
    def signed_in(self) -> bool:
        """Whether it is a session, which may do everything; a token has scopes."""
        return self.kind == CredentialKind.session


class CallerRow(NamedTuple):
    """A credential with its person."""

    credential_id: str
    credential_kind: str
    credential_scopes: str
    credential_expires_at: datetime | None
    credential_revoked_at: datetime | None
    credential_last_used_at: datetime | None
    person_id: str
    person_name: str
    person_language: str
    person_time_zone: str
    person_last_event: int
    person_deleted_at: datetime | None
    person_suspended_at: datetime | None
    person_owner_id: str | None


_TABLES = {"credential": _CREDENTIAL, "person": _PERSON}
CALLER = tuple(
    _TABLES[name].c[column].label(field)
    for field in CallerRow._fields
    for name, column in [field.split("_", 1)]
)
_CALLERS = select(*CALLER).select_from(
    _CREDENTIAL.join(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id)
)
_BY_DIGEST = _CALLERS.where(_CREDENTIAL.c.digest == bindparam("digest"))


def caller_row(values: Sequence[object] | None) -> CallerRow | None:
    """The columns of `CALLER`, which an outer join leaves empty for an unknown credential."""
    return None if values is None or values[0] is None else CallerRow._make(values)


def checked(row: CallerRow | None, scope: str | None) -> Caller:
    """The caller of a row; raises the problem with their credential."""
    if row is None:
        raise _unknown()
    if (refusal := refusal_of(row, scope)) is not None:
        raise refusal
    note_use(row)
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
        owner_id=row.person_owner_id,
    )


def _unknown() -> Problem:
    return Problem("invalid_token", "The token is unknown.")


def refusal_of(row: CallerRow, scope: str | None) -> Problem | None:
    """The problem with the credential of a row, if there is one."""
    if row.person_deleted_at is not None:
        return _unknown()
    if row.person_suspended_at is not None:
        return Problem("suspended", "Contact the operator of this server.")
    if row.credential_revoked_at is not None:
        return Problem("revoked_token", "The token was revoked. Create a new one.")
    if row.credential_expires_at is not None and row.credential_expires_at <= now():
        return Problem("expired_token", "The token has expired. Create a new one or sign in again.")
    by_token = row.credential_kind != CredentialKind.session
    if scope is not None and by_token and scope not in row.credential_scopes.split():
        return Problem(
            "missing_scope",
            f"The token needs the scope {scope}.",
            more={"scope": scope},
            headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
        )
    return None


def note_use(row: CallerRow) -> None:
    """Note for `uses_to_note` that the credential is used, unless that was written lately."""
    present, used = now(), row.credential_last_used_at
    if used is None or present - used > USE_NOTED_EVERY:
        g.setdefault("used_credentials", {})[row.credential_id] = present


def uses_to_note() -> dict[str, datetime]:
    """The credentials whose use is to be written, with its instant."""
    uses: dict[str, datetime] = g.pop("used_credentials", {})
    return uses


def note_uses(uses: dict[str, datetime]) -> None:
    """Write when these credentials were last used."""
    for credential_id, used_at in uses.items():
        db.session.execute(
            update(Credential).where(Credential.id == credential_id).values(last_used_at=used_at)
        )


def access_caller(key: Key, scope: str | None = None) -> Caller:
    """The caller with this key; raises `not_signed_in` for a stranger."""
    if key.digest is None:
        raise Problem("not_signed_in", "Send a token as `Authorization: Bearer lag_..`.")
    row = execute(_BY_DIGEST, {"digest": key.digest}).one_or_none()
    return checked(caller_row(row), scope)


def person_to_count(key: Key) -> str | None:
    """The person whose limits a key uses up, for a bot its owner; None if the key is not good."""
    found = db.session.execute(
        select(func.coalesce(Person.owner_id, Person.id), Credential.expires_at)
        .join(Credential, Credential.person_id == Person.id)
        .where(
            Credential.digest == key.digest,
            Credential.revoked_at.is_(None),
            Person.deleted_at.is_(None),
        )
    ).one_or_none()
    if found is None:
        return None
    person_id, expires_at = found
    return person_id if expires_at is None or expires_at > now() else None


def last_events(credential_ids: Sequence[str], scope: str) -> dict[str, int]:
    """The last event number of the person behind each credential that is (still) good."""
    found: dict[str, int] = {}
    for start in range(0, len(credential_ids), IDS_PER_QUERY):
        some = credential_ids[start : start + IDS_PER_QUERY]
        found |= {
            row.credential_id: row.person_last_event
            for row in map(CallerRow._make, execute(_CALLERS.where(_CREDENTIAL.c.id.in_(some))))
            if refusal_of(row, scope) is None
        }
    return found


def access_visitor(key: Key, scope: str | None = None) -> Caller | None:
    """The caller with this key, None for a stranger; raises for a wrong key."""
    return None if key.digest is None else access_caller(key, scope)


def access_session(key: Key) -> Caller:
    """A caller who signed in; raises for a token, which must not lock its owner out."""
    caller = access_caller(key)
    if not caller.signed_in:
        raise Problem("sessions_only", "Sign in by mail; a token is not enough for this operation.")
    return caller


def not_found(what: str) -> Problem:
    """The same problem for a row that is hidden from the caller and for none."""
    return Problem("not_found", f"No such {what}, or you have no access to it.")
