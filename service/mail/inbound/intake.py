"""Intake of mails: a mail is stored before its delivery is acknowledged.

A mail is taken if its recipient is a signed address of ours or one of the server's own; its
content is not read yet. Of a large mail the text is stored, without attachments. A mail that
arrives again is acknowledged again, and stored once. A mail at which the intake fails is set aside
for the operator (`service.ops.incoming_admin`) and delays no other mail.
"""

import hashlib
import re
from datetime import datetime
from typing import NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import select

from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.ids import new_id
from service.core.storable_text import storable
from service.core.worker_signal import wake
from service.db.models import Incoming, IncomingState, Letter
from service.db.session import db, is_transient, reading, transact
from service.mail.inbound.attachments import without_attachments
from service.mail.inbound.intake_limits import exceeds_quota, mails_to, usage_of
from service.mail.outgoing.reply_address import Address, NoSuchAddress, read_address

log = structlog.get_logger()

MOST_UNASSIGNED = 100  # mails a day that are set aside and belong to no known letter
MOST_RECIPIENTS = 20  # of one mail, which is stored for each of them
LONGEST_SENDER = 254
LONGEST_ERROR = 200
LONGEST_HEADERS = 8000  # stored bytes of a mail that was dropped
SMTP, LMTP, IMAP, HOOK, PAGE = "smtp", "lmtp", "imap", "hook", "page"

UNKNOWN, TOO_LARGE, FLOOD, QUOTA = "unknown", "too_large", "flood", "quota"
LATER = (FLOOD, QUOTA)  # temporary reasons: the same mail may be taken later
TAKEN, AGAIN = "taken", "again"
FAILED, SET_ASIDE = "failed", "set_aside"
INCOMING = Counter(
    "laguna_incoming_total",
    "Incoming mails by channel and outcome",
    ["via", "outcome"],
)


class NotTaken(Exception):
    """A refused mail. `reason` is `too_large`, `flood`, `quota`, or the error of the address:
    `unknown`, `changed`, `expired`, `unreadable` or `other_domain`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Receipt(NamedTuple):
    """A stored mail; `new` is false if it was stored before."""

    id: str
    new: bool


class IncomingRow(NamedTuple):
    """A claimed mail."""

    id: str
    letter_id: str | None  # None: to one of the server's own addresses
    purpose: str
    sender: str
    via: str
    raw: bytes | None
    attempts: int  # with this one
    received_at: datetime


def check_recipient(recipient: str, via: str, at: datetime) -> None:
    """Check, before a mail is sent, whether mails to this address are taken; raises NotTaken."""
    address = _read(recipient, via, at)
    with reading():
        if _owner_of(address) is None:
            raise refused(UNKNOWN, via)


def receive_or_set_aside(
    raw: bytes, recipient: str, sender: str, via: str, at: datetime
) -> Receipt:
    """Store a mail as `receive` does, or set it aside if that fails because of the mail.

    Raises NotTaken, and every transient failure: then the mail has to be delivered again.
    """
    try:
        return receive(raw, recipient, sender, via, at)
    except NotTaken:
        raise
    except Exception as error:
        if is_transient(error):
            raise
        return Receipt(set_aside(raw, recipient, sender, via, at, error_summary(error)), new=True)


def receive(raw: bytes, recipient: str, sender: str, via: str, at: datetime) -> Receipt:
    """Store a mail to one of our addresses; raises NotTaken.

    `sender` is the envelope sender, empty for bounces.
    """
    address = _read(recipient, via, at)
    if len(raw) > settings().largest_mail:
        raise refused(TOO_LARGE, via)
    sender = _plain(sender)
    try:
        receipt = transact(lambda: _store(raw, address, sender, via, at))
    except NotTaken as refusal:
        raise refused(refusal.reason, via) from None
    INCOMING.labels(via, TAKEN if receipt.new else AGAIN).inc()
    log.info("mail_received", incoming=receipt.id, via=via, new=receipt.new)
    return receipt


def _store(raw: bytes, address: Address, sender: str, via: str, at: datetime) -> Receipt:
    owner = _owner_of(address)
    if owner is None:
        raise NotTaken(UNKNOWN)
    mail = _mail(raw, address, owner, sender, via, at)
    if (known := _stored_before(mail)) is not None:
        return Receipt(known, new=False)
    limits = settings().limits
    if address.letter_id is not None and mails_to(address, at) >= limits.mails_per_address_and_hour:
        raise NotTaken(FLOOD)
    usage = usage_of(owner, sender, at)
    # Bounces have no sender; there are at most as many as mails went out.
    if sender and usage.from_sender >= limits.mails_per_sender_and_hour:
        raise NotTaken(FLOOD)
    if exceeds_quota(usage, len(raw), address):
        raise NotTaken(QUOTA)
    mail.raw = without_attachments(raw)
    mail.next_try_at = at
    db.session.add(mail)
    wake("mail")
    return Receipt(mail.id, new=True)


def _owner_of(address: Address) -> str | None:
    """The recipient of the letter that an address is about; None if the letter is gone. Mails to
    one of the server's own addresses count by its purpose: no person owns them."""
    if address.letter_id is None:
        return address.purpose
    return db.session.scalar(select(Letter.to).where(Letter.id == address.letter_id))


def _mail(
    raw: bytes, address: Address | None, owner: str, sender: str, via: str, at: datetime
) -> Incoming:
    """A new row, not in the queue; without an address the mail belongs to no letter."""
    return Incoming(
        id=new_id(),
        letter_id=None if address is None else address.letter_id,
        purpose="" if address is None else address.purpose,
        owner=owner,
        fingerprint=fingerprint(raw),
        sender=sender,
        via=via,
        raw=raw,
        size=len(raw),
        received_at=at,
    )


def _stored_before(mail: Incoming) -> str | None:
    """The id under which the same mail to the same address is stored, if it is."""
    return db.session.scalar(
        select(Incoming.id).where(
            Incoming.letter_id == mail.letter_id,
            Incoming.purpose == mail.purpose,
            Incoming.fingerprint == mail.fingerprint,
        )
    )


def set_aside(
    raw: bytes | None, recipient: str | None, sender: str, via: str, at: datetime, error: str
) -> str:
    """Store a mail at which the intake failed, for the operator; its id.

    `raw` is None if the mail itself could not be read; `error` then says where it is and identifies
    it. Raises NotTaken if too many are stored already.
    """
    receipt = transact(lambda: _set_aside(raw, recipient, _plain(sender), via, at, error))
    if receipt.new:
        INCOMING.labels(via, SET_ASIDE).inc()
        log.error(
            "mail_set_aside", incoming=receipt.id, via=via, error=storable(error, LONGEST_ERROR)
        )
    return receipt.id


def _set_aside(
    raw: bytes | None, recipient: str | None, sender: str, via: str, at: datetime, error: str
) -> Receipt:
    address = _address_if_any(recipient, at)
    owner = None if address is None else _owner_of(address)
    known_address = None if owner is None else address
    mail = _mail(raw or error.encode(), known_address, owner or "", sender, via, at)
    mail.raw, mail.size = raw and without_attachments(raw), len(raw or b"")
    mail.state, mail.done_at = IncomingState.dead, at
    mail.reason, mail.error = FAILED, error
    if (known := _stored_before(mail)) is not None:
        return Receipt(known, new=False)
    usage = usage_of(mail.owner, "", at)
    if known_address is not None:
        is_too_much = exceeds_quota(usage, mail.size, known_address)
    else:
        is_too_much = usage.mails >= MOST_UNASSIGNED
    if is_too_much:
        raise NotTaken(QUOTA)
    db.session.add(mail)
    return Receipt(mail.id, new=True)


def _address_if_any(recipient: str | None, at: datetime) -> Address | None:
    try:
        return None if recipient is None else read_address(settings(), recipient, at)
    except Exception:  # the recipient may be what the intake failed at
        return None


def _read(recipient: str, via: str, at: datetime) -> Address:
    try:
        return read_address(settings(), recipient, at)
    except NoSuchAddress as error:
        raise refused(error.reason, via) from error


def refused(reason: str, via: str) -> NotTaken:
    """Count and log a refused mail. The log names no addresses: they are credentials."""
    INCOMING.labels(via, reason).inc()
    (log.warning if reason in LATER else log.info)("mail_not_taken", via=via, reason=reason)
    return NotTaken(reason)


_MESSAGE_ID = re.compile(rb"^message-id:[ \t\r\n]*(<[^<>\s]{3,900}>)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def fingerprint(raw: bytes) -> str:
    """Digest that identifies a mail: of its Message-ID, or of all of it if it has none."""
    end = _END_OF_HEADERS.search(raw)
    found = _MESSAGE_ID.search(raw if end is None else raw[: end.start()])
    return hashlib.sha256(raw if found is None else found.group(1)).hexdigest()


def headers_only(raw: bytes) -> bytes:
    """The headers of a mail, without its body."""
    end = _END_OF_HEADERS.search(raw)
    return raw[: min(LONGEST_HEADERS, len(raw) if end is None else end.start())]


def _plain(sender: str) -> str:
    """An address as it is compared and stored."""
    return storable(sender.strip().removeprefix("<").removesuffix(">").lower(), LONGEST_SENDER)
