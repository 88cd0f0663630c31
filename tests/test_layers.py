"""Who may know what: the service and the worker serve games without knowing any."""

import ast
import re
from pathlib import Path

import pytest

from engine.registry import GAME_TYPES

ROOT = Path(__file__).parents[1]
NO_TEXT = (".png", ".ttf", ".mo", ".pyc")
EXAMPLES = ROOT / "service" / "api" / "examples.json"  # recorded responses
FILES = sorted(
    path
    for folder in ("service", "worker")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix not in NO_TEXT and path != EXAMPLES
)
SERVICE = ROOT / "service"
# The web layers may use Flask's request; what they call must not know that there is one.
OF_REQUESTS = {"request", "make_response", "redirect", "render_template"}


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_no_game_is_named(game: object) -> None:
    key, title = game.meta.key, game.meta.title  # type: ignore[attr-defined]
    name = re.compile(f"{key}|{title}", re.IGNORECASE)
    assert {".py", ".js", ".css", ".html", ".jinja", ".po"} <= {path.suffix for path in FILES}
    named = [str(path.relative_to(ROOT)) for path in FILES if name.search(path.read_text())]
    assert named == []


def imports(path: Path) -> set[tuple[str, str]]:
    """(module, name) of everything a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "", alias.name) for alias in node.names}
    return found


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in FILES
        if path.suffix == ".py"
        and path.is_relative_to(SERVICE)
        and path.relative_to(SERVICE).parts[0] not in ("api", "web")
    ],
    ids=lambda path: path.relative_to(SERVICE).with_suffix("").as_posix(),
)
def test_functions_of_the_service_know_no_request(path: Path) -> None:
    """Only the API, the pages and what is wrapped around both may look at a request."""
    around = (
        "core/telemetry.py",
        "core/security_headers.py",
        "core/etags.py",
        "core/client_address.py",
        "ops/health.py",
        "app.py",
    )
    if path.relative_to(SERVICE).as_posix() in around:
        return
    assert not {name for module, name in imports(path) if module == "flask"} & OF_REQUESTS


def test_the_worker_has_no_statements_of_its_own() -> None:
    for path in (ROOT / "worker").glob("*.py"):
        modules = {module for module, _ in imports(path)}
        assert not {module for module in modules if module in ("sqlalchemy", "sqlalchemy.orm")}
        assert not {module for module in modules if module.startswith("service.db.models")}


def test_the_service_does_not_know_the_worker() -> None:
    for path in FILES:
        if path.suffix == ".py" and path.is_relative_to(SERVICE):
            lazy = path.is_relative_to(SERVICE / "cli")  # the command starts both
            assert lazy or not any(module.startswith("worker") for module, _ in imports(path))
