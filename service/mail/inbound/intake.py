"""Intake of mails: each is stored before the server that hands it over hears that we have it.

Nothing in a mail is interpreted yet. Its recipient is one of our addresses about one letter, or the
mail is not taken. The same mail again is acknowledged again, and stored once. A mail at which the
intake fails is set aside for the operator (`service.ops.incoming_admin`), so that it keeps no
other mail waiting.
"""

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import bindparam, func, select

from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.ids import new_id
from service.core.storable_text import storable
from service.core.worker_signal import wake
from service.db.models import Incoming, IncomingState, Letter
from service.db.session import AnyRow, is_transient, reading, run, table, transact
from service.db.statements import Prepared, PreparedInsert
from service.mail.outgoing.reply_address import Address, NoSuchAddress, read_address

log = structlog.get_logger()

LARGEST = 200_000  # bytes of a mail
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOST_PER_ADDRESS = 20  # mails an hour to one address of ours
MOST_PER_SENDER = 60  # mails an hour from one sender about the letters of one person
MOST_UNASSIGNED = 100  # mails a day that are set aside without a letter they belong to
MOST_RECIPIENTS = 20  # of one mail; each of them stores it
LONGEST_SENDER = 254
LONGEST_ERROR = 200
LONGEST_HEADERS = 8000  # bytes that are kept of a mail that was dropped
MEGABYTE = 1_000_000
SMTP, LMTP, IMAP, HOOK, PAGE = "smtp", "lmtp", "imap", "hook", "page"

UNKNOWN, TOO_LARGE, FLOOD, QUOTA = "unknown", "too_large", "flood", "quota"
LATER = (FLOOD, QUOTA)  # reasons for which the same mail may be taken another time
TAKEN, AGAIN = "taken", "again"
FAILED, SET_ASIDE = "failed", "set_aside"
INCOMING = Counter(
    "laguna_incoming_total",
    "Mails that came in, by how they came and what became of them",
    ["via", "outcome"],
)


class NotTaken(Exception):
    """A mail that we do not want. `reason` is `too_large`, `flood`, `quota`, or what is wrong with
    the address: `unknown`, `changed`, `expired`, `unreadable` or `other_domain`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Receipt(NamedTuple):
    """We have this mail; `new` is false if we had it before."""

    id: str
    new: bool


_LETTER, _INCOMING = table(Letter), table(Incoming)
_ABOUT = Prepared(select(_LETTER.c.id, _LETTER.c.to).where(_LETTER.c.id == bindparam("letter")))
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
# Who sends mails is not known for sure, whose letters they are about is: a forged sender uses up
# nothing but what the owner of the letter may cause.
_OF_OWNER = Prepared(
    select(
        func.count().label("mails"),
        func.coalesce(func.sum(_INCOMING.c.size), 0).label("bytes"),
        func.count()
        .filter(
            _INCOMING.c.sender == bindparam("sender"), _INCOMING.c.received_at > bindparam("hour")
        )
        .label("from_sender"),
    ).where(_INCOMING.c.owner == bindparam("owner"), _INCOMING.c.received_at > bindparam("day"))
)
_UNASSIGNED = Prepared(
    select(_INCOMING.c.id).where(
        _INCOMING.c.owner == "",
        _INCOMING.c.letter_id.is_(None),
        _INCOMING.c.fingerprint == bindparam("fingerprint"),
    )
)
_STORE = PreparedInsert(
    _INCOMING,
    *("id", "letter_id", "purpose", "owner", "fingerprint", "sender", "via", "raw", "size"),
    *("state", "reason", "error", "attempts", "received_at", "next_try_at", "done_at"),
)


def check_recipient(recipient: str, via: str, at: datetime) -> None:
    """Whether mails to this address would be taken: before anybody sends one. Raises NotTaken."""
    address = _read(recipient, via, at)
    with reading():
        if not run(_ABOUT, {"letter": address.letter_id}):
            raise refused(UNKNOWN, via)


def receive_or_set_aside(
    raw: bytes, recipient: str, sender: str, via: str, at: datetime
) -> Receipt:
    """Store a mail as `receive` does, or set it aside if that fails because of the mail.

    Raises NotTaken, and every passing failure: then the mail has to come again.
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
    letter = run(_ABOUT, {"letter": address.letter_id}).one_or_none()
    if letter is None:
        raise NotTaken(UNKNOWN)
    mark = fingerprint(raw)
    had = run(_HAD, of | {"fingerprint": mark}).one_or_none()
    if had is not None:
        return Receipt(had.id, new=False)
    if run(_LATELY_TO, of | {"since": at - HOUR}).one().mails >= MOST_PER_ADDRESS:
        raise NotTaken(FLOOD)
    stored = _lately_of(letter.to, sender, at)
    # Mails that came back have no sender; of these there are as many as mails went out.
    if sender and stored.from_sender >= MOST_PER_SENDER:
        raise NotTaken(FLOOD)
    _check_quota(stored, len(raw))
    row = _row(raw, sender, via, at) | {
        "letter_id": letter.id,
        "purpose": address.purpose,
        "owner": letter.to,
        "next_try_at": at,
    }
    run(_STORE, row)
    wake("mail")
    return Receipt(row["id"], new=True)


def _lately_of(owner: str, sender: str, at: datetime) -> AnyRow:
    """What was stored in the last day about the letters of one person."""
    given = {"owner": owner, "sender": sender, "hour": at - HOUR, "day": at - DAY}
    return run(_OF_OWNER, given).one()


def _check_quota(stored: AnyRow, size: int) -> None:
    """Whether one person may cause another mail of this size to be kept; raises NotTaken."""
    limits = settings().limits
    most_bytes = limits.mail_megabytes_per_person_and_day * MEGABYTE
    if stored.mails >= limits.mails_per_person_and_day or stored.bytes + size > most_bytes:
        raise NotTaken(QUOTA)


def _row(raw: bytes, sender: str, via: str, at: datetime) -> dict[str, Any]:
    """A mail that waits to be processed, so far without the letter it is about."""
    return {
        "id": new_id(),
        "letter_id": None,
        "purpose": "",
        "owner": "",
        "fingerprint": fingerprint(raw),
        "sender": sender,
        "via": via,
        "raw": raw,
        "size": len(raw),
        "state": IncomingState.pending,
        "reason": None,
        "error": None,
        "attempts": 0,
        "received_at": at,
        "next_try_at": None,
        "done_at": None,
    }


def set_aside(
    raw: bytes | None, recipient: str | None, sender: str, via: str, at: datetime, error: str
) -> str:
    """Keep a mail at which the intake failed, for the operator; its id.

    `raw` is None if the mail itself could not be read; `error` then says where it is and counts as
    its identity. Raises NotTaken if too many are kept already.
    """
    row = _row(raw or error.encode(), _plain(sender), via, at) | {
        "raw": raw,
        "size": len(raw or b""),
        "state": IncomingState.dead,
        "reason": FAILED,
        "error": storable(error, LONGEST_ERROR),
        "done_at": at,
    }
    number: str = transact(lambda: _set_aside(row, recipient, at))
    if number == row["id"]:
        INCOMING.labels(via, SET_ASIDE).inc()
        log.error("mail_set_aside", incoming=number, via=via, error=row["error"])
    return number


def _set_aside(row: dict[str, Any], recipient: str | None, at: datetime) -> str:
    address = _address_if_any(recipient, at)
    letter = None if address is None else run(_ABOUT, {"letter": address.letter_id}).one_or_none()
    if address is None or letter is None:
        had = run(_UNASSIGNED, {"fingerprint": row["fingerprint"]})
        if not had and _lately_of("", "", at).mails >= MOST_UNASSIGNED:
            raise NotTaken(QUOTA)
    else:
        row |= {"letter_id": letter.id, "purpose": address.purpose, "owner": letter.to}
        of = {"letter": letter.id, "purpose": address.purpose}
        had = run(_HAD, of | {"fingerprint": row["fingerprint"]})
        if not had:
            _check_quota(_lately_of(letter.to, "", at), row["size"])
    if not had:
        run(_STORE, row)
        return str(row["id"])
    return str(had[0].id)


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
    """Count and log a mail that is not taken. Addresses are as good as passwords, so that the log
    does not name them."""
    INCOMING.labels(via, reason).inc()
    (log.warning if reason in LATER else log.info)("mail_not_taken", via=via, reason=reason)
    return NotTaken(reason)


_MESSAGE_ID = re.compile(rb"^message-id:[ \t\r\n]*(<[^<>\s]{3,900}>)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def fingerprint(raw: bytes) -> str:
    """By what the same mail is known again: its Message-ID, or all of it if it has none."""
    end = _END_OF_HEADERS.search(raw)
    found = _MESSAGE_ID.search(raw if end is None else raw[: end.start()])
    return hashlib.sha256(raw if found is None else found.group(1)).hexdigest()


def headers_only(raw: bytes) -> bytes:
    """The beginning of a mail, without what it says."""
    end = _END_OF_HEADERS.search(raw)
    return raw[: min(LONGEST_HEADERS, len(raw) if end is None else end.start())]


def _plain(sender: str) -> str:
    """An address as it is compared and kept."""
    return storable(sender.strip().removeprefix("<").removesuffix(">").lower(), LONGEST_SENDER)
