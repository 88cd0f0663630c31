"""Addresses that refuse invitation mails, with or without an account.

A person with an account has a preference for it (`mail.invitations`). For an address without one
only the digest of the address is stored; it becomes the preference when an account is made for that
address, and is stored again when the account is deleted.
"""

import hashlib
from datetime import datetime

import structlog
from sqlalchemy import delete, select

from service.core.email_address import mailbox_of, normal_address
from service.db.models import InvitationRefusal, Person
from service.db.session import db
from service.notify.preferences import OFF, preferences

log = structlog.get_logger()


def _digest(email: str) -> str:
    return hashlib.sha256(mailbox_of(email).encode()).hexdigest()


def refuse_invitations(email: str, at: datetime) -> None:
    """Send no more invitations to this address. Idempotent."""
    person = db.session.scalars(
        select(Person).where(Person.email == normal_address(email)).with_for_update(key_share=True)
    ).one_or_none()
    if person is None:
        store_refusal(email, at)
    elif preferences(person.mail).invitations:
        person.mail = person.mail | {"invitations": False}
        person.version += 1
    log.info("invitations_refused", account=person is not None)


def store_refusal(email: str, at: datetime) -> None:
    """Store the refusal of an address without an account."""
    if not is_refused(email):
        db.session.add(InvitationRefusal(address_digest=_digest(email), refused_at=at))
        db.session.flush()


def is_refused(email: str) -> bool:
    """Whether an address without an account refuses invitations."""
    return db.session.get(InvitationRefusal, _digest(email)) is not None


def take_over_refusal(email: str) -> dict[str, bool]:
    """Move a stored refusal to the mail preferences of a new account, which are returned."""
    found = db.session.execute(
        delete(InvitationRefusal)
        .where(InvitationRefusal.address_digest == _digest(email))
        .returning(InvitationRefusal.address_digest)
    ).all()
    return {"invitations": False} if found else {}


def why_unwanted(email: str, person: Person | None) -> str | None:
    """The reason why no invitation is mailed to this address; None if it may be."""
    if person is None:
        return "refused" if is_refused(email) else None
    if person.suspended_at is not None:
        return "suspended"
    wanted = preferences(person.mail)
    if wanted.turns == OFF:
        return "off"
    return None if wanted.invitations else "refused"
