"""What all tests may ask for."""

import gc
import os
import shutil
from itertools import chain, islice
from pathlib import Path

import pytest

pytest_plugins = ["tests.progress", "tests.servers.fixtures", "tests.support.fixtures"]

IN_MEMORY = Path("/dev/shm")  # noqa: S108 - where there is one, nobody waits for a disk
ROOM = 4 * 2**30  # bytes; in many containers it is too small to be of use
if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More than there are cores: many tests wait for processes, servers and each other."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish(session: pytest.Session) -> None:
    """What has been imported and collected stays: looking through it again and again for garbage
    took an eighth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every worker begins with its share of the long tests, so that none is alone with one at the
    end. The workers of pytest-xdist each get a part of the list, in its order."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if item.get_closest_marker("long")]
    short = iter([item for item in items if not item.get_closest_marker("long")])
    parts = [long[number::workers] for number in range(workers)]
    size = -(-len(items) // workers)
    for part in parts:
        part.extend(islice(short, max(0, size - len(part))))
    items[:] = chain.from_iterable(parts)
