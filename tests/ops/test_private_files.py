"""Files of the embedded mode are readable by their owner alone."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from service.core.private_files import make_private, open_private, private_directory
from tests.test_up import Up

ROOT = Path(__file__).parents[2]
SECRET = "0123456789abcdef" * 2
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def open_to_others(place: Path) -> list[str]:
    """Files and directories, this one included, that anybody but their owner may use."""
    return [
        f"{path.relative_to(place)} {mode(path)}"
        for path in [place, *place.rglob("*")]
        if path.lstat().st_mode & OTHERS
    ]


def upgrade(data: Path, **settings: str) -> None:
    clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
    subprocess.run(
        [sys.executable, "-m", "service.cli", "db", "upgrade"],
        umask=0o022,
        cwd=ROOT,
        env={**clean, "LAGUNA_DATA": str(data), "LAGUNA_SECRET_KEY": SECRET, **settings},
        check=True,
        capture_output=True,
    )


def test_a_new_database_is_private_whatever_the_umask(tmp_path: Path) -> None:
    upgrade(tmp_path / "data")
    assert open_to_others(tmp_path / "data") == []


def test_files_of_an_earlier_version_are_corrected_when_they_are_opened(tmp_path: Path) -> None:
    data = tmp_path / "data"
    upgrade(data)
    for path in [*data.iterdir()]:
        path.chmod(0o644)
    data.chmod(0o755)
    upgrade(data)
    assert open_to_others(data) == ["start.lock 644"], "which is empty"


def test_a_database_elsewhere_is_private_in_a_directory_that_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    upgrade(tmp_path / "data", LAGUNA_DATABASE_URL=f"sqlite:///{shared}/games.db")
    assert open_to_others(shared) == [". 755"]


def test_everything_that_a_running_service_writes_is_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    old = os.umask(0o022)
    try:
        up = Up(data)
    finally:
        os.umask(old)
    try:
        up.until_ready()
        assert open_to_others(data) == []
        names = {path.name for path in data.iterdir()}
        assert {"laguna.db", "laguna.db-wal", "laguna.log", "secret.key"} <= names
    finally:
        up.clear()


def test_a_directory_with_files_of_others_keeps_its_mode(tmp_path: Path) -> None:
    for name, wanted in (("mine", "700"), ("ours", "755")):
        place = tmp_path / name
        place.mkdir()
        place.chmod(0o755)
        (place / "laguna.db").touch()
        if name == "ours":
            (place / "report.txt").touch()
        assert private_directory(place) == place
        assert mode(place) == wanted
    assert mode(private_directory(tmp_path / "new" / "data")) == "700"


def test_a_file_that_is_missing_or_of_another_owner_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_private(tmp_path / "missing")
    file = tmp_path / "file"
    file.touch(0o644)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", refuse)
        make_private(file)
    with open_private(file) as opened:
        opened.write(b"line\n")
    assert mode(file) == "600"
