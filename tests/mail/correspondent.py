"""Somebody who answers mails: replies as mail programs write them, handed in and processed."""

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from html import escape
from typing import Any

from sqlalchemy import select

from service.db.models import Incoming, Letter
from service.db.session import db
from service.mail.inbound.intake import receive
from service.mail.inbound.processor import process_some
from service.mail.outgoing.reply_address import REPLY, address
from tests.support.post import address as account_of
from tests.support.post import arrived, work
from tests.support.site import Caller, Site

MOST = 50


def reply_address(site: Site, letter: Letter) -> str:
    """Where replies to this letter go."""
    assert letter.sent_at is not None
    return address(site.settings, REPLY, letter.id, letter.sent_at)


def plain_reply(
    text: str, sender: str, to: str, quoted: str = "", at: datetime | None = None
) -> EmailMessage:
    """A reply on top of the quoted mail, as most programs write it."""
    mail = _headed(sender, to, at)
    below = "".join(f"> {line}\n" for line in quoted.splitlines())
    intro = "On Mon, 2 Mar 2026 at 12:01, Laguna <laguna@localhost> wrote:\n\n" if quoted else ""
    mail.set_content(f"{text}\n\n{intro}{below}")
    return mail


def german_reply(text: str, sender: str, to: str, quoted: str) -> EmailMessage:
    mail = _headed(sender, to)
    below = "".join(f"> {line}\n" for line in quoted.splitlines())
    intro = "Am 02.03.26 um 12:01 schrieb Laguna:\n"
    mail.set_content(f"{text}\n\n{intro}{below}\n-- \nDörte\nGesendet von meinem Boot\n")
    return mail


def gmail_reply(text: str, sender: str, to: str, quoted: str) -> EmailMessage:
    """HTML and nothing else, in the shape that Gmail gives it."""
    mail = _headed(sender, to)
    lines = "".join(f"<div>{escape(line)}</div>" for line in text.splitlines())
    mail.set_content(
        f'<div dir="ltr">{lines}</div><br><div class="gmail_quote"><div dir="ltr" '
        'class="gmail_attr">On Mon, Mar 2, 2026 at 12:01 PM Laguna &lt;<a '
        'href="mailto:laguna@localhost">laguna@localhost</a>&gt; wrote:<br></div><blockquote '
        'class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid '
        f'rgb(204,204,204);padding-left:1ex">{quoted}</blockquote></div>',
        subtype="html",
    )
    return mail


def outlook_reply(text: str, sender: str, to: str, quoted: str) -> EmailMessage:
    """HTML and nothing else, in the shape that Outlook gives it."""
    mail = _headed(sender, to)
    lines = "".join(
        f'<p class="MsoNormal">{escape(line)}<o:p></o:p></p>' for line in text.splitlines()
    )
    mail.set_content(
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta http-equiv='
        '"Content-Type" content="text/html; charset=utf-8"></head><body lang="EN-US"><div '
        f'class="WordSection1">{lines}<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div><div '
        'style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p '
        'class="MsoNormal"><b>From:</b> Laguna &lt;laguna@localhost&gt; <br><b>Sent:</b> Monday, '
        "March 2, 2026 12:01 PM<br><b>To:</b> Dave<br><b>Subject:</b> Your turn<o:p></o:p></p>"
        f"</div></div><div>{quoted}</div></div></body></html>",
        subtype="html",
    )
    return mail


def _headed(sender: str, to: str, at: datetime | None = None) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = f"Somebody <{sender}>"
    mail["To"] = to
    mail["Subject"] = "Re: Your turn"
    if at is not None:
        mail["Date"] = format_datetime(at)
    mail["Message-ID"] = make_msgid(domain="example.org")
    return mail


def hand_in(site: Site, letter: Letter, mail: EmailMessage, sender: str) -> str:
    """Hand a mail in as a mail server would; the id under which it is stored."""
    to = reply_address(site, letter)
    with site.app.app_context():
        return receive(mail.as_bytes(), to, sender, "smtp", site.clock()).id


def process(site: Site) -> None:
    """Do what the mails say that came in."""
    with site.app.app_context():
        while process_some(site.clock(), MOST):
            pass


def incoming(site: Site, mail_id: str) -> Incoming:
    with site.app.app_context():
        return db.session.scalars(select(Incoming).where(Incoming.id == mail_id)).one()


def sends(
    site: Site, caller: Caller, letter: Letter, text: str, sender: str | None = None
) -> Incoming:
    """Somebody replies to a letter, and it is processed; what came of the mail."""
    sender = sender or account_of(caller)
    mail = plain_reply(text, sender, reply_address(site, letter), letter.text or "")
    number = hand_in(site, letter, mail, sender)
    process(site)
    return incoming(site, number)


def answers_to(site: Site, caller: Caller) -> list[Letter]:
    """The answers that arrived, oldest first."""
    work(site)
    return arrived(site, caller, "answer")


def replies(site: Site, caller: Caller, letter: Letter, text: str, **kwargs: Any) -> Letter:
    """Somebody replies to a letter; the one answer to it."""
    before = {answer.id for answer in answers_to(site, caller)}
    sends(site, caller, letter, text, **kwargs)
    [answer] = [new for new in answers_to(site, caller) if new.id not in before]
    return answer
