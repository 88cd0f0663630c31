"""What is installed without the source tree is complete."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from service.api.openapi import EXAMPLES

ROOT = Path(__file__).parents[1]
INSTALLED = ("engine", "service", "worker", "migrations")
# For those who work on the source tree.
FOR_US = {"engine/README.md", "migrations/script.py.mako"}


def files_in(place: Path) -> set[str]:
    return {
        str(path.relative_to(place))
        for folder in INSTALLED
        for path in (place / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_file_that_the_programs_read_is_installed_with_them(tmp_path: Path) -> None:
    built = tmp_path / "built"
    steps = ["egg_info", "--egg-base", str(tmp_path), "build_py", "--build-lib", str(built)]
    subprocess.run(
        [sys.executable, "-c", "import setuptools; setuptools.setup()", "--quiet", *steps],
        cwd=ROOT,
        check=True,
    )
    assert files_in(built) == files_in(ROOT) - FOR_US


def test_no_program_reads_a_file_outside_its_package() -> None:
    """What lies beside the packages is missing where they are installed."""
    assert EXAMPLES.is_relative_to(ROOT / "service")
    assert EXAMPLES.is_file()
    beside = {"docs", "tests", "bench", "README.md", "openapi.yaml"}
    for folder in INSTALLED:
        for path in (ROOT / folder).rglob("*.py"):
            named = re.findall(r"parents\[\d\] / \"([\w.]+)\"", path.read_text(encoding="utf-8"))
            assert not beside & set(named) or path.name == "openapi_config.py", path


def test_the_version_is_the_newest_release_of_the_changelog() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert releases[0] == project["version"]
    assert f"--branch v{releases[0]} " in (ROOT / "docs/production.md").read_text(encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "service.cli", "--version"], cwd=ROOT, capture_output=True, text=True
    )
    assert told.stdout == f"laguna {project['version']}\n"
