"""Rules about modules that import-linter does not know: names of games, requests, SQL."""

import ast
import re
from pathlib import Path

import pytest

from engine.registry import GAME_TYPES

ROOT = Path(__file__).parents[1]
SERVICE = ROOT / "service"
NO_TEXT = (".png", ".ttf", ".mo", ".pyc")
EXAMPLES = SERVICE / "api" / "examples.json"  # recorded responses
FILES = sorted(
    path
    for folder in ("service", "worker")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix not in NO_TEXT and path != EXAMPLES
)
MODULES = {path.relative_to(ROOT).as_posix(): path for path in FILES if path.suffix == ".py"}
REQUEST_NAMES = {"request", "make_response", "redirect", "render_template"}
REQUEST_MODULES = (
    "service/api/",
    "service/web/",
    # These wrap every request, whichever of the two answers it.
    "service/app.py",
    "service/core/client_address.py",
    "service/core/etags.py",
    "service/core/telemetry.py",
    "service/core/security_headers.py",
    "service/ops/health.py",
)
# The edges translate between a request, a page or a command and a use case; core has no tables.
WITHOUT_SQL = ("service/api/", "service/web/", "service/cli/", "service/core/", "worker/")
SQL_AT_THE_EDGES = {
    "service/api/idempotency.py",  # the store of answers, used by nothing but the API
    "service/cli/backup.py",  # the tools of an operator for whole databases
    "service/cli/database.py",
    "service/cli/db_copy.py",
}


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_no_game_is_named(game: object) -> None:
    key, title = game.meta.key, game.meta.title  # type: ignore[attr-defined]
    name = re.compile(f"{key}|{title}", re.IGNORECASE)
    assert {".py", ".js", ".css", ".html", ".jinja", ".po"} <= {path.suffix for path in FILES}
    named = [str(path.relative_to(ROOT)) for path in FILES if name.search(path.read_text())]
    assert named == []


def imported_names(path: Path, package: str) -> set[str]:
    """The names a file imports from a package itself, not from its submodules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name == package}
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            found |= {alias.name for alias in node.names}
    return found


def test_only_the_layers_of_http_know_a_request() -> None:
    below = {name: path for name, path in MODULES.items() if not name.startswith(REQUEST_MODULES)}
    assert len(below) > 100
    knowing = [
        name for name, path in below.items() if imported_names(path, "flask") & REQUEST_NAMES
    ]
    assert knowing == []


def test_only_listed_edge_modules_write_sql() -> None:
    """Errors of the database (`sqlalchemy.exc`) may be known everywhere."""
    edges = {name: path for name, path in MODULES.items() if name.startswith(WITHOUT_SQL)}
    writing = {name for name, path in edges.items() if imported_names(path, "sqlalchemy")}
    assert writing == SQL_AT_THE_EDGES
