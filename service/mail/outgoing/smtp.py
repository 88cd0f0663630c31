"""The mail server: a connection that is opened when it is needed and kept for many mails."""

import re
import smtplib
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from service.core.config import SmtpServer

# Seconds. A server may take its time to look into a mail before it answers for it: who gives up
# waiting too soon sends the mail again although it was taken.
BEGUN_WITHIN = 30.0  # for everything from connecting until the mail is handed over
TAKEN_WITHIN = 90.0  # for the answer to it
ENDED_WITHIN = 10.0  # to take back a mail that is refused, or to say goodbye
LOOPBACK = ("localhost", "127.0.0.1", "::1")
TAKEN = (250, 251)
GO_ON = 354
END = b"\r\n.\r\n"
CLOSING = 421
PERMANENT = 500
INTERNATIONAL = ["SMTPUTF8", "BODY=8BITMIME"]
_DOT = re.compile(rb"^\.", re.MULTILINE)  # a line with nothing but a dot would end the mail


class Failure(NamedTuple):
    """Why a mail was not taken, and whether it ever can be."""

    reason: str
    for_good: bool = False
    away: bool = False  # nothing was tried: the server cannot be reached
    unknown: bool = False  # the server has all of the mail, and its answer was not heard
    not_begun: bool = False  # we did not try: it is up to another process


class NotNow(Exception):
    """No connection may be tried now."""


def always() -> bool:
    return True


class _Line(smtplib.SMTP):
    """A connection on which answers must come by an instant, however many it takes."""

    def __init__(self, host: str, port: int, within: float, **options: Any) -> None:
        self.allow(within)
        super().__init__(host, port, timeout=within, **options)

    def allow(self, seconds: float) -> None:
        """So long for everything that follows."""
        self.until = time.monotonic() + seconds

    def getreply(self) -> tuple[int, bytes]:
        left = self.until - time.monotonic()
        if left <= 0:
            self.close()
            raise smtplib.SMTPServerDisconnected("too slow")
        if self.sock is not None:
            self.sock.settimeout(left)
        return super().getreply()


class _EncryptedLine(_Line, smtplib.SMTP_SSL):
    """One that is encrypted from the start."""


class MailServer:
    """Takes mails one after the other, by one connection if the server lets us.

    `may_connect` is asked before each connection."""

    def __init__(self, server: SmtpServer, may_connect: Callable[[], bool] = always) -> None:
        self.server, self.may_connect = server, may_connect
        self.connection: _Line | None = None
        self.away = False  # then other mails need not be tried now
        self.reached = False  # a connection was made

    def __enter__(self) -> "MailServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def send(
        self, to: str, mail: bytes, sender: str, begin: Callable[[], bool] = always
    ) -> Failure | None:
        """Send a mail; None if the server took it. To the sender it comes back if nobody has the
        address to which it is sent. `begin` is called before the mail is handed over, and says
        whether it still should be."""
        handed_over = False
        try:
            options = [] if to.isascii() and sender.isascii() else INTERNATIONAL
            connection, code, said = self._begun(sender, options)
        except smtplib.SMTPNotSupportedError:
            return Failure("the server takes no such address", for_good=True)
        except NotNow:
            self._lost()
            return Failure("no connection: another process tries", away=True, not_begun=True)
        except Exception as error:  # whatever it is; what it says may be part of a secret
            self._lost()
            return Failure(f"no connection: {_name(error)}", away=True)
        if code not in TAKEN:  # our own fault, which can be mended
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
            self._lost()  # whatever else we said, the server would take it for the mail
            raise
        return None if code in TAKEN else self._refused(connection, code, said)

    def _begun(self, sender: str, options: list[str]) -> tuple[_Line, int, bytes]:
        """Begin a mail, by a new connection if the server has closed the one we had: servers
        take only so many mails in a row."""
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

    def _refused(self, connection: _Line, code: int, said: bytes | str) -> Failure:
        """What the server has against this mail; the connection is ready for the next one."""
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
        """The server does not answer, or not any more: nothing is gained by saying goodbye."""
        self.away = True
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _hang_up(self) -> None:
        if self.connection is not None:
            try:
                self.connection.allow(ENDED_WITHIN)
                self.connection.quit()
            except (OSError, smtplib.SMTPException):
                self.connection.close()
            self.connection = None


class UntrustedServer(Exception):
    """It offers no STARTTLS, so it must not be told the password."""


class NoSignIn(Exception):
    """It takes no name and password."""


def connect(server: SmtpServer, within: float = BEGUN_WITHIN) -> _Line:
    """Connect and sign in, encrypted if the server can; a password is only told encrypted."""
    if server.encrypted:
        line: _Line = _EncryptedLine(
            server.host, server.port, within, context=_context(verified=True)
        )
    else:
        line = _Line(server.host, server.port, within)
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


def _encrypt(line: _Line, server: SmtpServer) -> None:
    if line.has_extn("starttls"):
        # Where nothing secret is told, encryption without a known certificate beats none.
        line.starttls(context=_context(verified=server.user is not None))
        line.ehlo()
    elif server.user is not None and server.host not in LOOPBACK:
        raise UntrustedServer


def _context(verified: bool) -> ssl.SSLContext:
    """How to encrypt, and whether to somebody whose certificate is known."""
    context = ssl.create_default_context()
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _answer(code: int, text: bytes | str) -> str:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(said.split())}"


def _name(error: Exception) -> str:
    """What kind of error it is, and the number the server gave it."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__} {error.smtp_code}"
    return type(error).__name__


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _answer(error.smtp_code, error.smtp_error)
    return f"{type(error).__name__}: {error}"
