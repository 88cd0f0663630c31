"""SMTP and LMTP server for incoming mail.

A mail that is not wanted is refused during its delivery, so that the sending server informs its
sender. A mail is acknowledged when it is stored. Nothing is relayed.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from service.core.clock import now
from service.core.config import MailSource, Settings
from service.core.error_summary import error_summary
from service.db.session import is_transient
from service.mail.inbound import intake
from service.mail.inbound.intake import (
    FLOOD,
    MOST_RECIPIENTS,
    QUOTA,
    TOO_LARGE,
    NotTaken,
    check_recipient,
    receive_or_set_aside,
    refused,
)

log = structlog.get_logger()

T = TypeVar("T")

STORING_THREADS = 4
MOST_CONNECTIONS = 50
COMMAND_SECONDS = 120.0  # also for all of a mail
SHUTDOWN_SECONDS = 5.0  # to answer for mails that are being stored
BACKLOG = 100
IDENT = "Laguna"  # in our greeting, after the name of our domain
GREETING_SECONDS = 5.0
LONGEST_GREETING = 1000
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104

TAKEN = "250 2.0.0 Stored"
LATER = "451 4.3.0 Temporary failure, please try again"
BUSY = b"421 4.3.2 Too many connections, please try again\r\n"
TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients"
NOT_VERIFIED = "252 2.5.1 Addresses are not verified"
_ANSWERS = {
    TOO_LARGE: "552 5.3.4 This mail is too large",
    FLOOD: "451 4.7.1 Too many mails, please try again later",
    QUOTA: "452 4.2.2 Too much mail for one day, please try again later",
}
AIOSMTPD_TOO_LARGE = "552 Error"  # aiosmtpd's own answer to a mail that is too large
NO_ADDRESS = "550 5.1.1 There is no such address, or no longer"


def listening_socket(source: MailSource) -> socket.socket:
    """A socket that listens on an address; raises OSError."""
    family = socket.AF_INET6 if ":" in source.host else socket.AF_INET
    return socket.create_server((source.host, source.port), family=family, backlog=BACKLOG)


def is_ours(source: MailSource) -> bool:
    """Whether a server with our greeting listens on an address."""
    host = _LOOPBACK_OF.get(source.host, source.host)
    try:
        with socket.create_connection((host, source.port), GREETING_SECONDS) as line:
            return line.makefile("rb").readline(LONGEST_GREETING).rstrip().endswith(IDENT.encode())
    except OSError:
        return False


class Listeners:
    """Context in which an event loop in a thread of its own serves these sockets."""

    def __init__(self, app: Flask, sockets: Sequence[tuple[str, socket.socket]]) -> None:
        self.app, self.sockets = app, sockets
        settings: Settings = app.config["LAGUNA"]
        self.domain, self.largest_mail = settings.mail_domain, settings.largest_mail
        self.connections: set[asyncio.BaseTransport] = set()
        self.storing = 0
        self.loop = asyncio.new_event_loop()
        self.pool = ThreadPoolExecutor(STORING_THREADS, "mail-in")
        self.thread = threading.Thread(target=self.loop.run_forever, name="smtp", daemon=True)
        self.servers: list[asyncio.Server] = []

    def __enter__(self) -> "Listeners":
        for kind, sock in self.sockets:
            making = self.loop.create_server(self._factory(kind), sock=sock)
            self.servers.append(self.loop.run_until_complete(making))
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Accept no more connections, answer for mails that are being stored, then disconnect."""
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.pool.shutdown()
        self.loop.close()

    async def _end(self) -> None:
        for server in self.servers:
            server.close()
        until = self.loop.time() + SHUTDOWN_SECONDS
        while self.storing and self.loop.time() < until:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0)  # the last answer is on its way
        for transport in list(self.connections):
            transport.close()
        while self.connections and self.loop.time() < until:
            await asyncio.sleep(0.02)

    def _factory(self, kind: str) -> Callable[[], SMTP]:
        connection = _LmtpConnection if kind == intake.LMTP else _Connection
        return lambda: connection(self, _Handler(self, kind))

    async def store(self, work: Callable[[], T]) -> T:
        """Do work with the database in a thread, so that it blocks no connection."""

        def within_app() -> T:
            with self.app.app_context():
                return work()

        self.storing += 1
        try:
            return await self.loop.run_in_executor(self.pool, within_app)
        finally:
            self.storing -= 1


class _Handler:
    """Our answers to SMTP commands; aiosmtpd calls these methods by their names."""

    def __init__(self, listeners: Listeners, kind: str) -> None:
        self.listeners, self.kind = listeners, kind

    async def handle_EHLO(  # noqa: N802
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        session.host_name = hostname
        return [line for line in responses if not line[4:].startswith("AUTH")]

    async def handle_VRFY(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str
    ) -> str:
        return NOT_VERIFIED

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[Any]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return TOO_MANY_RECIPIENTS
        answer = await self._answer(lambda: check_recipient(address, self.kind, now()))
        if answer == TAKEN:
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        raw = envelope.content
        assert isinstance(raw, bytes)
        sender = envelope.mail_from or ""
        answers = [
            await self._answer(partial(self._take, raw, to, sender)) for to in envelope.rcpt_tos
        ]
        if self.kind == intake.LMTP:  # one answer for each recipient
            return "\r\n".join(answers)
        # A mail that is delivered again, because of one recipient, is stored once for the others.
        return max(answers, key=_priority)

    def _take(self, raw: bytes, to: str, sender: str) -> None:
        receive_or_set_aside(raw, to, sender, self.kind, now())

    async def handle_exception(self, error: Exception) -> str:
        log.error("mail_in_failed", error=error_summary(error))
        return LATER

    async def _answer(self, work: Callable[[], object]) -> str:
        """The answer after the work: a failure of ours is temporary, so that no mail is lost."""
        try:
            await self.listeners.store(work)
        except NotTaken as refusal:
            return _ANSWERS.get(refusal.reason, NO_ADDRESS)
        except Exception as error:
            report = log.warning if is_transient(error) else log.error
            report("mail_not_stored", error=error_summary(error))
            return LATER
        return TAKEN


def _priority(answer: str) -> int:
    """The priority of an answer for all recipients: temporary failure, success, refusal."""
    return {"4": 2, "2": 1}.get(answer[0], 0)


class _Connection(SMTP):
    """An SMTP connection. Its greeting names no version; lines may be as long as a mail."""

    def __init__(self, listeners: Listeners, handler: _Handler) -> None:
        self.line_length_limit = listeners.largest_mail
        super().__init__(
            handler,
            data_size_limit=listeners.largest_mail,
            enable_SMTPUTF8=True,
            hostname=listeners.domain,
            ident=IDENT,
            timeout=COMMAND_SECONDS,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
            loop=listeners.loop,
        )
        self.listeners, self.kind = listeners, handler.kind
        self.own: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if len(self.listeners.connections) >= MOST_CONNECTIONS:
            assert isinstance(transport, asyncio.WriteTransport)
            transport.write(BUSY)
            transport.close()
            return
        self.own = transport
        self.listeners.connections.add(transport)
        super().connection_made(transport)

    async def push(self, status: str | bytes) -> None:
        text = status.decode() if isinstance(status, bytes) else status
        if text.startswith(AIOSMTPD_TOO_LARGE):
            refused(TOO_LARGE, self.kind)
        await super().push(text)

    def connection_lost(self, error: Exception | None) -> None:
        if self.own is not None:
            self.listeners.connections.discard(self.own)
            super().connection_lost(error)


class _LmtpConnection(LMTP, _Connection):
    """An LMTP connection, which gets an answer for every recipient, also if all are the same."""

    answers = 0

    async def push(self, status: str | bytes) -> None:
        text = status.decode() if isinstance(status, bytes) else status
        if self.answers > 1 and "\r\n" not in text:
            text = "\r\n".join([text] * self.answers)
        self.answers = 0
        if text.startswith("354") and self.envelope is not None:
            self.answers = len(self.envelope.rcpt_tos)
        await super().push(text)
