"""Stop requests: by a signal, or by the end of the parent process."""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable

GRACE = 8.0  # seconds to stop after the parent has ended


class StopSignal:
    """Set by a signal. A pipe: the signal may interrupt the code that holds an Event's lock."""

    def __init__(self) -> None:
        self.asked = False
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def ask(self, *_: object) -> None:
        self.asked = True
        with contextlib.suppress(OSError):
            os.write(self._write, b".")

    def wait(self, seconds: float) -> bool:
        """Wait for the request; whether it was made. All waiters see the byte: nobody reads it."""
        if not self.asked:
            select.select([self._read], [], [], seconds)
        return self.asked

    def listen(self) -> "StopSignal":
        """Stop at SIGINT (Ctrl-C), SIGTERM and SIGHUP."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.ask)
        return self


def end_after(wait: Callable[[], object]) -> None:
    """End this process when `wait` returns, by force if it does not stop in time."""

    def watch() -> None:
        wait()
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(GRACE)
        os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def end_with_stdin() -> None:
    """End this process when standard input ends, even if the parent was killed."""

    def read_to_end() -> None:
        with contextlib.suppress(OSError):
            while os.read(sys.stdin.fileno(), 1024):
                pass

    end_after(read_to_end)
