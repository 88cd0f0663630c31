"""Files and directories that only their owner may read.

The database contains seeds, hands and mailed codes; the log names people. The mode is set when a
file is opened, so that files of an earlier version or with another umask are corrected, too.
"""

import contextlib
import io
import os
import stat
from pathlib import Path

DIRECTORY, FILE = 0o700, 0o600
OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OWN_NAMES = ("laguna.", "secret.", "start.lock", "metrics")


def private_directory(path: Path) -> Path:
    """Create the directory if it is missing, for its owner alone.

    The mode of an existing one is corrected, unless it contains other files than ours.
    """
    if not path.is_dir():
        path.mkdir(mode=DIRECTORY, parents=True, exist_ok=True)
    elif all(name.startswith(_OWN_NAMES) for name in os.listdir(path)):
        _close_to_others(path)
    return path


def make_private(path: Path) -> None:
    """Correct the mode of a file, if there is one."""
    _close_to_others(path)


def open_private(path: Path) -> io.FileIO:
    """Open a file for appending, without a buffer, readable by its owner alone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, FILE)
    make_private(path)
    return io.FileIO(descriptor, "ab")


def _close_to_others(path: Path) -> None:
    """Files of another owner keep their mode."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OPEN_TO_OTHERS:
            path.chmod(mode & ~OPEN_TO_OTHERS)
