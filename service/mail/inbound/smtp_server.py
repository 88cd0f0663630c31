"""Ports on which mail servers hand mails to us, by SMTP or LMTP.

What we do not want is refused while the other server still listens, so that it tells its sender
and we need not. We say that a mail is taken when it is stored. Nothing is ever passed on.
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
    LARGEST,
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

AT_ONCE = 4  # mails that are stored at the same time
MOST_CONNECTIONS = 50
PATIENCE = 120.0  # seconds for a command, and for all of a mail
LAST_MOMENTS = 5.0  # seconds to answer for what is being stored, when we end
BACKLOG = 100
IDENT = "Laguna"  # in our greeting, after the name of our domain
GREETED_WITHIN = 5.0
LONGEST_GREETING = 1000
_OWN = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # where all addresses of a machine are meant # noqa: S104

TAKEN = "250 2.0.0 Taken"
LATER = "451 4.3.0 Not now, please try again"
BUSY = b"421 4.3.2 Too many connections, please try again\r\n"
TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients"
NO_LIST = "252 2.5.1 Send a mail and see"
_ANSWERS = {
    TOO_LARGE: "552 5.3.4 This mail is too large",
    FLOOD: "451 4.7.1 Too many mails, please try again later",
    QUOTA: "452 4.2.2 Too much mail for one day, please try again later",
}
TOO_MUCH = "552 Error"  # what aiosmtpd says when it finds out by itself
NOBODY = "550 5.1.1 There is no such address, or no longer"


def listening_socket(source: MailSource) -> socket.socket:
    """A socket for one of the addresses on which we listen; raises OSError."""
    family = socket.AF_INET6 if ":" in source.host else socket.AF_INET
    return socket.create_server((source.host, source.port), family=family, backlog=BACKLOG)


def is_ours(source: MailSource) -> bool:
    """Whether somebody answers on one of the addresses on which we listen as we do."""
    host = _OWN.get(source.host, source.host)
    try:
        with socket.create_connection((host, source.port), GREETED_WITHIN) as line:
            return line.makefile("rb").readline(LONGEST_GREETING).rstrip().endswith(IDENT.encode())
    except OSError:
        return False


class Listeners:
    """Takes mails on these sockets within its context, in a thread of its own."""

    def __init__(self, app: Flask, sockets: Sequence[tuple[str, socket.socket]]) -> None:
        self.app, self.sockets = app, sockets
        settings: Settings = app.config["LAGUNA"]
        self.domain = settings.mail_domain
        self.connections: set[asyncio.BaseTransport] = set()
        self.storing = 0
        self.loop = asyncio.new_event_loop()
        self.pool = ThreadPoolExecutor(AT_ONCE, "mail-in")
        self.thread = threading.Thread(target=self._run, name="listening", daemon=True)
        self.servers: list[asyncio.Server] = []

    def __enter__(self) -> "Listeners":
        for kind, sock in self.sockets:
            making = self.loop.create_server(self._factory(kind), sock=sock)
            self.servers.append(self.loop.run_until_complete(making))
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take no more, answer for what is being stored, then hang up."""
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.pool.shutdown()
        self.loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _end(self) -> None:
        for server in self.servers:
            server.close()
        until = self.loop.time() + LAST_MOMENTS
        while self.storing and self.loop.time() < until:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0)  # the last answer is on its way
        for transport in list(self.connections):
            transport.close()
        while self.connections and self.loop.time() < until:
            await asyncio.sleep(0.02)

    def _factory(self, kind: str) -> Callable[[], SMTP]:
        made = _LmtpLine if kind == intake.LMTP else _SmtpLine
        return lambda: made(self, _Doorkeeper(self, kind), self.domain, self.loop)

    async def store(self, work: Callable[[], T]) -> T:
        """Do something with the database, which may take its time, beside the conversations."""

        def within_app() -> T:
            with self.app.app_context():
                return work()

        self.storing += 1
        try:
            return await self.loop.run_in_executor(self.pool, within_app)
        finally:
            self.storing -= 1


class _Doorkeeper:
    """What we say to the commands of another server. Names are those of aiosmtpd."""

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
        return NO_LIST

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
        if self.kind == intake.LMTP:  # one answer for each of them
            return "\r\n".join(answers)
        # There is one answer for all. Whoever has it sent again loses nothing: we know it again.
        return max(answers, key=_weight)

    def _take(self, raw: bytes, to: str, sender: str) -> None:
        receive_or_set_aside(raw, to, sender, self.kind, now())

    async def handle_exception(self, error: Exception) -> str:
        log.error("mail_in_failed", error=error_summary(error))
        return LATER

    async def _answer(self, work: Callable[[], object]) -> str:
        """What to say of what was to be done: a mail is lost only if we say that we never want
        it, so that whatever goes wrong with us means later."""
        try:
            await self.listeners.store(work)
        except NotTaken as refusal:
            return _ANSWERS.get(refusal.reason, NOBODY)
        except Exception as error:
            record_events = log.warning if is_transient(error) else log.error
            record_events("mail_not_stored", error=error_summary(error))
            return LATER
        return TAKEN


def _weight(answer: str) -> int:
    """Which of several answers counts: to try again, before that it was taken, before never."""
    return {"4": 2, "2": 1}.get(answer[0], 0)


class _Line(SMTP):
    """A conversation with another server: without a version to look weaknesses up by, and with
    lines as long as a mail may be, which some programs write."""

    line_length_limit = LARGEST

    def __init__(
        self,
        listeners: Listeners,
        handler: _Doorkeeper,
        domain: str,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(
            handler,
            data_size_limit=LARGEST,
            enable_SMTPUTF8=True,
            hostname=domain,
            ident=IDENT,
            timeout=PATIENCE,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
            loop=loop,
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
        if text.startswith(TOO_MUCH):
            refused(TOO_LARGE, self.kind)
        await super().push(text)

    def connection_lost(self, error: Exception | None) -> None:
        if self.own is not None:
            self.listeners.connections.discard(self.own)
            super().connection_lost(error)


class _SmtpLine(_Line):
    """SMTP."""


class _LmtpLine(LMTP, _Line):
    """LMTP, which wants an answer for every recipient, also where all of them are the same."""

    answers = 0

    async def push(self, status: str | bytes) -> None:
        text = status.decode() if isinstance(status, bytes) else status
        if self.answers > 1 and "\r\n" not in text:
            text = "\r\n".join([text] * self.answers)
        self.answers = 0
        if text.startswith("354") and self.envelope is not None:
            self.answers = len(self.envelope.rcpt_tos)
        await super().push(text)
