"""Taking turns to write where only one may: threads and processes queue, and closely.

SQLite lets one writer in and makes the others sleep, longer each time, and ask again, which leaves
the lock idle and the slowest far behind. Here they wait for a lock on a file beside the database,
which the kernel gives back when its holder dies. It only orders our own writers: what keeps the
data safe is still SQLite's lock.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from service.core.errors import Problem

LONGEST_WAIT = 10.0  # seconds
LOOK_EVERY = 0.0003  # seconds; SQLite itself would sleep up to a tenth of one


class Turns:
    """The queue of those who want to write to one database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.among_threads = threading.Lock()
        self.descriptor: int | None = None
        self.process: int | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn and keep it."""
        with self.among_threads:
            descriptor = self._opened()
            _lock(descriptor)
            try:
                yield
            finally:
                fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _opened(self) -> int:
        """The file, opened by this process: a lock that was inherited would be shared."""
        if self.descriptor is None or self.process != os.getpid():
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            self.descriptor = os.open(self.path, flags, 0o600)
            self.process = os.getpid()
        return self.descriptor


def _lock(descriptor: int) -> None:
    """Wait for the lock, closely but not for ever: its holder may hang."""
    until = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise Problem(
                    "unavailable",
                    "The database is busy. Nothing was changed; please retry.",
                    headers={"Retry-After": "5"},
                ) from None
            time.sleep(LOOK_EVERY)
        else:
            return


def give_way() -> None:
    """Let in who waits: whoever takes one turn after the other is always there first otherwise."""
    time.sleep(2 * LOOK_EVERY)


@cache
def turns_for(database: str) -> Turns:
    """The queue for the database in this file."""
    return Turns(Path(f"{database}-turn"))
