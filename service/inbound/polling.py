"""Mailboxes that we look into by IMAP, for those who cannot have mails handed to them.

The folder is ours alone. A mail is deleted from it when it is stored; one that is not for us is
moved aside, or flagged where that is not allowed, and left alone from then on. Whatever happens
in between, the mail is found again, and known again.
"""

import contextlib
import imaplib
import re
import ssl
import time
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses
from typing import Any, Protocol

import structlog
from flask import Flask
from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted, MailMessageFlags
from imap_tools.errors import ImapToolsError

from service.clock import now
from service.config import MailSource, Settings
from service.database import is_passing
from service.inbound.addresses import NoSuchAddress, read_address
from service.inbound.receiving import IMAP, LARGEST, TOO_LARGE, NotTaken, receive, refused
from service.smtp import LOOPBACK

log = structlog.get_logger()

LOOK_EVERY = 30.0  # seconds, where the server does not tell us of new mails
LONGEST_WAIT = 30.0  # seconds for an answer
FIRST_REST, LONGEST_REST = 2.0, 300.0  # seconds without trying, when the server is away
AT_ONCE = 50  # mails of a look
REFUSED = "laguna-refused"
TO_READ = "UNDELETED UNFLAGGED"
NOT_FOR_US = "not_for_us"
# Whom a mail was for, by those who delivered it first and by those who wrote it last.
RECIPIENTS = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")
FAILURES = (OSError, imaplib.IMAP4.error, ImapToolsError)
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)", re.IGNORECASE)


class Stopping(Protocol):
    """Tells when to stop."""

    @property
    def asked(self) -> bool: ...

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked to stop."""


class Poller:
    """Looks into one mailbox until asked to stop; when the server is away, again and again."""

    def __init__(
        self, app: Flask, source: MailSource, stopping: Stopping, every: float = LOOK_EVERY
    ) -> None:
        self.app, self.source, self.stopping, self.every = app, source, stopping, every
        self.rest = 0.0
        self.looked = -float("inf")  # when, by the clock that only goes on

    @property
    def well(self) -> bool:
        """Whether the mailbox was looked into lately."""
        return time.monotonic() - self.looked < 3 * max(self.every, LONGEST_WAIT)

    def run(self) -> None:
        while not self.stopping.asked:
            try:
                self._follow()
            except Exception as error:  # nothing that a server says may end this
                self.rest = min(2 * self.rest or FIRST_REST, LONGEST_REST)
                self._tell(error)
                self.stopping.wait(self.rest)

    def _tell(self, error: Exception) -> None:
        """What a server says may have a password in it."""
        expected = isinstance(error, FAILURES) or is_passing(error)
        details: dict[str, Any] = {} if expected else {"exc_info": error}
        (log.warning if expected else log.error)(
            "mailbox_away",
            mailbox=self.source.host,
            error=type(error).__name__,
            rest=self.rest,
            **details,
        )

    def _follow(self) -> None:
        """Look again and again by one connection."""
        with connected(self.source) as mailbox:
            tells = _tells_news(mailbox)
            while not self.stopping.asked:
                more = look(self.app, mailbox)
                self.looked, self.rest = time.monotonic(), 0.0
                if more:
                    continue
                if tells:
                    self._hear(mailbox)
                else:
                    self.stopping.wait(self.every)

    def _hear(self, mailbox: BaseMailBox) -> None:
        """Wait until the server says that something is new, but not for longer than without."""
        until = time.monotonic() + self.every
        mailbox.idle.start()  # type: ignore[no-untyped-call]
        while not self.stopping.asked and (left := until - time.monotonic()) > 0:
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


def look(app: Flask, mailbox: BaseMailBox) -> bool:
    """Take what there is in the folder, some mails at once; whether to look again."""
    uids = mailbox.uids(TO_READ, charset=None)
    done = 0
    for uid in uids[:AT_ONCE]:
        size = _size(mailbox, uid)
        if size is None:
            continue  # somebody else who looks here has taken it
        with app.app_context():
            reason = _take(app.config["LAGUNA"], mailbox, uid, size)
        if reason is None:
            mailbox.delete(uid)
        else:
            _set_aside(mailbox, uid)
            log.warning("mail_set_aside", folder=REFUSED, reason=reason)
        done += 1
    return 0 < done < len(uids)


def _size(mailbox: BaseMailBox, uid: str) -> int | None:
    """How large a mail is; None if it is not there any more."""
    head, _ = _fetched(mailbox, uid, "(RFC822.SIZE)")
    found = _SIZE.search(head)
    return None if found is None else int(found.group(1))


def _take(settings: Settings, mailbox: BaseMailBox, uid: str, size: int) -> str | None:
    """Store one mail for all of our addresses it was sent to; why it cannot be, if not.

    Raises what lies in the moment: then the mail stays where it is.
    """
    if size > LARGEST:
        return refused(TOO_LARGE, IMAP).reason
    _, raw = _fetched(mailbox, uid, "(BODY.PEEK[])")
    headers = BytesHeaderParser().parsebytes(raw)
    recipients = _our_addresses(settings, headers)
    sender, reason = sender_of(headers), NOT_FOR_US
    taken = False
    for recipient in recipients:
        try:
            receive(raw, recipient, sender, IMAP, now())
            taken = True
        except NotTaken as refusal:
            reason = refusal.reason
        except Exception as error:
            if is_passing(error):
                raise
            log.error("mail_not_stored", exc_info=error)
            reason = "failed"
    return None if taken else reason


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


def _our_addresses(settings: Settings, headers: Message) -> list[str]:
    """The addresses of ours in the headers, each once; what they say is known to nobody else."""
    named = [str(value) for name in RECIPIENTS for value in headers.get_all(name, [])]
    found: dict[str, None] = {}
    # One header at a time: of a list with one that cannot be read, getaddresses may read none.
    for _, address in (pair for value in named for pair in getaddresses([value])):
        try:
            read_address(settings, address, now())
        except NoSuchAddress:
            continue
        found[address.lower()] = None
    return list(found)


def sender_of(headers: Message) -> str:
    """Who sent a mail, by the envelope if whoever delivered it wrote that down."""
    for name in ("Return-Path", "From"):
        if name in headers:
            [(_, address), *_] = getaddresses([str(headers[name])]) or [("", "")]
            return address
    return ""


def _set_aside(mailbox: BaseMailBox, uid: str) -> None:
    """Put a mail where it is not looked at again."""
    try:
        if not mailbox.folder.exists(REFUSED):
            mailbox.folder.create(REFUSED)
        mailbox.move(uid, REFUSED)
    except ImapToolsError:
        mailbox.flag(uid, MailMessageFlags.FLAGGED, True)
