"""Clients that follow events, many at once, in one event loop."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from flask import Flask

from service.access.credentials import Key, access_caller
from service.accounts.sign_in import sign_in
from service.core.ids import digest
from service.db.session import transact
from service.notify.event_log import Entry, record_events

REQUEST = (
    "GET /v1/events?after={after} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    "Accept: text/event-stream\r\n\r\n"
)
OPEN_AT_ONCE = 50
PATIENCE = 120.0  # seconds


class Follower:
    """One stream: the numbers of the events it has brought."""

    def __init__(self, address: tuple[str, int], token: str) -> None:
        self.address, self.token = address, token
        self.status = 0
        self.numbers: list[int] = []
        self.ended = False

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(*self.address)
        self.writer.write(REQUEST.format(after=0, token=self.token).encode())
        self.status = int((await self.reader.readline()).split()[1])
        while (await self.reader.readline()).strip():
            pass

    async def read(self) -> None:
        while line := await self.reader.readline():
            if line.startswith(b"id: "):
                self.numbers.append(int(line[4:]))
        self.ended = True

    def missed(self, last: int) -> int:
        """How many events up to this number did not come exactly once and in order."""
        wanted = list(range(1, last + 1))
        if self.numbers == wanted:
            return 0
        return len(set(wanted) - set(self.numbers)) or abs(len(self.numbers) - last) or 1


class Followers:
    """Many streams, in a context."""

    def __init__(self, address: tuple[str, int], tokens: Sequence[str]) -> None:
        self.all = [Follower(address, token) for token in tokens]
        self.tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        gate = asyncio.Semaphore(OPEN_AT_ONCE)

        async def open_one(one: Follower) -> None:
            async with gate:
                await one.open()

        await asyncio.gather(*[open_one(one) for one in self.all])
        self.tasks = [asyncio.create_task(one.read()) for one in self.all]

    async def until_all_have(self, last: int) -> None:
        """Wait until every stream has brought this event."""
        async with asyncio.timeout(PATIENCE):
            while not all(one.numbers and one.numbers[-1] >= last for one in self.all):
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for one in self.all:
            one.writer.close()


def sign_in_all(app: Flask, count: int) -> dict[str, str]:
    """The tokens of so many new people, by their ids."""
    present = datetime.now(UTC)

    def sign_in_one(number: int) -> tuple[str, str]:
        secret = sign_in(f"p{number}@example.org", f"Person {number}", "test", present).secret
        return access_caller(Key(digest(secret))).person_id, secret

    with app.app_context():
        return dict(transact(lambda: [sign_in_one(number) for number in range(count)]))


def tell_all(app: Flask, people: Sequence[str], count: int) -> None:
    """Tell each of these people so many things, one transaction for each round."""
    present = datetime.now(UTC)
    with app.app_context():
        for number in range(count):
            entries = [Entry(one, "game.moved", None, {"n": number}) for one in sorted(people)]
            transact(lambda entries=entries: record_events(entries, present))  # type: ignore[misc]
