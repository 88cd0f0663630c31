"""However a run ends, its servers end with it; until then all its workers have the same ones."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.servers.guarded import ROOT
from tests.servers.shared import AskedServers, OwnedServers, ServerBroker
from tests.servers.tree import PATIENCE, runs, until

BEGINNING = """
import os, signal
from pathlib import Path

import psutil

from tests.servers import postgres, redis


def note(name, *words):
    Path("unfinished-" + name).write_text(" ".join(map(str, words)))
    os.rename("unfinished-" + name, name)


def pids(postgres_server, redis_server):
    with postgres.connection(postgres_server.url) as database:
        [[backend]] = database.execute("SELECT pg_backend_pid()").fetchall()
        postmaster = psutil.Process(backend).ppid()
    with redis.connection(redis_server.url) as client:
        return postmaster, client.info()["process_id"]
"""
SHARING = """
def test_note_the_servers(postgres_server, redis_server):
    note(os.environ["PYTEST_XDIST_WORKER"], *pids(postgres_server, redis_server))
"""
WAITING = """
def test_wait(postgres_server, redis_server, own_postgres, own_redis):
    own = own_postgres.pid, own_redis.pid
    note("homes", own_postgres.home, own_redis.home)
    note("pids", *pids(postgres_server, redis_server), *own)
    signal.pause()
"""
CRASHING = """
def test_crash(redis_server, own_redis):
    with redis.connection(redis_server.url) as client:
        client.set("pot", "amber")
    note("pids", own_redis.pid)
    os.kill(os.getpid(), signal.SIGKILL)


def test_go_on(redis_server):
    with redis.connection(redis_server.url) as client:
        note("kept", client.get("pot"))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Also the temporary folder of the run within: what SIGKILL leaves there goes with it. A
    short path, for the name of a socket, that everybody may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def ignored_interrupts() -> Iterator[None]:
    """SIGINT is ignored, as in whatever a shell script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def reset_interrupts() -> None:
    """Run in a child before its program starts: a program keeps ignoring what its parent did."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(folder: Path, suite: str, *options: str) -> "subprocess.Popen[bytes]":
    """Like from a terminal: a session of its own, so that a signal can go to all of it."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_suite.py").write_text(BEGINNING + suite)
    plugins = ["-p", "xdist", "-p", "tests.servers.fixtures", "-p", "no:cacheprovider"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    # What else is installed only makes these runs slow.
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *plugins, *options, "test_suite.py"],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=reset_interrupts,
        )


def noted(folder: Path, name: str) -> list[str]:
    assert (folder / name).exists(), (folder / "output").read_text()
    return (folder / name).read_text().split()


def test_two_workers_share_the_servers_which_end_with_the_run(folder: Path) -> None:
    with run(folder, SHARING, "--dist", "each", "--tx", "2*popen") as both:
        assert both.wait(PATIENCE) == 0, (folder / "output").read_text()
    servers = noted(folder, "gw0")
    assert servers == noted(folder, "gw1")
    assert not any(psutil.pid_exists(int(pid)) for pid in servers)


@pytest.mark.parametrize(
    ("ending", "workers"),
    [(signal.SIGINT, "0"), (signal.SIGINT, "1"), (signal.SIGTERM, "0"), (signal.SIGKILL, "1")],
)
@pytest.mark.usefixtures("ignored_interrupts")
def test_an_interrupted_run_leaves_no_server(
    ending: signal.Signals, workers: str, folder: Path
) -> None:
    with run(folder, WAITING, "-n", workers) as waiting:
        until(lambda: (folder / "pids").exists() or waiting.poll() is not None, "a start")
        servers = [psutil.Process(int(pid)) for pid in noted(folder, "pids")]
        os.killpg(waiting.pid, ending)
        waiting.wait(PATIENCE)
    assert len(servers) == 4
    until(lambda: not any(map(runs, servers)), f"the end of {servers}")
    homes = [Path(home) for home in noted(folder, "homes")]
    until(lambda: not any(home.exists() for home in homes), f"the end of {homes}")


def test_a_crashed_worker_loses_its_own_server_and_not_the_shared_one(folder: Path) -> None:
    with run(folder, CRASHING, "-n", "1") as crashed:
        assert crashed.wait(PATIENCE) == pytest.ExitCode.TESTS_FAILED
    assert noted(folder, "kept") == ["amber"]
    [own] = noted(folder, "pids")
    until(lambda: not psutil.pid_exists(int(own)), "the end of the worker's own server")


def test_nothing_starts_before_somebody_asks_and_then_only_what_was_asked_for() -> None:
    owned = OwnedServers()
    before = psutil.Process().children(recursive=True)
    broker = ServerBroker(owned)
    worker = AskedServers(broker.address)
    assert psutil.Process().children(recursive=True) == before
    assert worker.url("redis") == worker.url("redis") == owned.url("redis")
    started = [new for new in psutil.Process().children(recursive=True) if new not in before]
    assert [process.name() for process in started][1:] == ["redis-server"]  # after its guard
    broker.close()
    owned.close()
    assert psutil.Process().children(recursive=True) == before


def test_workers_are_told_why_a_server_did_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: OwnedServers, kind: str) -> str:
        raise PermissionError("not on a Sunday")

    monkeypatch.setattr(OwnedServers, "url", refuse)
    broker = ServerBroker(OwnedServers())
    with pytest.raises(RuntimeError, match="not on a Sunday"):
        AskedServers(broker.address).url("postgres")
    broker.close()
