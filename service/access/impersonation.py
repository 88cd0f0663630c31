"""What those who run the house may do for its people, without being asked to sign in."""

from sqlalchemy import select

from service.access.credentials import Caller
from service.access.scopes import SCOPES
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind, Person
from service.db.session import db


def caller_for(person: Person) -> Caller:
    """The person as a caller who may do everything they may do."""
    return Caller(
        person_id=person.id,
        name=person.name,
        credential_id="",
        kind=CredentialKind.session,
        scopes=frozenset(SCOPES),
    )


def token_with(token_id: str) -> Credential:
    """A token of anybody's, to be revoked."""
    found = db.session.scalars(
        select(Credential).where(Credential.id == token_id, Credential.kind == CredentialKind.token)
    ).one_or_none()
    if found is None:
        raise Problem("not_found", f"There is no token {token_id[:40]}.")
    return found
