"""Memory and idle CPU time of the embedded mode: `laguna up`, at rest and after load.

    python bench/memory.py [--games 40] [--clients 8] [--idle 60]

Prints JSON. Memory is PSS in MB: pages that processes share count once. So many clients play at
the same time, each with one connection; every client plays at least one game.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

BOTS_SECONDS = 0.2  # until bots have answered
ROOT = Path(__file__).parents[1]
READY_SECONDS = 300
MEGABYTE = 1024 * 1024


class Service:
    """`laguna up` on a new database."""

    def __init__(self, data: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
        limits = {
            "LAGUNA_LIMIT_REQUESTS": "1000000 per minute",
            "LAGUNA_LIMIT_RUNNING_GAMES": "999",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "up"],
            cwd=ROOT,
            env=clean | limits | {"LAGUNA_DATA": str(data), "LAGUNA_PORT": str(port)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.tree = psutil.Process(self.process.pid)
        self.token = ""

    def until_ready(self) -> None:
        assert self.process.stdout is not None
        timer = threading.Timer(READY_SECONDS, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            if found := re.search(r"lag_[a-z2-7]+", line):
                self.token = found.group()
            if "Ctrl-C" in line:
                break
        timer.cancel()
        assert self.token, "it did not become ready"

    def processes(self) -> list[Any]:
        return [self.tree, *self.tree.children(recursive=True)]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + path,
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            text = answer.read()
        return json.loads(text) if answer.headers.get_content_subtype() == "json" else text


def role(process: Any) -> str:
    words = process.cmdline()
    if "service.cli" in words:
        return str(words[words.index("service.cli") + 1])
    return "web process" if "--multiprocessing-fork" in words or "-c" in words else "child"


def memory(service: Service) -> dict[str, float]:
    """PSS by role, and of all processes together."""
    found: dict[str, float] = {}
    for process in service.processes():
        size = process.memory_full_info().pss / MEGABYTE
        found[role(process)] = round(found.get(role(process), 0.0) + size, 1)
    return found | {"all": round(sum(found.values()), 1)}


def processor_seconds(service: Service) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in service.processes())


def idle(service: Service, seconds: float) -> dict[str, float]:
    """Share of a core that the service takes when nobody uses it."""
    before, began = processor_seconds(service), time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    return {"core_percent": round(100 * (processor_seconds(service) - before) / took, 2)}


def load(service: Service, games: int, clients: int) -> dict[str, int]:
    """Open games against bots and play a few moves of each, by so many clients at a time; moves
    played, and clients that ended with an error."""
    played = failed = 0
    waiting = list(range(max(games, clients)))
    lock = threading.Lock()

    def play() -> None:
        nonlocal played
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.pop()
            kind = ("millefiori", "murano")[number % 2]
            wanted = {"game": kind, "seats": 2, "bots": 1, "clock": {"kind": "none"}}
            game = service.call("POST", "/v1/games", wanted)["id"]
            for _ in range(6):
                decision = service.call("GET", f"/v1/games/{game}").get("decision")
                if decision is None or decision["revising"]:
                    time.sleep(BOTS_SECONDS)
                    continue
                move = {"decision": decision["id"], "move": decision["moves"][0]["move"]}
                service.call("POST", f"/v1/games/{game}/moves", move)
                service.call("GET", f"/v1/games/{game}/board.png") if number % 4 == 0 else None
                with lock:
                    played += 1

    def client() -> None:
        nonlocal failed
        try:
            play()
        except OSError as error:  # refused, or not answered in time
            print(error, file=sys.stderr)
            with lock:
                failed += 1

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"clients": clients, "moves": played, "failed_clients": failed}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--idle", type=float, default=60.0)
    parser.add_argument("--port", type=int, default=18765)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder) / "data", options.port)
        try:
            service.until_ready()
            rest = memory(service)
            at_idle = idle(service, options.idle)
            done = load(service, options.games, options.clients)
            result = {"at_rest": rest, "idle": at_idle, "load": done, "loaded": memory(service)}
        finally:
            service.process.terminate()
            service.process.wait(60)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
