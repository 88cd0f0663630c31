"""A real PostgreSQL."""

import ctypes
import os
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.servers.account import may_enter, unprivileged
from tests.servers.guarded import Guarded
from tests.servers.programs import copy_of_wheel, postgres_programs
from tests.servers.server import Server

STOP = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
# Without waiting for the disk, and still safe against `kill`: the process fails here, never the
# machine. So `synchronous_commit` stays on (off, a kill loses what was committed) and
# `full_page_writes` too (SIGKILL can cut the write of a page in two).
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "200",
    "dynamic_shared_memory_type": "mmap",  # in our folder, so that it goes with it
    "timezone": "UTC",
}
SEGMENT_LINE = 6  # of postmaster.pid: key and id of the shared memory segment
IPC_RMID = 0


@contextmanager
def connection(url: str) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    """Every statement is committed by itself."""
    with psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True) as opened:
        yield opened


def database_of(url: str) -> sql.Identifier:
    return sql.Identifier(urlsplit(url).path.removeprefix("/"))


class Postgres:
    """A running PostgreSQL, whoever started it."""

    url: str

    def __init__(self, url: str) -> None:
        self.url = url

    def create_database(self, template: str | None = None) -> str:
        """URL of a new database: empty, or a copy of the one with the URL `template`, to which
        nobody may be connected."""
        url = f"{self.url.rpartition('/')[0]}/test_{secrets.token_hex(8)}"
        source = database_of(template) if template else sql.Identifier("template1")
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(database_of(url), source))
        return url

    def drop_database(self, url: str) -> None:
        """Also if somebody is still connected."""
        self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database_of(url)))

    def _run(self, statement: sql.Composed) -> None:
        with connection(self.url) as server:
            server.execute(statement)


class PostgresServer(Server, Postgres):
    """A PostgreSQL of one's own."""

    name = "postgres"

    def __init__(self) -> None:
        super().__init__()
        self.account = unprivileged()

    def prepare(self) -> None:
        self._programs = postgres_programs()
        if self.account and not may_enter(self._programs):
            self._programs = copy_of_wheel(self._programs, self.home / "programs")
        self._password = secrets.token_hex(16)
        self._initdb()

    def settle(self, port: int) -> None:
        self.port = port
        self.url = f"postgresql+psycopg://laguna:{self._password}@127.0.0.1:{port}/postgres"

    def launch(self) -> Guarded:
        settings = SETTINGS | {"port": str(self.port)}
        options = [word for item in settings.items() for word in ("-c", "=".join(item))]
        command = [str(self._programs / "postgres"), "-D", str(self._data), *options]
        return Guarded(command, self.home, self.account, last_signal=signal.SIGQUIT)

    def answers(self) -> bool:
        try:
            with connection(self.url):
                return True
        except psycopg.OperationalError:
            return False

    def stop(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """As `pg_ctl stop` does: smart waits for clients to leave, fast sends them away,
        immediate does not even write a checkpoint."""
        self.process.send(STOP[mode])
        self.ended()

    def close(self) -> None:
        if self._process:
            self._process.end(signal.SIGQUIT)
        self._forget_shared_memory()

    @property
    def _data(self) -> Path:
        return self.home / "data"

    def _initdb(self) -> None:
        password = self.home / "password"
        password.write_text(self._password)
        if self.account:
            os.chown(password, self.account.pw_uid, self.account.pw_gid)
        initdb = [str(self._programs / "initdb"), f"--pgdata={self._data}", f"--pwfile={password}"]
        options = "--username=laguna --auth=scram-sha-256 --encoding=UTF8 --locale=C"
        haste = "--no-sync --no-instructions --wal-segsize=1"
        Guarded([*initdb, *options.split(), *haste.split()], self.home, self.account).run()

    def _forget_shared_memory(self) -> None:
        """A killed server leaves a segment that only its next start would remove; the kernel
        keeps it until then, and has room for few."""
        lock = self._data / "postmaster.pid"
        lines = lock.read_text().splitlines() if lock.exists() else []
        if len(lines) > SEGMENT_LINE:
            _key, segment = lines[SEGMENT_LINE].split()
            ctypes.CDLL(None).shmctl(int(segment), IPC_RMID, None)
