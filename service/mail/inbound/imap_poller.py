"""IMAP poller: take mails from a mailbox, for operators without a mail server of their own.

The folder is ours alone. A mail is deleted from it when it is stored. A mail that is not for us, or
at which the intake fails, is moved to another folder, or flagged if that is not allowed. A mail
that the server fails to return is tried again a few times and then moved as well; it delays no
other mail. When the connection or the database is lost, every mail stays where it is; one that was
stored already is not stored again.
"""

import contextlib
import imaplib
import re
import ssl
import time
from collections.abc import Collection, Iterator
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

POLL_SECONDS = 30.0  # without IDLE
ANSWER_SECONDS = 30.0  # for an answer of the server
FIRST_REST, LONGEST_REST = 2.0, 300.0  # seconds between attempts to connect
BATCH_SIZE = 50  # mails of a poll
MOST_ATTEMPTS = 5  # to take one mail, before it is moved
FLOOD_REST = 3600.0  # seconds until a mail beyond a limit is tried again
REFUSED = "laguna-refused"
TO_READ = "UNDELETED UNFLAGGED"
NOT_FOR_US, UNREADABLE = "not_for_us", "unreadable"
# Headers of the delivering servers before those of the writer.
RECIPIENTS = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
FAILURES = (OSError, imaplib.IMAP4.error, ImapToolsError)
CONNECTION_LOST = (OSError, imaplib.IMAP4.abort)
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)", re.IGNORECASE)


class StopSignal(Protocol):
    """Request to stop."""

    @property
    def asked(self) -> bool: ...

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked to stop."""


class Failure(NamedTuple):
    """Failed attempts to take or move a mail."""

    attempts: int
    reason: str
    next_try: float  # monotonic seconds


class Failures:
    """The mails of one mailbox that failed, by UID."""

    def __init__(self, rest: float = POLL_SECONDS) -> None:
        self.rest = rest
        self.by_uid: dict[str, Failure] = {}

    def due(self, uids: Collection[str]) -> list[str]:
        """The mails to try now. Failures of mails that are gone are forgotten."""
        present = time.monotonic()
        self.by_uid = {uid: self.by_uid[uid] for uid in uids if uid in self.by_uid}
        return [
            uid for uid in uids if uid not in self.by_uid or self.by_uid[uid].next_try <= present
        ]

    def add(self, uid: str, reason: str, rest: float | None = None) -> None:
        attempts = self.by_uid[uid].attempts + 1 if uid in self.by_uid else 1
        next_try = time.monotonic() + (self.rest if rest is None else rest)
        self.by_uid[uid] = Failure(attempts, reason, next_try)

    def given_up(self, uid: str) -> str | None:
        """The reason why a mail is not tried again; None if it is."""
        failure = self.by_uid.get(uid)
        return failure.reason if failure is not None and failure.attempts >= MOST_ATTEMPTS else None


class Poller:
    """Polls one mailbox until asked to stop, and reconnects after failures."""

    def __init__(
        self, app: Flask, source: MailSource, stop_signal: StopSignal, every: float = POLL_SECONDS
    ) -> None:
        self.app, self.source, self.stop_signal, self.every = app, source, stop_signal, every
        self.rest = 0.0
        self.failures = Failures(every)
        self.polled = -float("inf")  # monotonic seconds of the last poll

    @property
    def healthy(self) -> bool:
        """Whether the mailbox was polled lately."""
        return time.monotonic() - self.polled < 3 * max(self.every, ANSWER_SECONDS)

    def run(self) -> None:
        while not self.stop_signal.asked:
            try:
                self._poll()
            except Exception as error:  # an answer of a server must not end this thread
                self.rest = min(2 * self.rest or FIRST_REST, LONGEST_REST)
                expected = isinstance(error, FAILURES) or is_transient(error)
                (log.warning if expected else log.error)(
                    "mailbox_away",
                    mailbox=self.source.host,
                    # The text of an answer may contain a password.
                    error=type(error).__name__ if expected else error_summary(error),
                    rest=self.rest,
                )
                self.stop_signal.wait(self.rest)

    def _poll(self) -> None:
        """Poll by one connection, again and again."""
        with connected(self.source) as mailbox:
            has_idle = _has_idle(mailbox)
            while not self.stop_signal.asked:
                more = poll(self.app, mailbox, self.failures)
                self.polled, self.rest = time.monotonic(), 0.0
                if more:
                    continue
                if has_idle:
                    self._idle(mailbox)
                else:
                    self.stop_signal.wait(self.every)

    def _idle(self, mailbox: BaseMailBox) -> None:
        """Wait until the server announces a change, at most until the next poll."""
        until = time.monotonic() + self.every
        mailbox.idle.start()  # type: ignore[no-untyped-call]
        while not self.stop_signal.asked and (left := until - time.monotonic()) > 0:
            began = time.monotonic()
            if mailbox.idle.poll(timeout=min(left, 1.0)):
                break
            if time.monotonic() - began < min(left, 1.0) / 2:
                break  # the connection has ended
        mailbox.idle.stop()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def connected(source: MailSource) -> Iterator[BaseMailBox]:
    """The mailbox with its folder selected. A password is only sent encrypted."""
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
    server = (source.host, source.port, ANSWER_SECONDS)
    if source.kind == "imaps":
        return MailBox(*server, ssl_context=ssl.create_default_context())
    if source.host in LOOPBACK:
        return MailBoxUnencrypted(*server)
    return MailBoxStartTls(*server, ssl_context=ssl.create_default_context())


def _has_idle(mailbox: BaseMailBox) -> bool:
    """Whether the server announces new mails (RFC 2177); some say so only after the login."""
    _, capabilities = mailbox.client.capability()
    return b"IDLE" in b" ".join(capabilities).upper().split()


def poll(app: Flask, mailbox: BaseMailBox, failures: Failures) -> bool:
    """Take a batch of mails from the folder; whether there are more.

    Raises failures of the connection, and transient ones of the database.
    """
    uids = failures.due(mailbox.uids(TO_READ, charset=None))
    done = sum(_handled(app, mailbox, uid, failures) for uid in uids[:BATCH_SIZE])
    return 0 < done < len(uids)


def _handled(app: Flask, mailbox: BaseMailBox, uid: str, failures: Failures) -> bool:
    """Take one mail or move it aside; False if it is gone."""
    try:
        with app.app_context():
            return _handle(mailbox, uid, failures)
    except CONNECTION_LOST:
        raise
    except (imaplib.IMAP4.error, ImapToolsError) as error:  # about this mail only
        log.warning("mail_not_fetched", uid=uid, error=type(error).__name__)
        return True


def _handle(mailbox: BaseMailBox, uid: str, failures: Failures) -> bool:
    reason = failures.given_up(uid)
    if reason is None:
        with _counted(uid, failures):
            size = _SIZE.search(_fetch(mailbox, uid, "(RFC822.SIZE)")[0])
            if size is None:
                return False  # another process has taken it
            too_large = int(size.group(1)) > settings().largest_mail
            raw = b"" if too_large else _fetch(mailbox, uid, "(BODY.PEEK[])")[1]
        reason = refused(TOO_LARGE, IMAP).reason if too_large else _store(raw)
    elif reason == UNREADABLE:
        _set_aside(None, f"the IMAP server failed at UID {uid} of {mailbox.folder.get()}")
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
    """Count a failure of the IMAP server for the mail it is about."""
    try:
        yield
    except Exception:
        failures.add(uid, UNREADABLE)
        raise


def _store(raw: bytes) -> str | None:
    """Store one mail for all of our addresses in it; the reason if it is not stored.

    Raises transient failures: then the mail stays where it is.
    """
    try:
        return _take(settings(), raw)
    except Exception as error:
        if is_transient(error):
            raise
        _set_aside(raw, error_summary(error))
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
    # As by SMTP, a temporary refusal by one address counts first: the mail is delivered again.
    later = next((reason for reason in reasons if reason in LATER), None)
    return later or (NOT_FOR_US if not reasons else None if None in reasons else reasons[-1])


def _set_aside(raw: bytes | None, error: str) -> None:
    """Store a mail that cannot be taken for the operator, within the quota."""
    with contextlib.suppress(NotTaken):
        set_aside(raw, None, "", IMAP, now(), error)


def _fetch(mailbox: BaseMailBox, uid: str, what: str) -> tuple[bytes, bytes]:
    """The answer to a FETCH about one mail: its lines, and its literals."""
    status, answer = mailbox.client.uid("FETCH", uid, what)
    if status != "OK":
        raise imaplib.IMAP4.error("FETCH failed")
    lines, literals = b"", b""
    for part in answer:
        if isinstance(part, tuple):
            lines, literals = lines + part[0], literals + part[1]
        elif part is not None:
            lines += part
    return lines, literals


def recipients_of(settings: Settings, headers: Message) -> list[str]:
    """Our valid addresses in the headers, each once: the signed ones, or else the server's own,
    which may also be the name of the mailbox that gets all mail of the domain."""
    named = [str(value) for name in RECIPIENTS for value in headers.get_all(name, [])]
    signed: dict[str, None] = {}
    own: dict[str, None] = {}
    for address in (address for value in named for address in addresses_in(value)):
        try:
            found = read_address(settings, address, now())
        except NoSuchAddress:
            continue
        (own if found.letter_id is None else signed)[address.lower()] = None
    return list(signed or own)[:MOST_RECIPIENTS]


def sender_of(headers: Message) -> str:
    """The envelope sender if the delivering server recorded it, otherwise From."""
    for name in ("Return-Path", "From"):
        if name in headers:
            return first_address(str(headers[name]))
    return ""


def _move_aside(mailbox: BaseMailBox, uid: str) -> None:
    """Move or flag a mail, so that it is not polled again."""
    try:
        if not mailbox.folder.exists(REFUSED):
            mailbox.folder.create(REFUSED)
        mailbox.move(uid, REFUSED)
    except ImapToolsError:
        mailbox.flag(uid, MailMessageFlags.FLAGGED, True)
