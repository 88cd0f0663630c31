"""Readiness check with a time limit: `/readyz` answers, whatever the database does."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime

CHECK_SECONDS = 1.5


class BoundedCheck:
    """Runs a check in a thread of its own, one at a time; all who ask share its result."""

    def __init__(self, check: Callable[[], dict[str, str]]) -> None:
        self.check = check
        self.lock = threading.Lock()
        self.running: Future[dict[str, str]] | None = None

    def result(self, seconds: float = CHECK_SECONDS) -> dict[str, str] | None:
        """What the check found, or None if it takes longer than that."""
        with self.lock:
            late = self.running is not None and not self.running.done()
            if not late:
                self.running = Future()
                threading.Thread(
                    target=self._run, args=(self.running,), name="readiness", daemon=True
                ).start()
            running = self.running
        assert running is not None
        try:
            return running.result(seconds)
        except NotInTime:
            return None

    def _run(self, running: Future[dict[str, str]]) -> None:
        try:
            running.set_result(self.check())
        except BaseException as error:
            running.set_exception(error)
