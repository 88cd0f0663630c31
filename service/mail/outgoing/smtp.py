"""SMTP client: a connection that is opened on demand and reused for many mails."""

import re
import smtplib
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from service.core.config import SmtpServer

# Seconds. A server may check a mail for long before it answers; giving up early means that a mail
# that was taken is sent again.
BEGUN_WITHIN = 30.0  # from connecting until the content is sent
TAKEN_WITHIN = 90.0  # for the answer to the content
ENDED_WITHIN = 10.0  # for RSET and QUIT
LOOPBACK = ("localhost", "127.0.0.1", "::1")
TAKEN = (250, 251)
GO_ON = 354
END = b"\r\n.\r\n"
CLOSING = 421
PERMANENT = 500
INTERNATIONAL = ["SMTPUTF8", "BODY=8BITMIME"]
_DOT = re.compile(rb"^\.", re.MULTILINE)  # a line with a single dot would end the mail


class Failure(NamedTuple):
    """A mail that was not taken."""

    reason: str
    for_good: bool = False
    away: bool = False  # the server cannot be reached
    unknown: bool = False  # the server has all of the mail, and its answer was lost
    not_begun: bool = False  # left to another process


class NotNow(Exception):
    """Another process tries to connect."""


def always() -> bool:
    return True


class _Connection(smtplib.SMTP):
    """A connection with one time limit for several answers."""

    def __init__(self, host: str, port: int, within: float, **options: Any) -> None:
        self.allow(within)
        super().__init__(host, port, timeout=within, **options)

    def allow(self, seconds: float) -> None:
        """Set the time limit for all answers from now on."""
        self.until = time.monotonic() + seconds

    def getreply(self) -> tuple[int, bytes]:
        left = self.until - time.monotonic()
        if left <= 0:
            self.close()
            raise smtplib.SMTPServerDisconnected("too slow")
        if self.sock is not None:
            self.sock.settimeout(left)
        return super().getreply()


class _TlsConnection(_Connection, smtplib.SMTP_SSL):
    """A connection that is encrypted from the start."""


class MailServer:
    """Sends mails one after the other, by one connection if the server allows that.

    `may_connect` is called before each connection."""

    def __init__(self, server: SmtpServer, may_connect: Callable[[], bool] = always) -> None:
        self.server, self.may_connect = server, may_connect
        self.connection: _Connection | None = None
        self.away = False
        self.reached = False  # a connection was made

    def __enter__(self) -> "MailServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._quit()

    def send(
        self, to: str, mail: bytes, sender: str, begin: Callable[[], bool] = always
    ) -> Failure | None:
        """Send a mail with this envelope sender; None if the server took it. `begin` is called
        before the content is sent, and returns whether to go on."""
        handed_over = False
        try:
            options = [] if to.isascii() and sender.isascii() else INTERNATIONAL
            connection, code, said = self._begin_mail(sender, options)
        except smtplib.SMTPNotSupportedError:
            return Failure("the server takes no such address", for_good=True)
        except NotNow:
            self._lost()
            return Failure("no connection: another process tries", away=True, not_begun=True)
        except Exception as error:  # its text may contain a secret
            self._lost()
            return Failure(f"no connection: {_name(error)}", away=True)
        if code not in TAKEN:  # our own mistake, not the recipient's
            return self._refused(connection, code, said)._replace(for_good=False)
        try:
            code, said = connection.rcpt(to)
            if code in TAKEN:
                if not begin():
                    refusal = self._refused(connection, code, "")
                    return refusal._replace(reason="lease lost", not_begun=True)
                code, said = connection.docmd("DATA")
            if code == GO_ON:
                connection.send(_DOT.sub(b"..", mail) + END)
                handed_over = True
                connection.allow(TAKEN_WITHIN)
                code, said = connection.getreply()
        except UnicodeEncodeError:
            return self._refused(connection, PERMANENT, "such an address cannot be written")
        except (OSError, smtplib.SMTPException) as error:
            self._lost()
            return Failure(_reason(error), unknown=handed_over)
        except BaseException:
            self._lost()  # the server would take further commands for content
            raise
        return None if code in TAKEN else self._refused(connection, code, said)

    def _begin_mail(self, sender: str, options: list[str]) -> tuple[_Connection, int, bytes]:
        """Begin a mail, by a new connection if the server has closed the last one: some limit the
        mails of a connection."""
        until = time.monotonic() + BEGUN_WITHIN
        if self.connection is not None:
            self.connection.allow(BEGUN_WITHIN)
            with suppress(OSError, smtplib.SMTPServerDisconnected):
                code, said = self.connection.mail(sender, options)
                if code != CLOSING:
                    return self.connection, code, said
            self.connection.close()
            self.connection = None
        if not self.may_connect():
            raise NotNow
        self.connection = connect(self.server, until - time.monotonic())
        self.reached = True
        return self.connection, *self.connection.mail(sender, options)

    def _refused(self, connection: _Connection, code: int, said: bytes | str) -> Failure:
        """The refusal of a mail; the connection is reset for the next one."""
        if code == CLOSING:
            self._lost()
        else:
            try:
                connection.allow(ENDED_WITHIN)
                connection.rset()
            except (OSError, smtplib.SMTPException):
                self._lost()
        return Failure(_answer(code, said), for_good=code >= PERMANENT)

    def _lost(self) -> None:
        """Close a connection that does not answer."""
        self.away = True
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _quit(self) -> None:
        if self.connection is not None:
            try:
                self.connection.allow(ENDED_WITHIN)
                self.connection.quit()
            except (OSError, smtplib.SMTPException):
                self.connection.close()
            self.connection = None


class UntrustedServer(Exception):
    """The server offers no STARTTLS, so the password is not sent."""


class NoSignIn(Exception):
    """The server offers no authentication."""


def connect(server: SmtpServer, within: float = BEGUN_WITHIN) -> _Connection:
    """Connect and sign in, encrypted if possible; a password is only sent encrypted."""
    if server.encrypted:
        line: _Connection = _TlsConnection(
            server.host, server.port, within, context=_context(verified=True)
        )
    else:
        line = _Connection(server.host, server.port, within)
    try:
        line.ehlo()
        if not server.encrypted:
            _encrypt(line, server)
        if server.user is not None:
            if not line.has_extn("auth"):
                raise NoSignIn
            line.login(server.user, server.password)
    except BaseException:
        line.close()
        raise
    return line


def _encrypt(line: _Connection, server: SmtpServer) -> None:
    if line.has_extn("starttls"):
        # Without a password, encryption with an unknown certificate is better than none.
        line.starttls(context=_context(verified=server.user is not None))
        line.ehlo()
    elif server.user is not None and server.host not in LOOPBACK:
        raise UntrustedServer


def _context(verified: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _answer(code: int, text: bytes | str) -> str:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(said.split())}"


def _name(error: Exception) -> str:
    """The type of an error, with the code of the server."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__} {error.smtp_code}"
    return type(error).__name__


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _answer(error.smtp_code, error.smtp_error)
    return f"{type(error).__name__}: {error}"
