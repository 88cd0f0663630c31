"""The supervisor's log file on a disk that becomes full."""

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.cli.supervisor import Child, LogFile, Supervisor
from service.core.stop_signal import StopSignal
from tests.servers.tree import until

LINE = b'{"level":"info","event":"request"}\n'


class Disk(io.FileIO):
    """A file without buffers that refuses to grow while the disk is full."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "ab")
        self.full = False
        self.room = 0  # bytes that still fit

    def write(self, data: Any) -> int:
        if not self.full:
            return super().write(data)
        if self.room:
            written, self.room = super().write(data[: self.room]), 0
            return written
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "laguna.log")
    yield disk
    disk.close()


@pytest.fixture
def log_file(tmp_path: Path, disk: Disk) -> LogFile:
    return LogFile(tmp_path / "laguna.log", opener=lambda _: disk)


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_lines_without_room_are_counted_and_reported_when_there_is_room_again(
    log_file: LogFile, disk: Disk, tmp_path: Path
) -> None:
    log_file.write(LINE)
    disk.full = True
    for _ in range(3):
        log_file.write(LINE)
    assert log_file.dropped == 3
    disk.full = False
    log_file.write(LINE)
    assert log_file.dropped == 0
    events = entries(tmp_path / "laguna.log")
    assert [event["event"] for event in events] == ["request", "log_lines_dropped", "request"]
    assert events[1]["lines"] == 3
    assert events[1]["level"] == "warning"


def test_a_line_cut_short_by_a_full_disk_does_not_spoil_the_next_one(
    log_file: LogFile, disk: Disk, tmp_path: Path
) -> None:
    disk.full, disk.room = True, 10
    log_file.write(LINE)
    disk.full = False
    log_file.write(LINE)
    cut, *rest = (tmp_path / "laguna.log").read_bytes().splitlines()
    assert cut == LINE[:10]
    assert [json.loads(line)["event"] for line in rest] == ["log_lines_dropped", "request"]


def test_closing_the_log_on_a_full_disk_is_no_error(log_file: LogFile, disk: Disk) -> None:
    disk.full = True
    log_file.write(LINE)
    log_file.close()


def test_a_process_that_logs_onto_a_full_disk_is_never_held_up(
    log_file: LogFile, disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    supervisor = Supervisor([child], log_file, StopSignal())
    supervisor.start()
    try:
        until(done.exists, "everything said", seconds=60)
    finally:
        process = child.process
        assert isinstance(process, subprocess.Popen)
        supervisor.stop()
    assert log_file.dropped == 20_000
    assert "laguna.log" in capsys.readouterr().err, "the terminal says that the log has no room"
