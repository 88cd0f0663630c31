"""A small supervisor: starts processes, starts those again that die, and takes all along when
it ends. Everything they say goes into a log file; what is serious is also shown."""

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
from typing import Protocol

from service.cli.stop_signal import StopSignal
from service.core.private_files import open_private

LOOK_EVERY = 0.2  # seconds
FIRST_PAUSE = 0.5  # before a process that died is started again; then twice as long, and so on
LONGEST_PAUSE = 30.0
LIVED_WELL = 20.0  # seconds after which the next death counts as the first again
GRACE = 8.0  # seconds to stop, before it is done by force
LOG_SIZE = 10 * 1024 * 1024
LINE_LENGTH = 64 * 1024  # bytes; a longer line is logged in parts
SHOWN_LEVELS = ("warning", "error", "critical")


class LogFile(Protocol):
    """The part of an unbuffered binary file that the log needs."""

    def write(self, data: bytes, /) -> int | None: ...

    def tell(self) -> int: ...

    def close(self) -> None: ...


class LogBook:
    """The log file of all processes; when it is large it is put aside, once.

    On a full disk lines are dropped and counted, and the count is logged when there is room again:
    a writer must never raise here, or the pipe of its process would fill up and hold it up.
    """

    def __init__(self, path: Path, opener: Callable[[Path], LogFile] = open_private) -> None:
        self.path, self.opener = path, opener
        self.dropped = 0  # lines since the last one that was written
        self._cut = False  # the last line in the file is incomplete
        self._lock = threading.Lock()
        self._file: LogFile | None = opener(path)

    def write(self, line: bytes) -> None:
        with self._lock:
            try:
                self._rotate()
                if self.dropped:
                    self._append(self._note())
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

    def _note(self) -> bytes:
        note = {
            "lines": self.dropped,
            "event": "log_lines_dropped",
            "level": "warning",
            "timestamp": datetime.now(UTC).isoformat(),
        }
        return json.dumps(note).encode() + b"\n"


class Child:
    """One process that should always be there."""

    def __init__(
        self, name: str, command: Sequence[str], sockets: Sequence[int], env: Mapping[str, str]
    ) -> None:
        self.name, self.command, self.sockets, self.env = name, command, sockets, env
        self.process: subprocess.Popen[bytes] | None = None
        self.reader: threading.Thread | None = None
        self.started = self.next_start = 0.0
        self.pause = FIRST_PAUSE

    def start(self, hear: Callable[[bytes], None]) -> None:
        """Start it in a session of its own: Ctrl-C reaches us alone, and we stop it.

        Its standard input ends when we do, however that happens; it then ends too.
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
                hear(line)
            out.close()

        self.reader = threading.Thread(target=read, name=f"log of {self.name}", daemon=True)
        self.reader.start()

    def died(self) -> int | None:
        """The exit code, if it ended by itself since it was started."""
        if self.process is None:
            return None
        code = self.process.poll()
        if code is not None:
            present = time.monotonic()
            if present - self.started > LIVED_WELL:
                self.pause = FIRST_PAUSE
            self.next_start = present + self.pause
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
            self._let_go()
        return code

    def due(self) -> bool:
        return self.process is None and time.monotonic() >= self.next_start

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def stop(self, until: float) -> None:
        """Wait for it to end, at most until then."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.reader is not None:
            self.reader.join(1.0)
        self._let_go()

    def _let_go(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process = None


class Supervisor:
    """Keeps the children running until asked to stop."""

    def __init__(self, children: Sequence[Child], book: LogBook, stop_signal: StopSignal) -> None:
        self.children, self.book, self.stop_signal = children, book, stop_signal

    def start(self) -> None:
        for child in self.children:
            child.start(self._hear)

    def look_after(self) -> None:
        """Start again what died; one look."""
        for child in self.children:
            code = child.died()
            if code is not None:
                pause = max(0.0, child.next_start - time.monotonic())
                _show(f"The {child.name} process ended ({_ending(code)}); again in {pause:.1f} s.")
            if child.due():
                child.start(self._hear)

    def run(self) -> None:
        while not self.stop_signal.wait(LOOK_EVERY):
            self.look_after()

    def stop(self) -> None:
        """Ask all to stop, and see that they do."""
        for child in self.children:
            child.ask_to_stop()
        until = time.monotonic() + GRACE
        for child in self.children:
            child.stop(until)

    def _hear(self, line: bytes) -> None:
        self.book.write(line)
        serious = _serious(line)
        if serious:
            _show(serious)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _serious(line: bytes) -> str | None:
    """A line of the log as it is shown to whoever watches the terminal, if it should be."""
    try:
        said = json.loads(line)
    except ValueError:
        return line.decode(errors="replace").rstrip() or None  # not ours: something broke
    if not isinstance(said, dict) or said.get("level") not in SHOWN_LEVELS:
        return None
    told = [f"{said.pop('level')}: {said.pop('event', '')}"]
    said.pop("timestamp", None)
    trace = said.pop("exception", None)
    told += [f"{key}={value}" for key, value in said.items()]
    if trace:
        told.append(f"({str(trace).splitlines()[-1]})")
    return " ".join(told)


def _show(text: str) -> None:
    """Print on the terminal; where that is a file on a full disk, or closed, the line is lost."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def own_command(*arguments: str) -> list[str]:
    """This program again, with other arguments."""
    return [sys.executable, "-m", "service.cli", *arguments]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, **changes}
