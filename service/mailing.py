"""Mails out: letters that were written are claimed, sent and ticked off, one after the other.

A claim is an update that only one worker can make; the letter is sent after it is committed. A
worker that dies in between leaves the letter to the next one, with the same Message-ID.
"""

import smtplib
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import structlog
from sqlalchemy import CursorResult, select, update

from service.clock import now
from service.config import Settings
from service.database import AnyRow, db, transact
from service.models import Letter
from service.people import settings

log = structlog.get_logger()

POLICY = SMTP.clone(max_line_length=998)  # shorter ones would break up headers with addresses
BACK_OFF = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
CLAIMED_FOR = timedelta(minutes=15)  # much longer than a server may take
AT_ONCE = 50
TIMEOUT = 10  # seconds for every answer of the server
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PERMANENT = 500


class Failure(NamedTuple):
    """Why a letter was not sent, and whether it ever can be."""

    reason: str
    for_good: bool = False


def send_letters(stop: Callable[[], bool] = lambda: False) -> int:
    """Send what is due; how many letters were sent. Needs an app context.

    Without a mail server letters count as sent; `laguna mailbox` shows them.
    """
    due = _due(now())
    if not due:
        return 0
    if settings().smtp_url is None:
        return transact(lambda: _keep_here(now()))
    sent = 0
    with MailServer(settings()) as server:
        for letter in due:
            if stop() or server.away:
                break
            sent += _send(server, letter)
    return sent


def _send(server: "MailServer", letter: AnyRow) -> bool:
    """Send one letter, unless another worker has it."""
    if not transact(lambda: _claim(letter, now())):
        return False
    failure = server.send(letter)
    transact(lambda: _note(letter, failure, now()))
    return failure is None


def letters_written(to: str | None, last: int) -> Sequence[Letter]:
    """The last letters, to one address or to all, oldest first."""
    query = select(Letter).order_by(Letter.created_at.desc(), Letter.id.desc()).limit(last)
    if to is not None:
        query = query.where(Letter.to == to.strip().lower())
    return db.session.scalars(query).all()[::-1]


def _keep_here(at: datetime) -> int:
    return _changed(
        update(Letter).where(Letter.next_try_at <= at).values(sent_at=at, next_try_at=None)
    )


def _due(at: datetime) -> Sequence[AnyRow]:
    return db.session.execute(
        select(Letter.__table__)
        .where(Letter.next_try_at <= at)
        .order_by(Letter.next_try_at, Letter.id)
        .limit(AT_ONCE)
    ).all()


def _claim(letter: AnyRow, at: datetime) -> bool:
    """Take a letter, if nobody else did since it was read."""
    taken = (
        update(Letter)
        .where(
            Letter.id == letter.id,
            Letter.attempts == letter.attempts,
            Letter.next_try_at <= at,
        )
        .values(attempts=letter.attempts + 1, next_try_at=at + CLAIMED_FOR)
    )
    return _changed(taken) == 1


def _note(letter: AnyRow, failure: Failure | None, at: datetime) -> None:
    """Write down what came of an attempt."""
    known: dict[str, Any] = {"letter": letter.id, "kind": letter.kind}
    values: dict[str, Any] = {"sent_at": at, "next_try_at": None, "error": None}
    if failure is not None:
        again = None if failure.for_good else _next_try(letter.attempts, at)
        values = {"next_try_at": again, "error": failure.reason[:300]}
        tell = log.error if again is None else log.warning
        tell("letter_not_sent", **known, attempts=letter.attempts + 1, given_up=again is None)
    else:
        log.info("letter_sent", **known)
    _changed(update(Letter).where(Letter.id == letter.id).values(**values))


def _next_try(earlier_attempts: int, at: datetime) -> datetime | None:
    if earlier_attempts >= len(BACK_OFF):
        return None
    return at + BACK_OFF[earlier_attempts]


def _changed(change: Any) -> int:
    done = db.session.execute(change.execution_options(synchronize_session=False))
    assert isinstance(done, CursorResult)
    return done.rowcount


def message_of(letter: AnyRow, mail_from: str) -> EmailMessage:
    """The letter as a mail; the same letter is always the same mail."""
    message = EmailMessage(POLICY)
    message["From"] = mail_from
    message["To"] = letter.to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(letter.created_at)
    message["Message-ID"] = f"<{letter.id}.letter@{_domain(mail_from)}>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(letter.text, cte="7bit" if letter.text.isascii() else "quoted-printable")
    return message


def _domain(mail_from: str) -> str:
    return parseaddr(mail_from)[1].rpartition("@")[2] or "localhost"


class MailServer:
    """A connection to the mail server, opened when it is needed and kept for the round."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.connection: smtplib.SMTP | None = None
        self.away = False  # then other letters need not be tried now

    def __enter__(self) -> "MailServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def send(self, letter: AnyRow) -> Failure | None:
        """Send one letter; None if the server took it."""
        try:
            message = message_of(letter, self.settings.mail_from)
        except ValueError as error:
            return Failure(f"cannot be written as a mail: {type(error).__name__}", for_good=True)
        try:
            connection = self._connected()
        except (OSError, smtplib.SMTPException, UntrustedServer) as error:
            self._hang_up()
            self.away = True
            return Failure(f"no connection: {_reason(error)}")
        sender = parseaddr(self.settings.mail_from)[1]
        try:
            connection.send_message(message, sender, [letter.to])
        except smtplib.SMTPRecipientsRefused as error:
            code, text = next(iter(error.recipients.values()))
            return Failure(_answer(code, text), for_good=code >= PERMANENT)
        except smtplib.SMTPNotSupportedError:
            return Failure("the server takes no such address", for_good=True)
        except smtplib.SMTPSenderRefused as error:  # our own fault, which can be mended
            return Failure(_answer(error.smtp_code, error.smtp_error))
        except smtplib.SMTPResponseException as error:
            failure = _answer(error.smtp_code, error.smtp_error)
            return Failure(failure, for_good=error.smtp_code >= PERMANENT)
        except (OSError, smtplib.SMTPException) as error:
            self._hang_up()
            self.away = True
            return Failure(_reason(error))
        return None

    def _connected(self) -> smtplib.SMTP:
        """The open connection, or a new one if the server has closed it."""
        if self.connection is not None:
            try:
                if self.connection.rset()[0] == 250:
                    return self.connection
            except (OSError, smtplib.SMTPException):
                pass
            self._hang_up()
        self.connection = connect(self.settings.smtp_url or "")
        return self.connection

    def _hang_up(self) -> None:
        if self.connection is not None:
            try:
                self.connection.quit()
            except (OSError, smtplib.SMTPException):
                self.connection.close()
            self.connection = None


class UntrustedServer(Exception):
    """A server to which a password must not be told."""


def connect(url: str) -> smtplib.SMTP:
    """Connect and sign in, encrypted if the server can; a password is only told encrypted."""
    parts = urlsplit(url)
    host = parts.hostname or "localhost"
    if parts.scheme == "smtps":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            host, parts.port or 465, timeout=TIMEOUT, context=ssl.create_default_context()
        )
        connection.ehlo()
    else:
        default = 587 if parts.username else 25
        connection = smtplib.SMTP(host, parts.port or default, timeout=TIMEOUT)
        connection.ehlo()
        if connection.has_extn("starttls"):
            connection.starttls(context=_context(trusted=parts.username is None))
            connection.ehlo()
        elif parts.username and host not in LOOPBACK:
            connection.close()
            raise UntrustedServer(f"{host} offers no STARTTLS, so it is not told the password")
    if parts.username:
        connection.login(unquote(parts.username), unquote(parts.password or ""))
    return connection


def _context(trusted: bool) -> ssl.SSLContext:
    """Where nothing secret is told first, encryption without a known certificate beats none."""
    context = ssl.create_default_context()
    if trusted:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _answer(code: int, text: bytes | str) -> str:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(said.split())}"


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _answer(error.smtp_code, error.smtp_error)
    return f"{type(error).__name__}: {error}"
