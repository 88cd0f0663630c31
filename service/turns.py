"""Taking turns to write where only one may: threads and processes queue instead of polling.

SQLite lets one writer in and makes the others sleep and ask again, which leaves the lock idle
and the slowest far behind. A lock on a file beside the database wakes the next one at once, and
the kernel gives it back when its holder dies. It only orders our own writers: what keeps the data
safe is still SQLite's lock.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


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
            fcntl.flock(descriptor, fcntl.LOCK_EX)
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


@cache
def turns_for(database: str) -> Turns:
    """The queue for the database in this file."""
    return Turns(Path(f"{database}-turn"))
