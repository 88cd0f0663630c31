"""What all tests may ask for."""

import os

import pytest

pytest_plugins = ["tests.servers.fixtures"]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: many tests wait for processes, servers and each other."""
    return (os.cpu_count() or 1) + 1
