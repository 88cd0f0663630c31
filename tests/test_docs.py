"""What the documents say can be done, can be done."""

import os
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from engine.cli.parser import build_parser
from engine.contract import GameContract
from service.cli.openapi_config import shown_settings
from service.cli.parser import add_commands
from service.core.config import from_environment

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("engine/*.md")]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands(word: str) -> list[str]:
    found = []
    for page in PAGES:
        for block in blocks(page, "sh"):
            lines = [line.partition("#")[0].partition(">")[0] for line in block.splitlines()]
            found += [line.strip() for line in lines if line.startswith(f"{word} ")]
    return found


LAGUNA = commands("laguna")
assert len(LAGUNA) > 4, "the documents show how the command is used"


@pytest.mark.parametrize("command", LAGUNA)
def test_every_command_in_the_documents_is_understood(command: str) -> None:
    assert build_parser(add_commands).parse_args(shlex.split(command)[1:]).command


def test_the_two_commands_and_their_help_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {word for page in PAGES for word in re.findall(r"make ([a-z]+)`", page.read_text())}
    assert {"up", "test"} <= {command.split()[1] for command in commands("make")}
    for target in named | {"up", "test"}:
        assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), target


def test_every_setting_is_explained_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LAGUNA_")]:
        monkeypatch.delenv(name)
    shown = shown_settings(from_environment(keep_secret=False))
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(LAGUNA_[A-Z_]+)` \|\s*([^|]*?)\s*\|", text, re.MULTILINE))
    assert rows.keys() == shown.keys()
    for name, default in rows.items():
        if default.startswith("`"):
            assert default.strip("`") == shown[name], name
    undecided = {name for name, default in rows.items() if not default}
    assert not any(shown[name] for name in undecided)


def test_links_in_documents_exist() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]*))?\)", text):
            linked = page.parent / target
            assert linked.exists(), f"{page.name} links to {target}"
            if anchor:
                titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in [title.lower().replace(" ", "-") for title in titles], anchor


def test_the_example_of_the_engine_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [example] = blocks(ROOT / "engine" / "README.md", "python")
    exec(compile(example, "engine/README.md", "exec"), {})  # noqa: S102
    assert "r1.t1.keep.s0" in capsys.readouterr().out


def test_the_engine_readme_names_the_whole_contract() -> None:
    text = (ROOT / "engine" / "README.md").read_text(encoding="utf-8")
    names = [name for name in vars(GameContract) if not name.startswith("_")]
    assert len(names) > 20
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    explained = {word for row in rows for word in re.findall(r"\w+", row)}
    assert set(names) <= explained


def test_no_machine_and_no_package_index_is_named() -> None:
    locks = ROOT.glob("constraints*.txt")
    for path in [*locks, ROOT / "pyproject.toml", ROOT / "Makefile", *PAGES]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"index-url|extra-index|/simple\b|/home/|/root/", text), path


PATH = re.compile(r"`((?:[\w.*-]+/)*[\w.*-]+\.(?:py|md|yaml|yml|toml|js|css|json)|(?:[\w.*-]+/)+)`")
NOT_OURS = {"client.yaml", "docker-compose.override.yml", "docker-compose.pinned.yml", "var/"}
NEW_GAME_TYPE = {"board.py", "cards.py", "state.py"}  # of the walk-through in `engine/README.md`


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_named_in_documents_exist(page: Path) -> None:
    """A path is relative to the repository, a package, or the page; a bare name is anywhere."""
    if page.name == "CHANGELOG.md":  # it names files of earlier versions
        return
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    roots = [ROOT, page.parent, ROOT / "service", ROOT / "engine", ROOT / "service" / "mail"]
    missing = [
        name
        for name in PATH.findall(text)
        if name not in NOT_OURS | NEW_GAME_TYPE
        and not any(next(root.glob(name.rstrip("/")), None) for root in roots)
        and not ("/" not in name and bare_names() >= {name})
    ]
    assert missing == []


@cache
def bare_names() -> set[str]:
    packages = ("service", "engine", "worker", "tests", "bench")
    return {path.name for name in packages for path in (ROOT / name).rglob("*.*")}
