"""A real Redis."""

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.servers.guarded import Guarded
from tests.servers.programs import redis_program
from tests.servers.server import Server

DATABASES = 10_000
# Every write is in the file before it is answered, so what was answered survives `kill`. Nothing
# waits for the disk: the machine does not fail here, only the process.
CONFIGURATION = f"""
bind 127.0.0.1
databases {DATABASES}
appendonly yes
appendfsync no
save ""
"""


@contextmanager
def connection(url: str) -> Iterator["redis.Redis"]:
    """A client that tries once: a test that wants patience asks for it."""
    with redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), decode_responses=True) as client:
        yield client


class Redis:
    """A running Redis, whoever started it."""

    url: str

    def __init__(self, url: str) -> None:
        self.url = url

    def take_database(self) -> str:
        """URL of an empty logical database; channels (publish, subscribe) are common to all."""
        with connection(self.url) as client:
            number = client.incr("databases taken") % (DATABASES - 1) + 1
        return f"{self.url.rpartition('/')[0]}/{number}"

    def drop_database(self, url: str) -> None:
        with connection(url) as client:
            client.flushdb()


class RedisServer(Server, Redis):
    """A Redis of one's own."""

    name = "redis"

    def prepare(self) -> None:
        self._password = secrets.token_hex(16)

    def settle(self, port: int) -> None:
        self.port = port
        self.url = f"redis://:{self._password}@127.0.0.1:{port}/0"
        own = f"port {port}\nrequirepass {self._password}\n"
        (self.home / "redis.conf").write_text(CONFIGURATION + own)

    def launch(self) -> Guarded:
        return Guarded([str(redis_program()), "redis.conf"], self.home)

    def answers(self) -> bool:
        try:
            with connection(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""
        self.process.send(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send(signal.SIGCONT)

    def close(self) -> None:
        if self._process:
            self._process.kill()
