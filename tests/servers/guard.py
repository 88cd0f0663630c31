"""A process between a server and the one who started it, so that the server never outlives it.

However the owner ends, be it by SIGKILL, the guard's standard input ends with it. The guard then
ends the server and removes its folder. It has its own session: Ctrl-C does not reach it.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import threading
from typing import TypedDict

import psutil  # type: ignore[import-untyped]

from tests.servers.tree import kill_tree

GRACE = 10.0


class Order(TypedDict):
    command: list[str]
    environment: dict[str, str]
    home: str
    uid: int | None
    gid: int | None
    last_signal: int


def launch(order: Order) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        order["command"],
        env=order["environment"],
        cwd=order["home"],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        user=order["uid"],
        group=order["gid"],
        extra_groups=None if order["uid"] is None else [],
    )


def main() -> int:
    line = sys.stdin.readline()
    if not line:
        return 1
    order: Order = json.loads(line)
    server = launch(order)
    process = psutil.Process(server.pid)
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(f"{server.pid}\n")
        sys.stdout.flush()
    orphaned = threading.Event()

    def wait_for_the_owner() -> None:
        sys.stdin.read()
        orphaned.set()
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(order["last_signal"])
        timer = threading.Timer(GRACE, kill_tree, [process])
        timer.daemon = True
        timer.start()

    threading.Thread(target=wait_for_the_owner, daemon=True).start()
    code = server.wait()
    if orphaned.is_set():
        shutil.rmtree(order["home"], ignore_errors=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
