"""Sent letters, and mails that reply to them or return them."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from sqlalchemy import select

from service.core.ids import new_id
from service.db.models import Incoming, Letter, LetterState, Person
from service.db.session import db, transact
from service.mail.inbound.intake import Receipt, receive
from service.mail.outgoing import reply_address
from tests.support.site import Site

ANN = "ann@example.org"


def sent_letter(site: Site, to: str = ANN, **columns: Any) -> str:
    """A letter that was sent to somebody; its id."""
    at = site.clock()
    plain: dict[str, Any] = {
        "id": new_id(),
        "kind": "turn",
        "to": to,
        "subject": "Your turn",
        "text": "Play.\n",
        "state": LetterState.sent,
        "created_at": at,
        "sent_at": at,
    }
    letter = Letter(**(plain | columns))
    number = letter.id

    def write() -> None:
        owner = db.session.scalar(select(Person.id).where(Person.email == to))
        letter.person_id = letter.person_id or owner
        db.session.add(letter)

    with site.app.app_context():
        transact(write)
    return number


def our_address(
    site: Site, letter: str, purpose: str = reply_address.REPLY, at: datetime | None = None
) -> str:
    return reply_address.address(site.settings, purpose, letter, at or site.clock())


def mail(to: str, text: str = "1\n", sender: str = ANN, **headers: str) -> bytes:
    """A mail as a program of a person sends it; headers are named as Message_ID."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = to
    message["Subject"] = "Re: Your turn"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    if "Message_ID" not in headers:
        message["Message-ID"] = f"<{new_id()}@mail.example.org>"
    message.set_content(text)
    return message.as_bytes()


def returned(to: str, status: str = "5.1.1", action: str = "failed", kind: str = "dsn") -> bytes:
    """What a server sends back: that a mail could not be delivered (RFC 3464), or that somebody
    complained of it (RFC 5965, `kind` is `arf`)."""
    about = {
        "dsn": "Reporting-MTA: dns; mx.example.org\n\n"
        f"Final-Recipient: rfc822; {ANN}\nAction: {action}\nStatus: {status}\n"
        f"Diagnostic-Code: smtp; 550 {status} no\n",
        "arf": "Feedback-Type: abuse\nUser-Agent: Provider/1\nVersion: 1\n",
    }[kind]
    name = {"dsn": "delivery-status", "arf": "feedback-report"}[kind]
    text = (
        "From: MAILER-DAEMON@mx.example.org\n"
        f"To: {to}\n"
        "Subject: Undelivered Mail Returned to Sender\n"
        "Auto-Submitted: auto-replied\n"
        f"Message-ID: <{new_id()}@mx.example.org>\n"
        "MIME-Version: 1.0\n"
        f'Content-Type: multipart/report; report-type={name}; boundary="part"\n\n'
        "--part\nContent-Type: text/plain\n\nI could not deliver this mail.\n"
        f"--part\nContent-Type: message/{name}\n\n{about}\n--part--\n"
    )
    return text.replace("\n", "\r\n").encode()


def arrives(site: Site, raw: bytes, to: str, sender: str = ANN, via: str = "lmtp") -> Receipt:
    """Store an incoming mail."""
    with site.app.app_context():
        return receive(raw, to, sender, via, site.clock())


def incoming(site: Site) -> list[Incoming]:
    """The mails that were stored, oldest first."""
    with site.app.app_context():
        db.session.remove()
        query = select(Incoming).order_by(Incoming.received_at, Incoming.id)
        return list(db.session.scalars(query).all())
