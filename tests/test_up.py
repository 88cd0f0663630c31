"""`laguna up` as a newcomer meets it: a real process on a real port."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tests.servers.ports import free_port
from tests.servers.tree import PATIENCE, kill_tree, runs, until

ROOT = Path(__file__).parents[1]


class Up:
    """One run of the command on a data directory."""

    def __init__(
        self, data: Path, port: str | None = None, command: str = "up", **own: str
    ) -> None:
        self.port = port or str(free_port())
        clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
        clean.pop("PROMETHEUS_MULTIPROC_DIR", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", command],
            cwd=ROOT,
            env={
                **clean,
                "LAGUNA_DATA": str(data),
                "LAGUNA_PORT": self.port,
                "LAGUNA_MAIL_IN": f"lmtp://127.0.0.1:{free_port()}",
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.tree = psutil.Process(self.process.pid)
        self.out, self.err = "", ""
        self.readers = [
            threading.Thread(target=self._read, args=("out", self.process.stdout)),
            threading.Thread(target=self._read, args=("err", self.process.stderr)),
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, name: str, stream: Any) -> None:
        for line in stream:
            setattr(self, name, getattr(self, name) + line)
        stream.close()

    def until_ready(self) -> "Up":
        until(lambda: "Ctrl-C" in self.out or self.process.poll() is not None, "its greeting")
        assert self.process.poll() is None, self.err
        return self

    def child(self, word: str) -> Any:
        """The process of the web half or of the worker."""
        found = [one for one in self.tree.children() if runs(one) and word in one.cmdline()]
        return found[0] if found else None

    def everybody(self) -> list[Any]:
        return [self.tree, *self.tree.children(recursive=True)]

    def secret(self, prefix: str) -> str:
        match = re.search(rf"{prefix}[a-z2-7]+", self.out)
        assert match, self.out
        return match.group()

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        if token is not None:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return json.loads(answer.read())

    def ready(self) -> bool:
        try:
            return bool(self.call("GET", "/readyz")["ready"])
        except OSError:
            return False

    def ended(self) -> int:
        """The exit code, once it has ended and said everything."""
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join(5)
        return code

    def clear(self) -> None:
        if self.process.poll() is None:
            kill_tree(self.tree)
        self.ended()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Up]]:
    """Runs that are ended when the test is, whatever happened."""
    ups: list[Up] = []
    yield ups
    for up in ups:
        up.clear()


def test_a_newcomer_signs_in_plays_survives_crashes_and_stops(
    started: list[Up], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    up = Up(data)
    started.append(up)
    up.until_ready()
    assert f"http://localhost:{up.port}/sign-in/in_" in up.out
    assert "sign-in-link newcomer@localhost" in up.out
    assert up.ready()

    # The link signs in, once; the token of the curl line works too.
    session = up.call("POST", "/v1/sessions", {"link": up.secret("in_")})
    assert session["account"]["name"] == "Newcomer"
    with pytest.raises(urllib.error.HTTPError, match="422"):
        up.call("POST", "/v1/sessions", {"link": up.secret("in_")})
    token = up.secret("lag_")
    game_id = _play_and_see_bots_answer(up, token)

    def takes_mails() -> int:
        """How often somebody has begun to take mails in."""
        return (data / "laguna.log").read_text().count('"mail_in_started"')

    # What is killed comes back, and the game goes on.
    until(lambda: takes_mails() == 1, "somebody who takes mails")
    for word in ("work", "serve", "mail-in"):
        killed = up.child(word)
        family = [killed, *killed.children(recursive=True)]
        killed.send_signal(signal.SIGKILL)
        until(lambda family=family: not any(map(runs, family)), "the end of all of it")  # type: ignore[misc]
        until(lambda word=word: up.child(word) is not None, f"{word} again")  # type: ignore[misc]
    until(up.ready, "ready again")
    assert _play_and_see_bots_answer(up, token) == game_id
    assert "worker process ended (signal 9)" in up.err
    assert "web process ended (signal 9)" in up.err

    until(lambda: takes_mails() == 2, "somebody who takes mails again")
    everybody = up.everybody()
    assert len(everybody) >= 4  # the supervisor, web, worker and mail-in
    up.process.send_signal(signal.SIGINT)
    assert up.ended() == 0
    until(lambda: not any(map(runs, everybody)), "no process left")
    log = (data / "laguna.log").read_text()
    assert "worker_started" in log
    assert up.secret("in_") not in log + up.err
    assert token not in log + up.err
    assert "Traceback" not in log + up.err

    # Starting again goes on with the same game.
    again = Up(data, up.port)
    started.append(again)
    again.until_ready()
    waiting = again.call("GET", "/v1/decisions", token=again.secret("lag_"))["items"]
    assert {one["game"] for one in waiting} == {game_id}
    assert again.call("GET", "/v1/me", token=session["token"])["name"] == "Newcomer"

    # Who kills the supervisor kills all of it.
    everybody = again.everybody()
    again.process.kill()
    until(lambda: not any(map(runs, everybody)), "no process left")


def _play_and_see_bots_answer(up: Up, token: str) -> str:
    """Answer what waits; the bots answer too and the next decision comes. The game's id."""

    def waiting() -> Any:
        items = up.call("GET", "/v1/decisions", token=token)["items"]
        return items[0] if items else None

    def asked_after(number: int) -> bool:
        """Wait for the next events, and return whether one of them opens a decision."""
        events = up.call("GET", f"/v1/events?after={number}&wait=5", token=token)["items"]
        return any(event["type"] == "decision.opened" for event in events)

    last = up.call("GET", "/v1/events?limit=500", token=token)["last"]
    first = waiting()
    game = up.call("GET", f"/v1/games/{first['game']}", token=token)
    move = {"decision": game["decision"]["id"], "move": game["decision"]["moves"][0]["move"]}
    up.call("POST", f"/v1/games/{first['game']}/moves", move, token)
    until(lambda: asked_after(last), "the bots' answers")
    assert waiting()["decision"] != first["decision"]
    return str(first["game"])


def test_a_failed_start_prints_its_reason(started: list[Up], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        started += [
            Up(tmp_path / "a", port),
            Up(tmp_path / "file" / "data"),
            Up(tmp_path / "b", "many"),
        ]
        codes = [up.ended() for up in started]
    assert codes == [2, 2, 2]
    errors = [up.err for up in started]
    assert f"Port {port} is in use; set LAGUNA_PORT to another one" in errors[0]
    assert "LAGUNA_DATA is" in errors[1]
    assert "LAGUNA_PORT: Not a valid integer." in errors[2]
    for up in started:
        assert "Traceback" not in up.err
        assert up.out == ""


def test_two_starts_on_the_same_new_data_do_not_collide(started: list[Up], tmp_path: Path) -> None:
    started += [Up(tmp_path / "data"), Up(tmp_path / "data")]
    games = []
    for up in started:
        up.until_ready()
    session = started[0].call("POST", "/v1/sessions", {"link": started[0].secret("in_")})
    for up in started:
        items = up.call("GET", "/v1/games", token=session["token"])["items"]
        games.append([one["id"] for one in items])
    assert games[0] == games[1]
    assert len(games[0]) == 1
    for up in started:
        up.process.send_signal(signal.SIGTERM)
    assert [up.ended() for up in started] == [0, 0]


def test_the_web_half_alone_is_alive_but_not_ready_without_tables(
    started: list[Up], tmp_path: Path
) -> None:
    web = Up(tmp_path / "data", command="serve")
    started.append(web)

    def alive() -> bool:
        try:
            return bool(web.call("GET", "/healthz")["status"] == "ok")
        except OSError:
            return False

    until(alive, "an answer")
    with pytest.raises(urllib.error.HTTPError, match="503"):
        web.call("GET", "/readyz")
    web.process.send_signal(signal.SIGTERM)
    assert web.ended() == 0
