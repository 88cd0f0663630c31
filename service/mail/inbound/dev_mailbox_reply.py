"""Replies from the mailbox page, for servers without a mail server: each becomes a mail, which is
processed and answered while its writer waits."""

import time
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid

from sqlalchemy import select

from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.models import Letter, LetterState
from service.db.session import db
from service.mail.inbound.intake import LATER, PAGE, NotTaken, receive
from service.mail.inbound.processor import process_some
from service.mail.outgoing.mime import reply_address
from service.mail.outgoing.sender import send_letters
from service.notify.notification_rules import ANSWER

BATCH_SIZE = 20
ANSWER_SECONDS = 4.0  # if a worker has claimed the reply
LONGEST_REPLY = 4000


def reply_by_page(letter: Letter, text: str) -> str | None:
    """Reply to a letter and wait for the answer; the id of the answer, None if it takes longer."""
    assert letter.sent_at is not None
    address = reply_address(letter, settings(), letter.sent_at)
    if address is None:
        raise Problem("not_found", "This mail cannot be answered.")
    if len(text) > LONGEST_REPLY:
        raise Problem("invalid_request", f"Write at most {LONGEST_REPLY} characters.")
    try:
        receipt = receive(_mail(letter, address, text), address, letter.to, PAGE, now())
    except NotTaken as refusal:
        if refusal.reason in LATER:
            raise Problem(
                "too_many_requests",
                "That were many replies; wait a while.",
                headers={"Retry-After": "3600"},
            ) from refusal
        raise Problem("not_found", "This mail cannot be answered any more.") from refusal
    patience = time.monotonic() + ANSWER_SECONDS
    while (answer := _answer_to(receipt.id, letter.to)) is None and time.monotonic() < patience:
        if not process_some(now(), BATCH_SIZE) + send_letters():
            time.sleep(0.05)
    return answer


def _mail(letter: Letter, address: str, text: str) -> bytes:
    """The reply as a mail program would send it."""
    mail = EmailMessage(SMTP)
    mail["From"] = letter.to
    mail["To"] = address
    mail["Subject"] = f"Re: {letter.subject}"
    mail["Date"] = format_datetime(now())
    mail["Message-ID"] = make_msgid(domain=settings().mail_domain)
    mail.set_content(text)
    return mail.as_bytes()


def _answer_to(reply: str, to: str) -> str | None:
    """The letter that answers a reply, once it has arrived."""
    db.session.rollback()  # read the current state
    sent = (
        select(Letter.id, Letter.facts)
        .where(Letter.to == to, Letter.kind == ANSWER, Letter.state == LetterState.sent)
        .order_by(Letter.created_at.desc(), Letter.id.desc())
        .limit(BATCH_SIZE)
    )
    return next((row.id for row in db.session.execute(sent) if row.facts["reply"] == reply), None)
