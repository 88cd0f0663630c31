"""Supervisor of `laguna up`: starts processes, restarts those that die, and stops them at its end.

Their output goes to a log file; warnings and errors are also printed."""

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from service.core.private_files import open_private
from service.core.stop_signal import StopSignal

POLL_SECONDS = 0.2
FIRST_BACK_OFF = 0.5  # seconds before a restart; doubled each time
MOST_BACK_OFF = 30.0
STABLE_SECONDS = 20.0  # after which the back-off begins anew
GRACE = 8.0  # seconds to stop before SIGKILL
LOG_SIZE = 10 * 1024 * 1024
LINE_LENGTH = 64 * 1024  # bytes; a longer line is logged in parts
SHOWN_LEVELS = ("warning", "error", "critical")


class LogFile:
    """The log file of all processes, rotated once.

    On a full disk lines are dropped and counted, and the count is logged when there is room again.
    `write` never raises: the pipe of a process whose output is not read would fill and block it.
    """

    def __init__(self, path: Path, opener: Callable[[Path], io.FileIO] = open_private) -> None:
        self.path, self.opener = path, opener
        self.dropped = 0  # lines since the last successful write
        self._cut = False  # the last line in the file is incomplete
        self._lock = threading.Lock()
        self._file: io.FileIO | None = opener(path)

    def write(self, line: bytes) -> None:
        with self._lock:
            try:
                self._rotate()
                if self.dropped:
                    self._append(self._drop_note())
                    self.dropped = 0
                self._append(line)
            except OSError as error:
                if not self.dropped:
                    _show(f"{self.path} cannot be written ({error.strerror}); lines are dropped.")
                self.dropped += 1

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _rotate(self) -> None:
        if self._file is not None and self._file.tell() > LOG_SIZE:
            self._file.close()
            self._file = None  # until the next one is open
            self.path.replace(self.path.with_suffix(".log.1"))
        if self._file is None:
            self._file = self.opener(self.path)

    def _append(self, line: bytes) -> None:
        assert self._file is not None
        whole = b"\n" + line if self._cut else line
        written = self._file.write(whole) or 0
        if written < len(whole):
            self._cut = self._cut or written > 0
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._cut = False

    def _drop_note(self) -> bytes:
        note = {
            "lines": self.dropped,
            "event": "log_lines_dropped",
            "level": "warning",
            "timestamp": datetime.now(UTC).isoformat(),
        }
        return json.dumps(note).encode() + b"\n"


class Child:
    """One process that the supervisor keeps running."""

    def __init__(
        self, name: str, command: Sequence[str], sockets: Sequence[int], env: Mapping[str, str]
    ) -> None:
        self.name, self.command, self.sockets, self.env = name, command, sockets, env
        self.process: subprocess.Popen[bytes] | None = None
        self.reader: threading.Thread | None = None
        self.started = self.next_start = 0.0
        self.back_off = FIRST_BACK_OFF

    def start(self, on_line: Callable[[bytes], None]) -> None:
        """Start it in its own session, so that Ctrl-C reaches the supervisor alone.

        Its standard input ends with the supervisor, even if that is killed; then it stops.
        """
        self.started = time.monotonic()
        self.process = process = subprocess.Popen(  # noqa: S603 - our own program
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=self.sockets,
            env=self.env,
            start_new_session=True,
        )
        assert isinstance(process.stdout, io.BufferedReader)
        out = process.stdout

        def read() -> None:
            while line := out.readline(LINE_LENGTH):
                on_line(line)
            out.close()

        self.reader = threading.Thread(target=read, name=f"log of {self.name}", daemon=True)
        self.reader.start()

    def reap(self) -> int | None:
        """The exit code, if it has ended by itself."""
        if self.process is None:
            return None
        code = self.process.poll()
        if code is not None:
            present = time.monotonic()
            if present - self.started > STABLE_SECONDS:
                self.back_off = FIRST_BACK_OFF
            self.next_start = present + self.back_off
            self.back_off = min(2 * self.back_off, MOST_BACK_OFF)
            self._forget()
        return code

    def due(self) -> bool:
        return self.process is None and time.monotonic() >= self.next_start

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def stop(self, until: float) -> None:
        """Wait for its end until this instant, then kill it."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.reader is not None:
            self.reader.join(1.0)
        self._forget()

    def _forget(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process = None


class Supervisor:
    """Keeps processes running until asked to stop."""

    def __init__(
        self, children: Sequence[Child], log_file: LogFile, stop_signal: StopSignal
    ) -> None:
        self.children, self.log_file, self.stop_signal = children, log_file, stop_signal

    def start(self) -> None:
        for child in self.children:
            child.start(self._log)

    def restart_dead(self) -> None:
        """Restart processes that have ended, after their back-off."""
        for child in self.children:
            code = child.reap()
            if code is not None:
                wait = max(0.0, child.next_start - time.monotonic())
                _show(f"The {child.name} process ended ({_ending(code)}); restart in {wait:.1f} s.")
            if child.due():
                child.start(self._log)

    def run(self) -> None:
        while not self.stop_signal.wait(POLL_SECONDS):
            self.restart_dead()

    def stop(self) -> None:
        for child in self.children:
            child.ask_to_stop()
        until = time.monotonic() + GRACE
        for child in self.children:
            child.stop(until)

    def _log(self, line: bytes) -> None:
        self.log_file.write(line)
        shown = _warning(line)
        if shown:
            _show(shown)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _warning(line: bytes) -> str | None:
    """The text of a log line for the terminal, if it is a warning or an error."""
    try:
        entry = json.loads(line)
    except ValueError:
        return line.decode(errors="replace").rstrip() or None  # not a log entry
    if not isinstance(entry, dict) or entry.get("level") not in SHOWN_LEVELS:
        return None
    words = [f"{entry.pop('level')}: {entry.pop('event', '')}"]
    entry.pop("timestamp", None)
    trace = entry.pop("exception", None)
    words += [f"{key}={value}" for key, value in entry.items()]
    if trace:
        words.append(f"({str(trace).splitlines()[-1]})")
    return " ".join(words)


def _show(text: str) -> None:
    """Print on the terminal, unless it is closed or a file on a full disk."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def own_command(*arguments: str) -> list[str]:
    """The command line of this program with other arguments."""
    return [sys.executable, "-m", "service.cli", *arguments]
