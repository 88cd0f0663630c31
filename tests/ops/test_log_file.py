"""The supervisor's log file on a disk that becomes full."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli.stop_signal import StopSignal
from service.cli.supervisor import Child, LogBook, Supervisor
from tests.servers.tree import until

LINE = b'{"level":"info","event":"request"}\n'


class Disk:
    """A file without buffers that refuses to grow while the disk is full."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("ab", buffering=0)
        self.full = False
        self.room = 0  # bytes that still fit

    def write(self, data: bytes) -> int:
        if not self.full:
            return self.file.write(data) or 0
        if self.room:
            written, self.room = self.file.write(data[: self.room]) or 0, 0
            return written
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def tell(self) -> int:
        return self.file.tell()

    def close(self) -> None:
        self.file.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "laguna.log")
    yield disk
    disk.close()


@pytest.fixture
def book(tmp_path: Path, disk: Disk) -> LogBook:
    return LogBook(tmp_path / "laguna.log", opener=lambda _: disk)


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_lines_without_room_are_counted_and_reported_when_there_is_room_again(
    book: LogBook, disk: Disk, tmp_path: Path
) -> None:
    book.write(LINE)
    disk.full = True
    for _ in range(3):
        book.write(LINE)
    assert book.dropped == 3
    disk.full = False
    book.write(LINE)
    assert book.dropped == 0
    events = entries(tmp_path / "laguna.log")
    assert [event["event"] for event in events] == ["request", "log_lines_dropped", "request"]
    assert events[1]["lines"] == 3
    assert events[1]["level"] == "warning"


def test_a_line_cut_short_by_a_full_disk_does_not_spoil_the_next_one(
    book: LogBook, disk: Disk, tmp_path: Path
) -> None:
    disk.full, disk.room = True, 10
    book.write(LINE)
    disk.full = False
    book.write(LINE)
    cut, *rest = (tmp_path / "laguna.log").read_bytes().splitlines()
    assert cut == LINE[:10]
    assert [json.loads(line)["event"] for line in rest] == ["log_lines_dropped", "request"]


def test_closing_the_log_on_a_full_disk_is_no_error(book: LogBook, disk: Disk) -> None:
    disk.full = True
    book.write(LINE)
    book.close()


def test_a_process_that_logs_onto_a_full_disk_is_never_held_up(
    book: LogBook, disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its pipe holds 64 kB; a reader that stopped would hold it up for ever."""
    disk.full = True
    done = tmp_path / "done"
    speaker = (
        "import pathlib, sys\n"
        f"for _ in range(20_000): sys.stdout.buffer.write({LINE!r})\n"
        "sys.stdout.flush()\n"
        f"pathlib.Path({str(done)!r}).touch()\n"
        "sys.stdin.read()\n"
    )
    child = Child("speaker", [sys.executable, "-c", speaker], [], dict(os.environ))
    supervisor = Supervisor([child], book, StopSignal())
    supervisor.start()
    try:
        until(done.exists, "everything said", seconds=60)
    finally:
        process = child.process
        assert isinstance(process, subprocess.Popen)
        supervisor.stop()
    assert book.dropped == 20_000
    assert "laguna.log" in capsys.readouterr().err, "the terminal says that the log has no room"
