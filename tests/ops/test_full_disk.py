"""`laguna up` on a disk that becomes full and has room again."""

import contextlib
import http.client
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.tree import until
from tests.test_up import Up

SIZE = 48 * 1024 * 1024
PIPE = 64 * 1024  # bytes that a process can log before its pipe is full


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a file system of its own can be mounted by root alone")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def up(small_disk: Path) -> Iterator[Up]:
    started = Up(small_disk / "data")
    yield started.until_ready()
    started.clear()


def status(up: Up, path: str, connection: http.client.HTTPConnection | None = None) -> int:
    """The status of an answer; 0 if none comes within half a minute."""
    asked = connection or http.client.HTTPConnection("127.0.0.1", int(up.port), timeout=30)
    try:
        asked.request("GET", path, headers={"Host": f"localhost:{up.port}"})
        answer = asked.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        if connection is None:
            asked.close()


def fill(place: Path) -> Path:
    """Leave no room on the disk."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler


@pytest.mark.long
def test_a_full_disk_turns_readiness_red_and_nothing_hangs_afterwards(
    up: Up, small_disk: Path
) -> None:
    filler = fill(small_disk)
    until(lambda: status(up, "/readyz") == 503, "not ready")
    assert status(up, "/healthz") == 200

    def keep_asking() -> None:
        """Make each web process log more than a pipe holds."""
        asked = 0
        while asked < 4 * PIPE // 100:
            connection = http.client.HTTPConnection("127.0.0.1", int(up.port), timeout=30)
            with contextlib.closing(connection):
                for _ in range(50):
                    assert status(up, "/healthz", connection) == 200
            asked += 50

    keep_asking()
    filler.unlink()
    until(lambda: status(up, "/readyz") == 200, "ready again")
    keep_asking()
    log = small_disk / "data" / "laguna.log"
    until(lambda: b'"log_lines_dropped"' in log.read_bytes(), "a note about the dropped lines")
    assert "lines are dropped" in up.err
    assert up.process.poll() is None
