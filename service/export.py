"""Everything we hold about a person, for that person."""

from typing import Any

from sqlalchemy import select

from engine.contract import Json
from service.database import Base, db
from service.models import (
    Credential,
    Decision,
    Event,
    Invitation,
    Letter,
    Message,
    Person,
    Seat,
    SignIn,
    Webhook,
)

# Never leaves the database, not even for its owner.
SECRETS = frozenset({"digest", "secret", "old_secret", "code_digest", "link_digest"})
# Mails with codes and links, so that only who reads the address can use them: of these it is told
# when they were sent, and not what they say.
SECRET_MAILS = ("sign_in", "invitation")


def everything_about(person: Person) -> Json:
    """All rows that are about this person, without secrets."""
    return {
        "account": _facts(person),
        "tokens_and_sessions": _rows(Credential, Credential.person_id == person.id),
        "bots": _rows(Person, Person.owner_id == person.id),
        "seats": _rows(Seat, Seat.person_id == person.id),
        "decisions": _rows(Decision, Decision.person_id == person.id),
        "messages": _rows(Message, Message.person_id == person.id),
        "events": _rows(Event, Event.person_id == person.id),
        "webhooks": _rows(Webhook, Webhook.person_id == person.id),
        "invitations_made": _rows(Invitation, Invitation.invited_by == person.id),
        "invitations_received": _rows(Invitation, Invitation.email == person.email)
        if person.email
        else [],
        "sign_ins": _rows(SignIn, SignIn.email == person.email) if person.email else [],
        "mails": _mails(person),
    }


def _mails(person: Person) -> list[Json]:
    own, secret = Letter.to == person.email, Letter.kind.in_(SECRET_MAILS)
    hidden = _rows(Letter, own & secret, without=("subject", "text", "html"))
    return hidden + _rows(Letter, own & ~secret)


def _rows(model: type[Base], condition: Any, without: tuple[str, ...] = ()) -> list[Json]:
    return [_facts(row, without) for row in db.session.scalars(select(model).where(condition))]


def _facts(row: Base, without: tuple[str, ...] = ()) -> Json:
    return {
        column.key: getattr(row, column.key)
        for column in row.__table__.columns
        if column.key not in SECRETS and column.key not in without
    }
