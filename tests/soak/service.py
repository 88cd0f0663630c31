"""The service under test: `laguna up` with all its processes, which a run kills one by one."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.servers.guarded import ROOT
from tests.servers.ports import free_port
from tests.servers.tree import PATIENCE, kill_tree, runs, until
from tests.soak.connections import WEB, WEB_RESTART, WEB_SUPERVISOR, Kill

SECRET_KEY = "soak-test-0123456789-abcdefghijklmnop"  # noqa: S105
HONEST_ADDRESS = "127.0.0.1"  # attackers have others
COMMANDS = ("serve", "work", "beat")


class Service:
    """One run of `laguna up --no-demo` on this database."""

    def __init__(
        self, folder: Path, database_url: str | None, redis_url: str | None, smtp_url: str
    ) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://{HONEST_ADDRESS}:{self.port}"
        clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
        clean.pop("PROMETHEUS_MULTIPROC_DIR", None)
        self.env = clean | {
            "LAGUNA_DATA": str(folder),
            "LAGUNA_PORT": str(self.port),
            "LAGUNA_PUBLIC_URL": f"http://localhost:{self.port}",
            "LAGUNA_SECRET_KEY": SECRET_KEY,
            "LAGUNA_SMTP_URL": smtp_url,
            "LAGUNA_MAIL_DELAY": "0",
            "LAGUNA_DATABASE_URL": database_url or f"sqlite:///{folder}/laguna.db",
        }
        if redis_url is not None:
            self.env["LAGUNA_REDIS_URL"] = redis_url
        self.output = (folder / "output").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "up", "--no-demo"],
            cwd=ROOT,
            env=self.env,
            stdout=self.output,
            stderr=self.output,
            start_new_session=True,
        )
        self.tree = psutil.Process(self.process.pid)

    def until_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, (self.folder / "output").read_text()
            return "Laguna is ready" in (self.folder / "output").read_text()

        until(ready, "a service that is ready")

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Another command of ours with the same settings."""
        return subprocess.run(
            [sys.executable, "-m", "service.cli", *words],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 3,
            check=False,
        )

    def kill_one(self, choice: random.Random) -> Kill | None:
        """SIGKILL to one process, parent or child; each command is as likely as the others."""
        try:
            running = self._commands()
            if not running:
                return None
            command = choice.choice(sorted({command for command, _ in running}))
            parent = choice.choice([child for name, child in running if name == command])
            process = choice.choice([parent, *parent.children(recursive=True)])
            _suspend(process)  # it accepts no connection between the list and the kill
        except psutil.NoSuchProcess:
            return None
        try:
            role = _role(command, parent, process)
            ports = self._honest_ports(process) if role == WEB else frozenset()
            stops = _workers(process) if role == WEB_SUPERVISOR else []
            kill = Kill(time.monotonic(), role, ports)
            process.kill()
        except psutil.NoSuchProcess:  # a process beside it has just ended
            process.resume()
            return None
        return _until_stopped(kill, stops)

    def restart_web(self) -> Kill | None:
        """Have all web processes replaced; None if there is only one, without a supervisor."""
        try:
            for command, child in self._commands():
                if command == "serve" and (workers := _workers(child)):
                    restart = Kill(time.monotonic(), WEB_RESTART)
                    child.send_signal(signal.SIGHUP)
                    return _until_stopped(restart, workers)
        except psutil.NoSuchProcess:
            pass
        return None

    def _commands(self) -> list[tuple[str, psutil.Process]]:
        """The running commands of `laguna up`."""
        return [
            (command, child)
            for child in self.tree.children()
            for command in COMMANDS
            if runs(child) and command in child.cmdline()
        ]

    def _honest_ports(self, process: psutil.Process) -> frozenset[int]:
        """The other ends of its connections from the address of the honest clients."""
        return frozenset(
            one.raddr.port
            for one in process.net_connections("tcp")
            if one.raddr and one.raddr.ip == HONEST_ADDRESS and one.laddr.port == self.port
        )

    def stop(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.clear()

    def clear(self) -> None:
        if self.process.poll() is None:
            kill_tree(self.tree)
            self.process.wait(PATIENCE)
        self.output.close()

    def errors(self) -> list[dict[str, Any]]:
        """Lines of the log of level error or worse."""
        found = []
        for log in sorted(self.folder.glob("laguna.log*")):
            for line in log.read_text(errors="replace").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    entry = {"level": "error", "event": line}
                if entry.get("level") in ("error", "critical"):
                    found.append(entry)
        return found


def _suspend(process: psutil.Process) -> None:
    process.suspend()
    until(
        lambda: not runs(process) or process.status() == psutil.STATUS_STOPPED,
        f"the stop of {process}",
    )


def _role(command: str, parent: psutil.Process, process: psutil.Process) -> str:
    """The part of a process in the command that started it."""
    if command != "serve":
        return command
    if _is_tracker(process):
        return "resource tracker"
    return WEB_SUPERVISOR if process == parent and _workers(parent) else WEB


def _is_tracker(process: psutil.Process) -> bool:
    """Whether it is a helper of `multiprocessing` that serves nothing."""
    return any("resource_tracker" in word for word in process.cmdline())


def _workers(supervisor: psutil.Process) -> list[psutil.Process]:
    """The running processes of a supervisor; one that was killed stays a zombie for a moment."""
    return [child for child in supervisor.children() if runs(child) and not _is_tracker(child)]


def _until_stopped(kill: Kill, processes: list[psutil.Process]) -> Kill:
    if not processes:
        return kill
    until(lambda: not any(map(runs, processes)), "the end of the old web processes")
    return replace(kill, stopped=time.monotonic())
