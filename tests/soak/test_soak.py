"""The soak test itself: a short run is clean, and planted faults are found."""

import argparse
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, cast

import pytest

from service.core.config import Limits
from tests.soak.__main__ import soak
from tests.soak.checks import Account
from tests.soak.client import REQUEST_SECONDS, Client
from tests.soak.connections import WEB, WEB_RESTART, WEB_SUPERVISOR, Kill, Loss, Verdict
from tests.soak.findings import Findings
from tests.soak.followers import RECONNECT_SECONDS
from tests.soak.players import Player
from tests.soak.service import Service
from tests.support.site import Site
from tests.worker.sink import Sink


@pytest.mark.long
def test_a_short_run_loses_nothing() -> None:
    options = argparse.Namespace(minutes=0.2, players=2, attackers=20, kill_seconds=4.0)
    findings = soak("sqlite", options, seed=1)
    assert findings.violations == []
    assert findings.counts["moves checked"] > 0
    assert findings.counts["audits passed"] == 1


def test_a_lost_a_foreign_and_a_changed_move_are_found(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    game_id = site.game_of(anna, ben)
    decision = anna.sees(game_id)["decision"]
    anna.plays(game_id)
    made = decision["moves"][0]["move"]

    def violations(played: dict[tuple[str, str], Any]) -> list[str]:
        findings = Findings()
        env = {"LAGUNA_DATABASE_URL": site.settings.database_url}
        account = Account(cast(Service, SimpleNamespace(env=env)), findings)
        client = Client("http://localhost", "", findings, threading.Event())
        player = Player(client, "player", [], 0)
        player.played = played
        account.check_moves([player])
        account.close()
        client.close()
        return [found.partition(":")[0] for found in findings.violations]

    right = (game_id, decision["id"])
    assert violations({right: made}) == []
    assert violations({right: made, (game_id, "r9.t9.keep.s0"): made}) == ["move lost"]
    assert violations({}) == ["move nobody made"]
    assert violations({right: {"type": "other"}}) == ["other move stored"]


@pytest.mark.parametrize(
    ("state", "reason", "times", "kills", "found"),
    [
        ("sent", None, 1, 0, 0),
        ("skipped", "moved", 0, 0, 0),
        ("sent", None, 0, 1, 1),
        ("skipped", "moved", 1, 1, 1),
        ("dead", None, 0, 1, 1),
        ("sent", None, 2, 1, 0),
        ("sent", None, 2, 0, 1),
        ("sent", "unconfirmed", 0, 1, 0),
        ("sent", "unconfirmed", 0, 0, 1),
        ("sent", "unconfirmed", 1, 0, 0),
    ],
)
def test_a_mail_may_be_missing_or_repeated_only_after_a_kill(
    monkeypatch: pytest.MonkeyPatch,
    state: str,
    reason: str | None,
    times: int,
    kills: int,
    found: int,
) -> None:
    findings = Findings()
    for _ in range(kills):
        findings.killed(Kill(1.0, "work"))
    env = {"LAGUNA_DATABASE_URL": "sqlite://"}
    account = Account(cast(Service, SimpleNamespace(env=env)), findings)
    row = SimpleNamespace(id="letter", state=state, reason=reason)
    monkeypatch.setattr(account, "rows", lambda query: [row])
    arrived = Counter({"<letter.1@localhost>": times} if times else {})
    account.check_mails(cast(Sink, SimpleNamespace(times=lambda: arrived)))
    account.close()
    assert len(findings.violations) == found


KILL = Kill(at=10.0, role=WEB, ports=frozenset({5000, 5001}))
UNDER_WAY = Loss("GET /v1/games", began=9.0, at=10.1, opened=9.0, port=5000)
IDLE = replace(UNDER_WAY, opened=5.0, began=10.05, reused=True)
STREAM = replace(UNDER_WAY, opened=1.0, began=1.0, answered=True)
STOPPED = replace(IDLE, began=12.0, at=12.1)
SUPERVISOR_KILL = Kill(at=10.0, role=WEB_SUPERVISOR, stopped=15.0)


@pytest.mark.parametrize(
    ("loss", "kill", "verdict"),
    [
        (UNDER_WAY, KILL, Verdict.KILLED),
        (STREAM, KILL, Verdict.KILLED),
        (replace(UNDER_WAY, opened=5.0, reused=True), KILL, Verdict.KILLED),
        (IDLE, KILL, Verdict.KILLED_IDLE),
        (STOPPED, SUPERVISOR_KILL, Verdict.STOPPED_IDLE),
        (STOPPED, replace(SUPERVISOR_KILL, role=WEB_RESTART), Verdict.STOPPED_IDLE),
        # No kill, or one of another process
        (UNDER_WAY, None, Verdict.UNEXCUSED),
        (UNDER_WAY, replace(KILL, role="work"), Verdict.UNEXCUSED),
        (UNDER_WAY, replace(KILL, role="postgres"), Verdict.UNEXCUSED),
        (UNDER_WAY, replace(KILL, role="resource tracker"), Verdict.UNEXCUSED),
        (replace(UNDER_WAY, port=5002), KILL, Verdict.UNEXCUSED),
        (replace(STREAM, port=5002), KILL, Verdict.UNEXCUSED),
        # A kill before the connection, or after the loss
        (replace(UNDER_WAY, opened=10.2, began=10.2, at=10.3), KILL, Verdict.UNEXCUSED),
        (replace(UNDER_WAY, at=9.9), KILL, Verdict.UNEXCUSED),
        # A request after the kill on a connection that had begun to answer it
        (replace(IDLE, answered=True), KILL, Verdict.UNEXCUSED),
        # A refused connection, or a response that did not come
        (replace(UNDER_WAY, port=None), KILL, Verdict.UNEXCUSED),
        (replace(UNDER_WAY, timeout=True), KILL, Verdict.UNEXCUSED),
        # Web processes that stop answer the requests under way
        (UNDER_WAY, SUPERVISOR_KILL, Verdict.UNEXCUSED),
        (STREAM, SUPERVISOR_KILL, Verdict.UNEXCUSED),
        (replace(STOPPED, reused=False), SUPERVISOR_KILL, Verdict.UNEXCUSED),
        (replace(STOPPED, answered=True), SUPERVISOR_KILL, Verdict.UNEXCUSED),
        (replace(STOPPED, at=9.9), SUPERVISOR_KILL, Verdict.UNEXCUSED),
        (replace(STOPPED, at=15.1), SUPERVISOR_KILL, Verdict.UNEXCUSED),
    ],
)
def test_a_connection_may_break_only_with_the_process_that_held_it(
    loss: Loss, kill: Kill | None, verdict: Verdict
) -> None:
    findings = Findings()
    if kill is not None:
        findings.killed(kill)
    findings.lost(loss)
    findings.judge_losses()
    assert findings.counts == {verdict.value: 1}
    assert len(findings.violations) == (verdict is Verdict.UNEXCUSED)


class Answers(BaseHTTPRequestHandler):
    """Answers with the status in the path; `/break` hangs up instead."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/break":
            self.close_connection = True
            return
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_loss_names_the_connection_that_broke(server: str) -> None:
    findings, stop = Findings(), threading.Event()
    stop.set()  # one try
    client = Client(server, "token", findings, stop)
    assert client.call("GET", "/break") is None
    assert client.call("GET", "/200") is not None
    assert client.call("GET", "/break") is None
    client.close()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = Client(f"http://127.0.0.1:{closed.getsockname()[1]}", "token", findings, stop)
    assert nobody.call("GET", "/200") is None
    nobody.close()
    new, reused, refused = findings.losses
    assert (new.reused, reused.reused, refused.reused) == (False, True, False)
    assert new.port is not None
    assert reused.port not in (None, new.port)
    assert refused.port is None
    assert new.opened < reused.opened < reused.began < reused.at


def test_limiting_an_honest_client_is_a_violation(server: str) -> None:
    findings, stop = Findings(), threading.Event()
    stop.set()
    client = Client(server, "token", findings, stop)
    client.call("GET", "/429")
    client.call("GET", "/503")
    client.close()
    assert [found[:18] for found in findings.violations] == ["GET /429: 429 ", "GET /503: 503 with"]


def test_requests_of_a_person_stay_below_the_limit() -> None:
    amount, _, minute = Limits().requests.partition(" per ")
    assert minute == "minute"
    assert int(amount) > 60 / REQUEST_SECONDS + 60 / RECONNECT_SECONDS
