"""The service under test: `laguna up` with all its processes, which a run kills one by one."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.servers.guarded import ROOT
from tests.servers.ports import free_port
from tests.servers.tree import PATIENCE, kill_tree, runs, until

SECRET_KEY = "soak-test-0123456789-abcdefghijklmnop"  # noqa: S105
ROLES = ("serve", "work", "beat")


class Service:
    """One run of `laguna up --no-demo` on this database."""

    def __init__(
        self, folder: Path, database_url: str | None, redis_url: str | None, smtp_url: str
    ) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
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

    def kill_one(self, choice: random.Random) -> str | None:
        """SIGKILL to one process at random, parent or child; its role."""
        found = []
        for child in self.tree.children():
            role = next((role for role in ROLES if role in child.cmdline()), None)
            if role is not None and runs(child):
                found += [(role, one) for one in [child, *child.children(recursive=True)]]
        if not found:
            return None
        role, process = choice.choice(found)
        try:
            process.kill()
        except psutil.NoSuchProcess:
            return None
        return role

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
