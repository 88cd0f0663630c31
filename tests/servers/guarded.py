"""A program that runs under a guard: the owner's side."""

import contextlib
import json
import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.servers.guard import GRACE, Order
from tests.servers.tree import PATIENCE, kill_tree

ROOT = Path(__file__).parents[2]
LOG = "log"
# Nothing of the developer's PGPORT, LC_ALL or TZ may change what a test sees.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


class NotStarted(Exception):
    """A server did not come up; the text has the end of its log."""


class Guarded:
    def __init__(
        self,
        command: list[str],
        home: Path,
        account: pwd.struct_passwd | None = None,
        last_signal: signal.Signals = signal.SIGKILL,
    ) -> None:
        """`last_signal` is what the guard sends if we are gone."""
        order: Order = {
            "command": command,
            "environment": ENVIRONMENT,
            "home": str(home),
            "uid": account.pw_uid if account else None,
            "gid": account.pw_gid if account else None,
            "last_signal": last_signal,
        }
        self._home = home
        self._program = Path(command[0]).name
        with (home / LOG).open("ab") as log:
            self._guard = subprocess.Popen(
                [sys.executable, "-m", "tests.servers.guard"],
                cwd=ROOT,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self._guard.stdin
        assert self._guard.stdout
        with self._guard.stdout as answer:
            with contextlib.suppress(BrokenPipeError):
                self._guard.stdin.write(json.dumps(order).encode() + b"\n")
            pid = answer.readline()
        try:
            self.pid = int(pid)
            # It knows the start time too: a signal never reaches a later user of the pid.
            self._process = psutil.Process(self.pid)
        except (ValueError, psutil.NoSuchProcess):
            self.wait()
            raise self.failed() from None

    @property
    def runs(self) -> bool:
        return self._guard.poll() is None

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self, seconds: float = PATIENCE) -> int:
        """The exit status."""
        code = self._guard.wait(seconds)
        assert self._guard.stdin
        self._guard.stdin.close()
        return code

    def run(self) -> None:
        """For a program that ends by itself, and well."""
        try:
            code = self.wait()
        except BaseException:
            self.kill()
            raise
        if code:
            raise self.failed()

    def end(self, number: signal.Signals) -> None:
        """Ask with a signal; if that does not help, kill."""
        try:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.send(number)
            self.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        kill_tree(self._process)
        self.wait()

    def failed(self) -> NotStarted:
        log = (self._home / LOG).read_text(errors="replace")
        return NotStarted(f"{self._program} ended too early. The end of its log:\n{log[-3000:]}")
