"""Schemathesis over the whole contract: all phases, with a token, against a live server."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.clients.live import LiveSite
from tests.servers.guarded import ROOT

# These would end the run for everything after them.
LEFT_OUT = ("deleteMyAccount", "endSession", "revokeToken")
CHECKS = "--exclude-checks=positive_data_acceptance"  # `hooks` has a stricter one of our own
# Answers to data that breaks the schema: the usual ones, and 413, since a body is refused unread if
# it is larger than its operation allows.
REFUSALS = [
    "400",
    "401",
    "403",
    "404",
    "405",
    "406",
    "409",
    "413",
    "415",
    "422",
    "428",
    "429",
    "5xx",
]
NOTHING: Mapping[str, str] = MappingProxyType({})
# Where it makes a difference which games there are.
ABOUT_GAMES = "^/v1/(games|tables|decisions|events|invitations|people)"


def schemathesis(
    site: LiveSite,
    token: str,
    folder: Path,
    *options: str,
    fixed: Mapping[str, str] = NOTHING,
    examples: int = 6,
) -> str:
    """Run it; all it printed. Fails if it found anything."""
    config = folder / "schemathesis.toml"
    config.write_text(
        "\n".join(
            [
                "[[operations]]",
                'include-operation-id = "listEvents"',
                "parameters = { wait = 0 }",
                "[parameters]",
                *(f'"{name}" = "{value}"' for name, value in fixed.items()),
                "[checks.negative_data_rejection]",
                f"expected-statuses = {REFUSALS}",
            ]
        )
    )
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            "--config-file",
            config,
            "run",
            ROOT / "openapi.yaml",
            "--url",
            site.url,
            "--header",
            f"Authorization: Bearer {token}",
            CHECKS,
            "--suppress-health-check=all",
            "--request-timeout=30",
            f"--max-examples={examples}",
            "--no-color",
            *[f"--exclude-operation-id={name}" for name in LEFT_OUT],
            *options,
        ],
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.contract.hooks", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    found = run.stdout.partition("= FAILURES =")[2] or run.stdout
    assert run.returncode == 0, found[:6000] + run.stderr[-2000:]
    return run.stdout


@pytest.mark.long
def test_schemathesis_finds_nothing(live_site: LiveSite, tmp_path: Path) -> None:
    """Ids from the air and from links: every phase of every operation."""
    token = live_site.inside.person("Alice").token
    assert token is not None
    printed = schemathesis(live_site, token, tmp_path)
    for phase in ("Examples", "Coverage", "Fuzzing", "Stateful"):
        assert f"✅ {phase}" in printed, printed[-3000:]


@pytest.mark.long
@pytest.mark.parametrize("status", ["open", "running", "finished"])
def test_schemathesis_finds_nothing_at_a_real_table(
    live_site: LiveSite, tmp_path: Path, status: str
) -> None:
    """The same with a game that is there, so that what is behind the door is tried too."""
    alice, bob = live_site.inside.people("Alice", "Bob")
    game_id = alice.opens(seats=3, bots=1)["id"]
    if status != "open":
        bob.joins(game_id)
    if status == "finished":
        for player in (alice, bob):
            player.put(f"/v1/games/{game_id}/end-offer")
    assert alice.sees(game_id)["status"] == status
    assert alice.token is not None
    schemathesis(
        live_site,
        alice.token,
        tmp_path,
        f"--include-path-regex={ABOUT_GAMES}",
        "--phases=examples,coverage,fuzzing",
        fixed={"path.game_id": game_id, "path.person_id": bob.id()},
        examples=3,
    )
