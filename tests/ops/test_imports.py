"""Processes and commands import only what they need: memory and start-up time follow from it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"flask", "sqlalchemy", "celery", "alembic", "PIL", "icalendar", "limits", "redis"}


def modules_after(program: str, data: Path | None = None) -> set[str]:
    """Modules that are there once this program has run, on SQLite."""
    program += "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={} if data is None else {"LAGUNA_DATA": str(data)},
        capture_output=True,
        text=True,
        check=True,
    )
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return set(names)


def after_commands(data: Path, *commands: Sequence[str]) -> set[str]:
    program = f"from service.cli import main; [main(one) for one in {commands!r}]"
    return modules_after(program, data)


@pytest.mark.parametrize("module", ["service.cli", "service.cli.up", "service.cli.processes"])
def test_the_supervisor_and_the_command_line_import_none_of_the_service(module: str) -> None:
    found = modules_after(f"import {module}")
    assert not HEAVY & found
    assert not {"service.app", "service.db.session", "engine.registry"} & found


def test_a_command_without_games_does_not_import_them(tmp_path: Path) -> None:
    found = after_commands(tmp_path, ["beat"])  # which refuses without Redis
    assert not HEAVY & found
    assert "engine.registry" not in found


def test_status_imports_the_tables_and_neither_the_web_nor_the_worker(tmp_path: Path) -> None:
    after_commands(tmp_path, ["db", "upgrade"])
    found = after_commands(tmp_path, ["status"], ["status", "--queues", "mail"])
    assert "service.db.models" in found
    assert not (HEAVY - {"flask", "sqlalchemy"}) & found
    assert not {"psycopg", "aiosmtpd", "flask_smorest"} & found
    assert not {"service.app", "service.api", "service.web", "service.mail.outgoing.sender"} & found
    assert "engine.registry" not in found
