"""People at their mail programs who write to a server over LMTP and read what it sends."""

import smtplib
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import make_msgid
from typing import Any

from sqlalchemy import select

from service.db.models import Incoming
from service.db.session import db
from service.mail.inbound.processor import process_some
from service.mail.outgoing.sender import send_letters
from service.notify.letter_planner import plan_letters
from tests.support.site import Site
from tests.worker.sink import Sink

MOST = 50


class Letterbox:
    """The mails between one site and everybody."""

    def __init__(self, site: Site, sink: Sink, port: int, domain: str) -> None:
        self.site, self.sink, self.port = site, sink, port
        self.own = f"laguna@{domain}"
        self.read = 0

    def sends(
        self,
        sender: str,
        text: str,
        to: str | None = None,
        subject: str = "",
        name: str = "",
        envelope: str | None = None,
        **headers: str,
    ) -> EmailMessage:
        """Hand a mail in; headers are named as Message_ID."""
        message = EmailMessage()
        message["From"] = f"{name} <{sender}>" if name else sender
        message["To"] = to or self.own
        message["Subject"] = subject
        for header, value in headers.items():
            message[header.replace("_", "-")] = value
        if "Message_ID" not in headers:
            message["Message-ID"] = make_msgid(domain="example.org")
        message.set_content(text)
        self.hands_in(message, sender if envelope is None else envelope)
        return message

    def hands_in(self, message: EmailMessage, envelope: str) -> None:
        with smtplib.LMTP("127.0.0.1", self.port) as server:
            server.sendmail(envelope, [str(message["To"])], message.as_bytes())

    def replies(self, letter: EmailMessage, text: str, **kwargs: Any) -> EmailMessage:
        """Reply to a mail as its recipient, with the mail quoted below."""
        body = letter.get_body(("plain",))
        assert body is not None
        quoted = "".join(f"> {line}\n" for line in str(body.get_content()).splitlines())
        kwargs = {"sender": str(letter["To"]), "to": str(letter["Reply-To"])} | kwargs
        text = f"{text}\n\nOn Mon, 2 Mar 2026 at 12:01, Laguna wrote:\n\n{quoted}"
        return self.sends(text=text, subject=f"Re: {letter['Subject']}", **kwargs)

    def works(self) -> None:
        """Process what came in, and send what follows from it."""
        with self.site.app.app_context():
            while process_some(self.site.clock(), MOST):
                pass
            while send_letters():
                pass
            self.site.clock.advance(minutes=2)
            while plan_letters(self.site.clock(), MOST):
                pass
            while send_letters():
                pass

    def new_mails(self, to: str | None = None) -> list[EmailMessage]:
        """The mails that were sent since the last look, all or those to one address."""
        found = self.sink.mails[self.read :]
        self.read += len(found)
        return [_message(mail.raw) for mail in found if to is None or mail.to == to]

    def answered(self, write: Callable[[], object]) -> EmailMessage:
        """The one mail that follows from a mail."""
        write()
        self.works()
        [mail] = self.new_mails()
        return mail

    def outcomes(self) -> list[tuple[str, str | None]]:
        """State and reason of all mails that came in, oldest first."""
        with self.site.app.app_context():
            db.session.remove()
            order = select(Incoming).order_by(Incoming.received_at, Incoming.id)
            return [(one.state, one.reason) for one in db.session.scalars(order)]


def _message(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())
