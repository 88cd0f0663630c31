"""Board files that settings name: used by every web process, and checked before one serves."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.murano.board import own_boards, read_board
from tests.ops.web import Web, serving
from tests.servers.guarded import ROOT

DEFAULT = own_boards()[-1]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_web_processes_use_the_board_of_the_settings(tmp_path: Path, processes: str) -> None:
    board = tmp_path / "board.json"
    board.write_text(json.dumps(DEFAULT.figures | {"sale_gold": [0, 4, 12, 20]}))
    settings = {"LAGUNA_MURANO_DATA": str(board), "LAGUNA_WEB_WORKERS": processes}
    with serving(tmp_path, True, **settings) as web:
        status, body = web.get("/v1/catalogue")
    assert status == 200
    murano = next(one for one in json.loads(body)["games"] if one["game"] == "murano")
    assert murano["options"][0]["default"] == read_board(board.read_text()).key


@pytest.mark.parametrize("command", ["serve", "work", "games"])
def test_a_board_that_cannot_be_read_ends_the_start(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "none.json"
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", command],
        cwd=ROOT,
        env=Web(tmp_path, LAGUNA_MURANO_DATA=str(missing)).environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"LAGUNA_MURANO_DATA: {missing} cannot be used: " in done.stderr
    assert "Traceback" not in done.stderr
