"""What all tests may ask for."""

import os
from itertools import chain, islice

import pytest

pytest_plugins = ["tests.servers.fixtures"]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: many tests wait for processes, servers and each other."""
    return (os.cpu_count() or 1) + 1


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
