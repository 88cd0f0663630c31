"""Production without Docker: the documented units and commands are valid."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cli.parser import build_parser
from service.cli.parser import add_commands

PAGE = (Path(__file__).parents[2] / "docs" / "production.md").read_text(encoding="utf-8")


def unit() -> str:
    [found] = re.findall(r"```systemd\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    installed = tmp_path / "laguna"
    installed.write_text("#!/bin/sh\n")
    installed.chmod(0o755)
    file = tmp_path / "laguna@.service"
    file.write_text(unit().replace("/opt/laguna/venv/bin/laguna", str(installed)))
    done = subprocess.run(
        [program, "verify", "--man=no", str(tmp_path / "laguna@web.service")],
        capture_output=True,
        text=True,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
    )
    about_ours = [line for line in done.stderr.splitlines() if "laguna@" in line]
    assert not about_ours


def test_every_unit_runs_a_command_that_exists_and_has_a_port_of_its_own() -> None:
    rows = re.findall(r"`COMMAND=([^`]+)` and `LAGUNA_METRICS_PORT=(\d+)`", PAGE)
    assert len(rows) == 5
    for command, _ in rows:
        assert build_parser(add_commands).parse_args(shlex.split(command)).command
    assert len({port for _, port in rows}) == len(rows)
    assert "laguna $COMMAND" in unit()
