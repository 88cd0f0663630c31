"""Progress of a test run: its usual duration at the start, the running tests when it is late."""

import threading
import time
from collections.abc import Callable

import pytest

USUAL_MINUTES = 12  # the whole suite on two cores
REPORT_SECONDS = 60.0  # between two reports of a late run
RETRY_SECONDS = 0.2  # until the next look when no test is running


class Progress:
    """Tests that are running, in the process that reports to the terminal.

    A run without workers (`-n 0`) captures its own output and shows the report afterwards.
    """

    def __init__(self, write_line: Callable[[str], None], late_after: float) -> None:
        self.write_line, self.late_after = write_line, late_after
        self.running: dict[str, float] = {}
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._report_late, name="progress", daemon=True)

    def pytest_sessionstart(self) -> None:
        self.thread.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        with self.lock:
            self.running[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        with self.lock:
            self.running.pop(nodeid, None)

    def pytest_sessionfinish(self) -> None:
        self.over.set()
        self.thread.join(1.0)

    def _report_late(self) -> None:
        wait = self.late_after
        while not self.over.wait(wait):
            report = self.report()
            if report:
                self.write_line("\nThis run is late. Tests still running:\n" + report)
            wait = REPORT_SECONDS if report else RETRY_SECONDS

    def report(self) -> str:
        now = time.monotonic()
        with self.lock:
            tests = sorted(self.running.items(), key=lambda item: item[1])
        return "\n".join(f"  {name} ({now - began:.0f} s)" for name, began in tests)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--late-after",
        type=float,
        default=USUAL_MINUTES * 60.0,
        metavar="SECONDS",
        help="list the running tests every minute once the run takes longer than this",
    )


@pytest.hookimpl(trylast=True)  # pytest registers its reporter at the same time
def pytest_configure(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return  # a worker of pytest-xdist: the first process reports

    def write_line(line: str) -> None:
        reporter.write_line(line)
        reporter.flush()

    progress = Progress(write_line, config.getoption("--late-after"))
    config.pluginmanager.register(progress, "laguna-progress")


def pytest_report_header() -> str:
    return f"the whole suite usually takes up to {USUAL_MINUTES} minutes on two cores"
