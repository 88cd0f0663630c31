"""Taking mails in: whoever hands one over, it is stored here before they hear that we have it.

Nothing in a mail is understood yet. Its recipient is one of our addresses about one letter, or the
mail is not taken. The same mail again is acknowledged again, and stored once.
"""

import hashlib
import re
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import bindparam, func, select

from service.database import reading, run, table, transact
from service.inbound.addresses import Address, NoSuchAddress, read_address
from service.inbound.strangers import storable
from service.keys import new_id
from service.models import Incoming, IncomingState, Letter
from service.settings import settings
from service.statements import Prepared, PreparedInsert
from service.waking import wake

log = structlog.get_logger()

LARGEST = 200_000  # bytes of a mail
PER_HOUR = timedelta(hours=1)
MOST_PER_ADDRESS = 20  # mails an hour to one address of ours
MOST_PER_SENDER = 60  # mails an hour from one address
LONGEST_SENDER = 254
SMTP, LMTP, IMAP, HOOK, PAGE = "smtp", "lmtp", "imap", "hook", "page"

UNKNOWN, TOO_LARGE, FLOOD = "unknown", "too_large", "flood"
TAKEN, AGAIN = "taken", "again"
INCOMING = Counter(
    "laguna_incoming_total",
    "Mails that came in, by how they came and what became of them",
    ["via", "outcome"],
)


class NotTaken(Exception):
    """A mail that we do not want. `reason` is `too_large`, `flood`, or what is wrong with the
    address: `unknown`, `changed`, `expired`, `unreadable` or `other_domain`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Receipt(NamedTuple):
    """We have this mail; `new` is false if we had it before."""

    id: str
    new: bool


_LETTER, _INCOMING = table(Letter), table(Incoming)
_LETTER_THERE = Prepared(select(_LETTER.c.id).where(_LETTER.c.id == bindparam("letter")))
_HAD = Prepared(
    select(_INCOMING.c.id).where(
        _INCOMING.c.letter_id == bindparam("letter"),
        _INCOMING.c.purpose == bindparam("purpose"),
        _INCOMING.c.fingerprint == bindparam("fingerprint"),
    )
)
_LATELY_TO = Prepared(
    select(func.count().label("mails"))
    .select_from(_INCOMING)
    .where(
        _INCOMING.c.letter_id == bindparam("letter"),
        _INCOMING.c.purpose == bindparam("purpose"),
        _INCOMING.c.received_at > bindparam("since"),
    )
)
_LATELY_FROM = Prepared(
    select(func.count().label("mails"))
    .select_from(_INCOMING)
    .where(_INCOMING.c.sender == bindparam("sender"), _INCOMING.c.received_at > bindparam("since"))
)
_STORE = PreparedInsert(
    _INCOMING,
    *("id", "letter_id", "purpose", "fingerprint", "sender", "via", "raw"),
    *("state", "attempts", "received_at", "next_try_at"),
)


def check_recipient(recipient: str, via: str, at: datetime) -> None:
    """Whether mails to this address would be taken: before anybody sends one. Raises NotTaken."""
    address = _read(recipient, via, at)
    with reading():
        if not run(_LETTER_THERE, {"letter": address.letter_id}):
            raise refused(UNKNOWN, via)


def receive(raw: bytes, recipient: str, sender: str, via: str, at: datetime) -> Receipt:
    """Store a mail that was sent to one of our addresses; raises NotTaken if it is not wanted.

    `sender` is whom the envelope names; nobody for what a server wrote by itself.
    """
    address = _read(recipient, via, at)
    if len(raw) > LARGEST:
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
    of = {"letter": address.letter_id, "purpose": address.purpose}
    if not run(_LETTER_THERE, {"letter": address.letter_id}):
        raise NotTaken(UNKNOWN)
    mark = fingerprint(raw)
    had = run(_HAD, of | {"fingerprint": mark}).one_or_none()
    if had is not None:
        return Receipt(had.id, new=False)
    since = at - PER_HOUR
    if run(_LATELY_TO, of | {"since": since}).one().mails >= MOST_PER_ADDRESS:
        raise NotTaken(FLOOD)
    # Mails that came back have no sender; of these there are as many as mails went out.
    if sender and run(_LATELY_FROM, {"sender": sender, "since": since}).one().mails >= (
        MOST_PER_SENDER
    ):
        raise NotTaken(FLOOD)
    number = new_id()
    stored = {
        "id": number,
        "letter_id": address.letter_id,
        "purpose": address.purpose,
        "fingerprint": mark,
        "sender": sender,
        "via": via,
        "raw": raw,
        "state": IncomingState.pending,
        "attempts": 0,
        "received_at": at,
        "next_try_at": at,
    }
    run(_STORE, stored)
    wake("mail")
    return Receipt(number, new=True)


def _read(recipient: str, via: str, at: datetime) -> Address:
    try:
        return read_address(settings(), recipient, at)
    except NoSuchAddress as error:
        raise refused(error.reason, via) from error


def refused(reason: str, via: str) -> NotTaken:
    """Count and log a mail that is not taken. Addresses are as good as passwords, so that the log
    does not name them."""
    INCOMING.labels(via, reason).inc()
    (log.warning if reason == FLOOD else log.info)("mail_not_taken", via=via, reason=reason)
    return NotTaken(reason)


_MESSAGE_ID = re.compile(rb"^message-id:[ \t\r\n]*(<[^<>\s]{3,900}>)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def fingerprint(raw: bytes) -> str:
    """By what the same mail is known again: its Message-ID, or all of it if it has none."""
    end = _END_OF_HEADERS.search(raw)
    found = _MESSAGE_ID.search(raw if end is None else raw[: end.start()])
    return hashlib.sha256(raw if found is None else found.group(1)).hexdigest()


def _plain(sender: str) -> str:
    """An address as it is compared and kept."""
    return storable(sender.strip().removeprefix("<").removesuffix(">").lower(), LONGEST_SENDER)
