"""A real mail server that keeps what it is sent, and misbehaves as it is told."""

import asyncio
import threading
from collections import Counter
from email import message_from_bytes
from types import TracebackType
from typing import Any, NamedTuple, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.servers.ports import free_port

TAKEN = "250 taken"


class Mail(NamedTuple):
    to: str
    id: str  # its Message-ID
    subject: str
    raw: bytes  # all of it


class Sink:
    """`answers` are given in turn to mails that have arrived, then all are taken.

    An answer is a line of SMTP, or CLOSE: the connection ends without any. A hold (`hold`) keeps
    mails waiting at that command until the test lets them go on.
    """

    CLOSE = ""

    def __init__(self) -> None:
        self.mails: list[Mail] = []  # those that were taken
        self.answers: list[str] = []
        self.given: list[str] = []
        self._hold: Hold | None = None
        self.port = free_port()
        self._controller = Controller(_Handler(self), hostname="127.0.0.1", port=self.port)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def ids(self) -> list[str]:
        return [mail.id for mail in self.mails]

    def times(self) -> Counter[str]:
        """How often each mail came."""
        return Counter(self.ids)

    def hold(self, command: str) -> "Hold":
        self._hold = Hold(command)
        return self._hold

    @property
    def held(self) -> "Hold | None":
        """What keeps mails waiting that are handed in from now on."""
        return self._hold

    @staticmethod
    async def at(command: str, hold: "Hold | None") -> None:
        if hold is not None and hold.command == command:
            hold.reached.set()
            while not hold.over.is_set():
                await asyncio.sleep(0.01)

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._hold is not None:
            self._hold.over.set()
        self._controller.stop()


class Hold:
    """Mails wait at a command: RCPT, DATA (before the mail is taken) or TAKEN (afterwards)."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.reached = threading.Event()
        self.over = threading.Event()


class _Handler:
    def __init__(self, sink: Sink) -> None:
        self.sink = sink

    async def handle_RCPT(  # noqa: N802 - names of aiosmtpd
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[Any]
    ) -> str:
        await self.sink.at("RCPT", self.sink.held)
        envelope.rcpt_tos.append(address)
        return TAKEN

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        hold = self.sink.held  # one that is set later is for other mails
        await self.sink.at("DATA", hold)
        answer = self.sink.answers.pop(0) if self.sink.answers else TAKEN
        self.sink.given.append(answer)
        if answer == TAKEN:
            assert isinstance(envelope.content, bytes)
            message = message_from_bytes(envelope.content)
            [to] = envelope.rcpt_tos
            self.sink.mails.append(
                Mail(to, message["Message-ID"], message["Subject"], envelope.content)
            )
            await self.sink.at("TAKEN", hold)
        elif answer == Sink.CLOSE:
            assert server.transport is not None
            server.transport.abort()  # type: ignore[attr-defined]
        return answer
