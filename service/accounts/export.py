"""Export of all stored data about a person."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from engine.contract import Json
from service.core.signing import without_signed_ids
from service.db.models import (
    Bounce,
    Credential,
    Decision,
    Delivery,
    Event,
    Incoming,
    Invitation,
    Letter,
    Message,
    Move,
    Person,
    Seat,
    SignIn,
    UndoneMove,
    Webhook,
)
from service.db.session import Base, db, table
from service.notify.notification_rules import INVITATION, SIGN_IN

# Columns that are never exported.
SECRETS = frozenset(
    {
        "digest",
        "secret",
        "old_secret",
        "code_digest",
        "link_digest",
        "requester",
        "client",
        "next_path",  # may contain the secret of an invitation
    }
)
# Mails whose codes and links prove an address: exported without their text.
SECRET_MAILS = (SIGN_IN, INVITATION)

MailReader = Callable[[bytes], str | None]  # reads the text of a received mail


def export_person(person: Person, text_of: MailReader) -> Json:
    """All rows about a person, without secrets."""
    return {
        "account": _facts(person),
        "tokens_and_sessions": _rows(Credential, Credential.person_id == person.id),
        "bots": _rows(Person, Person.owner_id == person.id),
        "seats": _rows(Seat, Seat.person_id == person.id),
        "decisions": _rows(Decision, Decision.person_id == person.id),
        "moves": _moves(person, Move, "n"),
        "moves_taken_back": _moves(person, UndoneMove, "number", "n", "undone_at"),
        "messages": _rows(Message, Message.person_id == person.id),
        "events": _rows(Event, Event.person_id == person.id),
        "webhooks": _rows(Webhook, Webhook.person_id == person.id),
        "webhook_deliveries": _rows(
            Delivery,
            Delivery.webhook_id.in_(select(Webhook.id).where(Webhook.person_id == person.id)),
        ),
        "invitations_made": _rows(Invitation, Invitation.invited_by == person.id),
        "invitations_received": _rows(Invitation, Invitation.email == person.email)
        if person.email
        else [],
        "sign_ins": _rows(SignIn, SignIn.email == person.email) if person.email else [],
        "mails": _mails(person),
        "mails_received": _received(person, text_of),
        "mails_returned": _rows(Bounce, Bounce.address == person.email) if person.email else [],
    }


def _moves(person: Person, model: type[Move] | type[UndoneMove], *own: str) -> list[Json]:
    """Moves of the person's seats with the columns `own`, of which the first orders them, and
    without their events, which may still be secret."""
    columns = table(model).c
    found = db.session.execute(
        select(*columns["game_id", *own, "decision", "move", "via", "at"])
        .join(Seat, (Seat.game_id == columns.game_id) & (Seat.number == columns.seat))
        .where(Seat.person_id == person.id)
        .order_by(columns.game_id, columns[own[0]])
    )
    return [dict(row._mapping) for row in found]


def _mails(person: Person) -> list[Json]:
    """The letters to a person, without signed links and addresses: a token that may read the
    export must not be able to play or unsubscribe with them."""
    own, secret = Letter.to == person.email, Letter.kind.in_(SECRET_MAILS)
    hidden = [
        row | {"facts": {name: value for name, value in row["facts"].items() if name != "link"}}
        for row in _rows(Letter, own & secret, without=("subject", "text", "html"))
    ]
    return hidden + [
        facts | {part: _readable(facts[part]) for part in ("text", "html")}
        for facts in _rows(Letter, own & ~secret)
    ]


def _received(person: Person, text_of: MailReader) -> list[Json]:
    """Received mails about the letters to a person, without signed addresses."""
    to_theirs = Incoming.letter_id.in_(select(Letter.id).where(Letter.to == person.email))
    return [
        _facts(mail, without=("raw", "fingerprint"))
        | {"text": None if mail.raw is None else _readable(text_of(mail.raw))}
        for mail in db.session.scalars(select(Incoming).where(to_theirs))
    ]


def _readable(text: str | None) -> str | None:
    return text and without_signed_ids(text)


def _rows(model: type[Base], condition: Any, without: tuple[str, ...] = ()) -> list[Json]:
    return [_facts(row, without) for row in db.session.scalars(select(model).where(condition))]


def _facts(row: Base, without: tuple[str, ...] = ()) -> Json:
    return {
        column.key: getattr(row, column.key)
        for column in row.__table__.columns
        if column.key not in SECRETS and column.key not in without
    }
