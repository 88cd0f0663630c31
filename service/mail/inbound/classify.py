"""Classification of mails, and the text of their writers. Pure functions, without a database.

The stages, each in a module of its own:

parse     `mime_parts`, `charsets`   the parts of the mail, within limits
classify  `machines`, `dsn`          own mails that come back, reports of servers, automatic mails
text      `shown_text`, `html_text`  the text that people see, of which part
quote     `quote_stripper`           marker, quote, attribution, copied headers
footer    `footers`                  banner, signature, footer, legal text

`Reading.taken_off` says what they took off. What remains are the writer's own words, which
`command_parser` reads.
"""

from email.message import Message
from typing import NamedTuple

from service.core.mail_headers import is_address, mailboxes_in
from service.mail.inbound.charsets import decoded_header
from service.mail.inbound.dsn import (
    Report,
    read_complaint,
    read_delivery_status,
    read_old_bounce,
)
from service.mail.inbound.machine_patterns import REACTION
from service.mail.inbound.machines import automatic_by_headers, automatic_by_text
from service.mail.inbound.mime_parts import (
    Unreadable,
    children,
    head_of,
    shown_parts,
    take_apart,
    type_of,
)
from service.mail.inbound.plain_text import folded, one_line
from service.mail.inbound.quote_patterns import PGP_MESSAGE
from service.mail.inbound.shown_text import TwoTexts, own_words_in, texts_of
from service.mail.inbound.taken_off import TakenOff

__all__ = ["Reading", "Report", "read_mail"]

REPLY, AUTO, BOUNCE, COMPLAINT = "reply", "auto", "bounce", "complaint"
OWN, EMPTY, UNREADABLE, TWO_TEXTS = "own", "empty", "unreadable", "two_texts"


class Reading(NamedTuple):
    """A mail as it was read. `text` is the text of its writer in the form of `plain`, without
    quotes and signature; `reason` says why the mail is not a reply, or not readable. The kind
    `two_texts` has none: the text part and the HTML part say something different."""

    kind: str
    text: str = ""
    sender: str = ""  # the address in From, in lower case
    subject: str = ""
    message_id: str = ""
    reason: str = ""
    report: Report | None = None
    quote: str = ""  # the text of the quotes without their signs
    taken_off: tuple[TakenOff, ...] = ()

    @property
    def may_answer(self) -> bool:
        """Whether a person may have answered: in own words, or by a mark in the quote."""
        return self.kind == REPLY or (self.kind == EMPTY and self.quote != "")


def read_mail(raw: bytes, own_domain: str = "") -> Reading:
    """Read and classify a mail. Catches all errors: a mail that cannot be read must not stop the
    others."""
    try:
        return _read(raw, own_domain)
    except Exception:
        return Reading(UNREADABLE, reason="broken")


def _read(raw: bytes, own_domain: str) -> Reading:
    try:
        message = take_apart(raw)
        return _judge(message, _head(message), own_domain)
    except Unreadable as unreadable:
        head = head_of(raw)
        known = _head(head)
        by_program = _by_program(head, known, own_domain)
        return by_program or known._replace(kind=UNREADABLE, reason=unreadable.reason)


def _head(message: Message) -> Reading:
    """The reading of the headers alone."""
    return Reading(
        EMPTY,
        sender=_sender(message),
        subject=one_line(decoded_header(message.get("Subject", "")))[:200],
        message_id=message.get("Message-ID", "")[:250],
    )


def _sender(message: Message) -> str:
    """The address in From; "" if there are several."""
    values: list[str] = message.get_all("From", [])
    addresses = {mailbox.lower() for value in values for mailbox in mailboxes_in(value)}
    sender = addresses.pop() if len(addresses) == 1 else ""
    return sender if is_address(sender) else ""


def _name(message: Message) -> str:
    """The writer's name in From, and the local part of the address."""
    value = message.get("From", "")
    name = decoded_header(value.partition("<")[0]).replace('"', " ")
    return f"{name} {_sender(message).partition('@')[0].replace('.', ' ')}"


def _names(message: Message) -> list[str]:
    """The names of the people whom a mail may quote: those it goes to, and its writer."""
    values = [*message.get_all("To", [])[:3], message.get("From", "")]
    names = (decoded_header(value.partition("<")[0]).strip("\"' ") for value in values)
    return [name for name in names if name and "@" not in name]


def _judge(message: Message, known: Reading, own_domain: str) -> Reading:
    if (by_program := _by_program(message, known, own_domain)) is not None:
        return by_program
    shown = list(shown_parts(message))
    if any(part.kind == "text/calendar" for part in shown):
        return known._replace(kind=AUTO, reason="calendar")
    if any(part.kind == REACTION for part in shown):
        return known._replace(kind=AUTO, reason="reaction")
    texts = texts_of(shown)
    seen = texts.as_text.text
    bounce = read_old_bounce(known.sender, known.subject, seen)
    if bounce is not None:
        return known._replace(kind=BOUNCE, reason="bounce", report=bounce)
    if folded(seen[:200].lstrip()).startswith(PGP_MESSAGE):
        raise Unreadable("encrypted")
    try:
        own = own_words_in(texts, _name(message), _names(message))
    except TwoTexts:
        return known._replace(kind=TWO_TEXTS, reason="two_texts")
    read = known._replace(quote=own.quote, taken_off=own.taken_off)
    if reason := automatic_by_text(known.subject, own.unquoted, own.quote != ""):
        return read._replace(kind=AUTO, reason=reason)
    if own.text:
        return read._replace(kind=REPLY, text=own.text)
    return read._replace(reason="nothing_written")


def _by_program(message: Message, known: Reading, own_domain: str) -> Reading | None:
    """The reading of a mail that no person sent; None if a person may have."""
    if _is_own(known.message_id, own_domain):
        return known._replace(kind=OWN, reason="own_mail")
    if (reported := _reported(message, known)) is not None:
        return reported
    if reason := automatic_by_headers(message, known.subject, known.sender):
        return known._replace(kind=AUTO, reason=reason)
    return None


def _is_own(message_id: str, own_domain: str) -> bool:
    ours = f".letter@{own_domain.lower()}>"
    return own_domain != "" and message_id.lower().endswith(ours)


def _reported(message: Message, known: Reading) -> Reading | None:
    """The reading of a report of a mail server; None for other mails. Reports inside of attached
    mails do not count."""
    inside = {type_of(part): part for part in reversed(children(message))}
    is_report = type_of(message) == "multipart/report"
    if is_report and "message/feedback-report" in inside:
        complaint = read_complaint(inside["message/feedback-report"])
        return known._replace(kind=COMPLAINT, reason="complaint", report=complaint)
    if "message/delivery-status" in inside:
        status = read_delivery_status(inside["message/delivery-status"])
        if status is not None and status.action in ("failed", "delayed"):
            return known._replace(kind=BOUNCE, reason="bounce", report=status)
        return known._replace(kind=AUTO, reason="delivery_notice")
    return known._replace(kind=AUTO, reason="report") if is_report else None
