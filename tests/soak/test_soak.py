"""The soak test itself: a short run is clean, and planted faults are found."""

import argparse
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.soak.__main__ import soak
from tests.soak.checks import Account
from tests.soak.client import Client
from tests.soak.findings import Findings
from tests.soak.players import Player
from tests.soak.service import Service
from tests.support.site import Site


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


def test_a_connection_may_break_only_after_a_kill() -> None:
    findings = Findings()
    findings.lost_connection("GET /v1/games")
    findings.judge_lost_connections()
    assert len(findings.violations) == 1
    findings = Findings()
    findings.killed("serve")
    findings.lost_connection("GET /v1/games")
    findings.judge_lost_connections()
    assert findings.violations == []
