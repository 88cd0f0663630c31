"""Processes and commands import only what they need: memory and start-up time follow from it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"flask", "sqlalchemy", "celery", "alembic", "PIL", "icalendar", "limits", "redis"}


def imported(module: str) -> set[str]:
    """Top-level packages, and modules of ours, that are there once this one is imported."""
    program = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names: list[str] = json.loads(done.stdout)
    return set(names)


@pytest.mark.parametrize("module", ["service.cli", "service.cli.up", "service.cli.running"])
def test_the_supervisor_and_the_command_line_import_none_of_the_service(module: str) -> None:
    found = imported(module)
    assert not HEAVY & found
    assert not {"service.app", "service.database", "engine.registry"} & found


def test_status_imports_the_tables_and_neither_the_web_nor_the_worker() -> None:
    found = imported("service.cli.status, worker.schedule")
    unneeded = {"celery", "PIL", "icalendar", "redis", "aiosmtpd", "flask_smorest", "limits"}
    assert not unneeded & found
    assert not {"service.app", "service.api", "service.web", "service.mailing"} & found
