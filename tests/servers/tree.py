"""Processes with all their children."""

import contextlib
import time
from collections.abc import Callable

import psutil  # type: ignore[import-untyped]

PATIENCE = 180.0  # seconds; what comes, comes much sooner, but machines can be busy
PAUSE = 0.01


class TooLong(Exception):
    """What should have happened did not."""


def until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Return once the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TooLong(f"not within {seconds:.0f} s: {what}")
        time.sleep(PAUSE)


def runs(process: psutil.Process) -> bool:
    """False for a zombie too: it holds nothing, and not every container has an init to reap it."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def kill_tree(root: psutil.Process) -> None:
    """SIGKILL, to the children first: while the root is stopped it neither starts new ones nor
    reaps, so that no pid can have passed to a stranger."""
    everybody = []
    with contextlib.suppress(psutil.NoSuchProcess):
        root.suspend()
        everybody = [*root.children(recursive=True), root]
    for process in everybody:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    until(lambda: not any(map(runs, everybody)), f"the end of {everybody}")
