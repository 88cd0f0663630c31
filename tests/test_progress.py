"""A late run names the tests that are still running; a test that hangs fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.guarded import ROOT
from tests.servers.tree import PATIENCE

READS_THE_REPORT = """
import time
from pathlib import Path


def test_slow():
    end = time.monotonic() + 100
    while "Tests still running" not in Path("output").read_text():
        assert time.monotonic() < end, "no report"
        time.sleep(0.01)
"""
HANGS = """
import threading


def test_hanging():
    threading.Event().wait()
"""


def run(folder: Path, suite: str, *options: str) -> tuple[int, str]:
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_suite.py").write_text(suite)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    with (folder / "output").open("wb") as output:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "xdist", *options, "test_suite.py"],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            timeout=PATIENCE,
            check=False,
        )
    return done.returncode, (folder / "output").read_text()


def test_a_late_run_names_the_tests_that_are_still_running(tmp_path: Path) -> None:
    late = ("-p", "tests.progress", "--late-after", "0.1", "-n", "1")
    code, output = run(tmp_path, READS_THE_REPORT, *late)
    assert code == 0, output
    assert "usually takes up to" in output
    assert "test_suite.py::test_slow (" in output.partition("Tests still running")[2]


def test_a_test_that_hangs_fails(tmp_path: Path) -> None:
    code, output = run(tmp_path, HANGS, "-p", "pytest_timeout", "--timeout", "1", "-n", "1")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "Timeout (>1.0s)" in output
