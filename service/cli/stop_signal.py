"""Being asked to stop: by a signal, or because whoever started us is gone."""

import contextlib
import os
import select
import signal
import sys
import threading

GRACE = 8.0  # seconds to end by oneself after the starter is gone


class StopSignal:
    """Set by a signal. A pipe, not an Event: a handler may come while its lock is held."""

    def __init__(self) -> None:
        self.asked = False
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def ask(self, *_: object) -> None:
        self.asked = True
        with contextlib.suppress(OSError):
            os.write(self._write, b".")

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until asked; the byte stays, so everybody who waits sees it."""
        if not self.asked:
            select.select([self._read], [], [], seconds)
        return self.asked

    def listen(self) -> "StopSignal":
        """Stop at Ctrl-C, at `kill` and when the terminal closes."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.ask)
        return self


def end_with_stdin() -> None:
    """End this process when standard input ends, even if its starter was killed."""

    def watch() -> None:
        with contextlib.suppress(OSError):
            while os.read(sys.stdin.fileno(), 1024):
                pass
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(GRACE)
        os._exit(1)

    threading.Thread(target=watch, name="leash", daemon=True).start()
