"""Who asks: what a request shows of itself, and what that allows.

A `Key` is what a request shows of itself; nothing else proves who it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import g
from sqlalchemy import bindparam, func, select, update

from engine.languages import ENGLISH
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind, Person
from service.db.session import AnyRow, current_connection, db, execute, table

# "Last used" is for people, not for accounting; a read need not become a write each time.
USE_NOTED_EVERY = timedelta(minutes=5)
IDS_PER_QUERY = 500

_PERSON, _CREDENTIAL = table(Person), table(Credential)


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
    owner_id: str | None = None  # of a bot account

    @property
    def signed_in(self) -> bool:
        """A person who signed in may do everything; a token only what its scopes say."""
        return self.kind == CredentialKind.session


CALLER = (
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
    _PERSON.c.suspended_at.label("person_suspended_at"),
    _PERSON.c.owner_id.label("person_owner_id"),
)
_BY_DIGEST = (
    select(*CALLER)
    .select_from(_CREDENTIAL.join(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id))
    .where(_CREDENTIAL.c.digest == bindparam("digest"))
)


def checked(row: AnyRow | None, scope: str | None) -> Caller:
    """The caller of a row with `CALLER`; raises what is wrong with their credential."""
    if row is None:
        raise Problem("invalid_token", "The token is unknown.")
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


def refusal_of(row: AnyRow, scope: str | None) -> Problem | None:
    """What is wrong with the credential of a row, if anything is."""
    if row.credential_id is None or row.person_deleted_at is not None:
        return Problem("invalid_token", "The token is unknown.")
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


def note_use(row: AnyRow) -> None:
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
        raise Problem("not_signed_in", "Send a token as `Authorization: Bearer lag_..`.")
    return checked(
        execute(_BY_DIGEST, {"digest": key.digest}).one_or_none(),
        scope,
    )


def person_to_count(key: Key) -> str | None:
    """The person whose limits a key uses up, for a bot its owner; None if the key is not good."""
    found = db.session.execute(
        select(func.coalesce(Person.owner_id, Person.id).label("person_id"), Credential.expires_at)
        .join(Credential, Credential.person_id == Person.id)
        .where(
            Credential.digest == key.digest,
            Credential.revoked_at.is_(None),
            Person.deleted_at.is_(None),
        )
    ).one_or_none()
    if found is None or (found.expires_at is not None and found.expires_at <= now()):
        return None
    person_id: str = found.person_id
    return person_id


def last_events(credential_ids: Sequence[str], scope: str) -> dict[str, int]:
    """The last event number of the person behind each credential that is (still) good."""
    found: dict[str, int] = {}
    for start in range(0, len(credential_ids), IDS_PER_QUERY):
        some = credential_ids[start : start + IDS_PER_QUERY]
        rows = current_connection().execute(
            select(*CALLER)
            .select_from(_CREDENTIAL.join(_PERSON, _PERSON.c.id == _CREDENTIAL.c.person_id))
            .where(_CREDENTIAL.c.id.in_(some))
        )
        found |= {
            row.credential_id: row.person_last_event
            for row in rows
            if refusal_of(row, scope) is None
        }
    return found


def access_visitor(key: Key, scope: str | None = None) -> Caller | None:
    """Who shows this key, or None for a stranger; a wrong key is refused all the same."""
    return None if key.digest is None else access_caller(key, scope)


def access_session(key: Key) -> Caller:
    """A person who signed in: tokens are not enough for what could lock their owner out."""
    caller = access_caller(key)
    if not caller.signed_in:
        raise Problem("sessions_only", "Sign in by mail; a token is not enough for this operation.")
    return caller


def not_found(what: str) -> Problem:
    """What somebody may not see, or what is not there, in the same words."""
    return Problem("not_found", f"No such {what}, or you have no access to it.")
