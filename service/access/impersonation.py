"""Access of operators for people, without signing in."""

from sqlalchemy import select

from service.access.credentials import Caller
from service.access.scopes import SCOPES
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind, Person
from service.db.session import db


def caller_for(person: Person) -> Caller:
    """The person as a caller with all of their rights."""
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
