"""Dependencies are pinned with hashes, for running and for development."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
NEEDED = {
    "constraints.txt": ["build"],
    "constraints-dev.txt": ["build", "dev"],
    "constraints-bench.txt": ["build", "bench"],
}
PIN = re.compile(r"^([\w.-]+)==(\S+?)(?: ; (.+?))? \\$")


def pins(file: str) -> dict[str, set[str]]:
    """The versions by name; more than one if they differ by platform."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / file).read_text().splitlines():
        if match := PIN.match(line):
            found.setdefault(canonicalize_name(match[1]), set()).add(match[2])
    return found


@pytest.mark.parametrize("file", NEEDED)
def test_every_dependency_that_is_named_is_pinned(file: str) -> None:
    named = [*PROJECT["project"]["dependencies"], *(n for e in NEEDED[file] for n in EXTRAS[e])]
    missing = {canonicalize_name(Requirement(line).name) for line in named} - pins(file).keys()
    assert not missing, "run `make lock`"


@pytest.mark.parametrize("file", NEEDED)
def test_every_pin_has_a_hash_and_nothing_else_stands_there(file: str) -> None:
    text = (ROOT / file).read_text()
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    for entry in entries:
        head, *hashes = entry.split("\n")
        assert PIN.match(head), f"{head}: run `make lock`"
        assert hashes
        for line in hashes:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line), entry


def test_development_runs_on_the_versions_of_production() -> None:
    runtime = pins("constraints.txt")
    for file in NEEDED:
        found = pins(file)
        assert {name: found.get(name) for name in runtime} == runtime, "run `make lock`"


def test_the_package_is_built_by_the_pinned_setuptools() -> None:
    assert PROJECT["build-system"]["requires"] == EXTRAS["build"]
    [line] = EXTRAS["build"]
    name, version = line.split("==")
    assert pins("constraints.txt")[name] == {version}


def test_make_and_the_image_install_with_hashes_only() -> None:
    makefile, dockerfile = ((ROOT / name).read_text() for name in ("Makefile", "Dockerfile"))
    for text in (makefile.replace("$(PIP_INSTALL)", "pip install"), dockerfile):
        installs = re.findall(r"pip (?:--python \S+ )?install (--.*)", text.replace("\\\n", " "))
        installs = [words for words in installs if "--quiet --disable" not in words]
        assert len(installs) >= 2
        for words in installs:
            assert "--require-hashes" in words or {"--no-deps", "--no-build-isolation"} <= set(
                words.split()
            ), words
