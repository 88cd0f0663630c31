"""IMAP poller: take mails from a mailbox, for operators without a mail server of their own.

The folder is ours alone. A mail is deleted from it when it is stored; one that is not for us, or at
which the intake fails, is moved to another folder, or flagged where that is not allowed, and left
alone from then on. A mail that the server does not hand out is tried again a few times and then
moved, too, while the others are taken. When the connection is lost or the database is away, every
mail stays where it is: it is found again, and known again.
"""

import contextlib
import imaplib
import re
import ssl
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from typing import NamedTuple, Protocol

import structlog
from flask import Flask
from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted, MailMessageFlags
from imap_tools.errors import ImapToolsError

from service.core.clock import now
from service.core.config import MailSource, Settings
from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.mail_headers import addresses_in, first_address
from service.db.session import is_transient
from service.mail.inbound.intake import (
    FAILED,
    IMAP,
    LARGEST,
    LATER,
    MOST_RECIPIENTS,
    TOO_LARGE,
    NotTaken,
    receive_or_set_aside,
    refused,
    set_aside,
)
from service.mail.outgoing.reply_address import NoSuchAddress, read_address
from service.mail.outgoing.smtp import LOOPBACK

log = structlog.get_logger()

POLL_SECONDS = 30.0  # seconds, where the server does not tell us of new mails
LONGEST_WAIT = 30.0  # seconds for an answer
FIRST_REST, LONGEST_REST = 2.0, 300.0  # seconds without trying, when the server is away
AT_ONCE = 50  # mails of a look
MOST_ATTEMPTS = 5  # to take one mail, before it is moved
FLOOD_REST = 3600.0  # seconds until a mail is tried again of which there were too many
REFUSED = "laguna-refused"
TO_READ = "UNDELETED UNFLAGGED"
NOT_FOR_US, UNREADABLE = "not_for_us", "unreadable"
# Whom a mail was for, by those who delivered it first and by those who wrote it last.
RECIPIENTS = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
FAILURES = (OSError, imaplib.IMAP4.error, ImapToolsError)
CONNECTION_LOST = (OSError, imaplib.IMAP4.abort)
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)", re.IGNORECASE)


class StopSignal(Protocol):
    """Tells when to stop."""

    @property
    def asked(self) -> bool: ...

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked to stop."""


@dataclass
class Failure:
    """A mail that could not be taken, or not be put away: how often, why, and when to try again."""

    count: int
    reason: str
    next_try: float  # by the clock that only goes on


class Failures:
    """The mails of one mailbox that failed, by UID. They keep no other mail waiting."""

    def __init__(self, rest: float = POLL_SECONDS) -> None:
        self.rest = rest
        self.by_uid: dict[str, Failure] = {}

    def due(self, uids: Collection[str]) -> list[str]:
        """Those of these mails that may be tried now; what is no longer there is forgotten."""
        present = time.monotonic()
        self.by_uid = {uid: self.by_uid[uid] for uid in uids if uid in self.by_uid}
        return [
            uid for uid in uids if uid not in self.by_uid or self.by_uid[uid].next_try <= present
        ]

    def add(self, uid: str, reason: str, rest: float | None = None) -> None:
        count = self.by_uid[uid].count + 1 if uid in self.by_uid else 1
        next_try = time.monotonic() + (self.rest if rest is None else rest)
        self.by_uid[uid] = Failure(count, reason, next_try)

    def given_up(self, uid: str) -> str | None:
        """Why a mail is not tried any more; None if it is."""
        failure = self.by_uid.get(uid)
        return failure.reason if failure is not None and failure.count >= MOST_ATTEMPTS else None


class Poller:
    """Looks into one mailbox until asked to stop; when the server is away, again and again."""

    def __init__(
        self, app: Flask, source: MailSource, stop_signal: StopSignal, every: float = POLL_SECONDS
    ) -> None:
        self.app, self.source, self.stop_signal, self.every = app, source, stop_signal, every
        self.rest = 0.0
        self.failures = Failures(every)
        self.looked = -float("inf")  # when, by the clock that only goes on

    @property
    def well(self) -> bool:
        """Whether the mailbox was looked into lately."""
        return time.monotonic() - self.looked < 3 * max(self.every, LONGEST_WAIT)

    def run(self) -> None:
        while not self.stop_signal.asked:
            try:
                self._follow()
            except Exception as error:  # nothing that a server says may end this
                self.rest = min(2 * self.rest or FIRST_REST, LONGEST_REST)
                self._tell(error)
                self.stop_signal.wait(self.rest)

    def _tell(self, error: Exception) -> None:
        """Log in one line; what a server says may have a password in it."""
        expected = isinstance(error, FAILURES) or is_transient(error)
        (log.warning if expected else log.error)(
            "mailbox_away",
            mailbox=self.source.host,
            error=type(error).__name__ if expected else error_summary(error),
            rest=self.rest,
        )

    def _follow(self) -> None:
        """Look again and again by one connection."""
        with connected(self.source) as mailbox:
            tells = _tells_news(mailbox)
            while not self.stop_signal.asked:
                more = look(self.app, mailbox, self.failures)
                self.looked, self.rest = time.monotonic(), 0.0
                if more:
                    continue
                if tells:
                    self._hear(mailbox)
                else:
                    self.stop_signal.wait(self.every)

    def _hear(self, mailbox: BaseMailBox) -> None:
        """Wait until the server says that something is new, but not for longer than without."""
        until = time.monotonic() + self.every
        mailbox.idle.start()  # type: ignore[no-untyped-call]
        while not self.stop_signal.asked and (left := until - time.monotonic()) > 0:
            began = time.monotonic()
            if mailbox.idle.poll(timeout=min(left, 1.0)):
                break
            if time.monotonic() - began < min(left, 1.0) / 2:
                break  # there was something to read, and it was the end of the connection
        mailbox.idle.stop()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def connected(source: MailSource) -> Iterator[BaseMailBox]:
    """The mailbox with its folder open. A password is only told encrypted."""
    mailbox = _mailbox(source)
    try:
        plain = f"{source.user}{source.password}".isascii()
        (mailbox.login if plain else mailbox.login_utf8)(
            source.user, source.password, source.folder
        )
        yield mailbox
    finally:
        with contextlib.suppress(*FAILURES):
            mailbox.logout()
        with contextlib.suppress(*FAILURES):
            mailbox.client.shutdown()


def _mailbox(source: MailSource) -> BaseMailBox:
    if source.kind == "imaps":
        context = ssl.create_default_context()
        return MailBox(source.host, source.port, LONGEST_WAIT, ssl_context=context)
    if source.host in LOOPBACK:
        return MailBoxUnencrypted(source.host, source.port, LONGEST_WAIT)
    context = ssl.create_default_context()
    return MailBoxStartTls(source.host, source.port, LONGEST_WAIT, ssl_context=context)


def _tells_news(mailbox: BaseMailBox) -> bool:
    """Whether the server tells of new mails by itself. It may say so only after signing in."""
    _, said = mailbox.client.capability()
    return b"IDLE" in b" ".join(said).upper().split()


def look(app: Flask, mailbox: BaseMailBox, failures: Failures) -> bool:
    """Take what there is in the folder, some mails at once; whether to look again.

    Raises what ends the connection, and passing failures of the database.
    """
    uids = failures.due(mailbox.uids(TO_READ, charset=None))
    done = sum(_handled(app, mailbox, uid, failures) for uid in uids[:AT_ONCE])
    return 0 < done < len(uids)


def _handled(app: Flask, mailbox: BaseMailBox, uid: str, failures: Failures) -> bool:
    """Take one mail or put it aside; False if it is not there any more."""
    try:
        with app.app_context():
            return _handle(mailbox, uid, failures)
    except CONNECTION_LOST:
        raise
    except (imaplib.IMAP4.error, ImapToolsError) as error:  # the server says no to this mail
        log.warning("mail_not_fetched", uid=uid, error=type(error).__name__)
        return True


def _handle(mailbox: BaseMailBox, uid: str, failures: Failures) -> bool:
    reason = failures.given_up(uid)
    if reason is None:
        with _counted(uid, failures):
            fetched = _fetch(mailbox, uid)
        if fetched is None:
            return False  # another process has taken it
        reason = _stored(fetched)
    elif reason == UNREADABLE:
        _record(None, f"the IMAP server failed at UID {uid} of {mailbox.folder.get()}")
    if reason in LATER and failures.given_up(uid) is None:
        failures.add(uid, reason, FLOOD_REST)
        return True
    with _counted(uid, failures):
        if reason is None:
            mailbox.delete(uid)
        else:
            _move_aside(mailbox, uid)
            log.warning("mail_moved_aside", folder=REFUSED, reason=reason)
    return True


@contextlib.contextmanager
def _counted(uid: str, failures: Failures) -> Iterator[None]:
    """A failure of the IMAP server while it is asked about one mail counts for that mail."""
    try:
        yield
    except Exception:
        failures.add(uid, UNREADABLE)
        raise


class Fetched(NamedTuple):
    size: int
    raw: bytes | None  # None: too large to be fetched


def _fetch(mailbox: BaseMailBox, uid: str) -> Fetched | None:
    """One mail; None if it is not there any more."""
    head, _ = _fetched(mailbox, uid, "(RFC822.SIZE)")
    found = _SIZE.search(head)
    if found is None:
        return None
    size = int(found.group(1))
    return Fetched(size, _fetched(mailbox, uid, "(BODY.PEEK[])")[1] if size <= LARGEST else None)


def _stored(fetched: Fetched) -> str | None:
    """Store one mail for all of our addresses it was sent to; why it is not, if not.

    Raises passing failures: then the mail stays where it is.
    """
    raw = fetched.raw
    if raw is None:
        return refused(TOO_LARGE, IMAP).reason
    try:
        return _take(settings(), raw)
    except Exception as error:
        if is_transient(error):
            raise
        _record(raw, error_summary(error))
        return FAILED


def _take(settings: Settings, raw: bytes) -> str | None:
    headers = BytesHeaderParser().parsebytes(raw)
    reasons: list[str | None] = []
    for recipient in recipients_of(settings, headers):
        try:
            receive_or_set_aside(raw, recipient, sender_of(headers), IMAP, now())
            reasons.append(None)
        except NotTaken as refusal:
            reasons.append(refusal.reason)
    # As by SMTP, what may be taken another time counts first: what was stored is known again.
    later = next((reason for reason in reasons if reason in LATER), None)
    return later or (NOT_FOR_US if not reasons else None if None in reasons else reasons[-1])


def _record(raw: bytes | None, error: str) -> None:
    """Keep a mail that cannot be taken where the operator sees it, if there is room."""
    with contextlib.suppress(NotTaken):
        set_aside(raw, None, "", IMAP, now(), error)


def _fetched(mailbox: BaseMailBox, uid: str, what: str) -> tuple[bytes, bytes]:
    """What the server says about one mail, and the text it sends with that."""
    status, answer = mailbox.client.uid("FETCH", uid, what)
    if status != "OK":
        raise imaplib.IMAP4.error("the mail cannot be read")
    said, sent = b"", b""
    for part in answer:
        if isinstance(part, tuple):
            said, sent = said + part[0], sent + part[1]
        elif part is not None:
            said += part
    return said, sent


def recipients_of(settings: Settings, headers: Message) -> list[str]:
    """The addresses of ours in the headers, each once; what they say is known to nobody else."""
    named = [str(value) for name in RECIPIENTS for value in headers.get_all(name, [])]
    found: dict[str, None] = {}
    for address in (address for value in named for address in addresses_in(value)):
        try:
            read_address(settings, address, now())
        except NoSuchAddress:
            continue
        found[address.lower()] = None
    return list(found)[:MOST_RECIPIENTS]


def sender_of(headers: Message) -> str:
    """The envelope sender if the server that delivered the mail wrote it down, otherwise From."""
    for name in ("Return-Path", "From"):
        if name in headers:
            return first_address(str(headers[name]))
    return ""


def _move_aside(mailbox: BaseMailBox, uid: str) -> None:
    """Put a mail where it is not looked at again."""
    try:
        if not mailbox.folder.exists(REFUSED):
            mailbox.folder.create(REFUSED)
        mailbox.move(uid, REFUSED)
    except ImapToolsError:
        mailbox.flag(uid, MailMessageFlags.FLAGGED, True)
