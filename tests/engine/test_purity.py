"""The engine is pure: standard library only, and no clock, file, environment or network."""

import ast
import subprocess
import sys
from pathlib import Path

from engine.registry import GAME_TYPES

ENGINE = Path(__file__).parents[2] / "engine"
# Compiles the catalogues of other languages with Babel, the only library of the engine.
CATALOGUES = ENGINE / "languages.py"
# Modules that read data files of the package, on first use.
READERS = {CATALOGUES, ENGINE / "murano" / "board.py"}
WORLDLY = {
    "asyncio", "datetime", "glob", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "secrets", "shutil", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time",
    "urllib", "uuid", "zoneinfo",
}  # fmt: skip


def imported(path: Path) -> set[str]:
    """The top-level packages a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add((node.module or "").partition(".")[0])
    return found


def test_the_engine_needs_only_the_standard_library() -> None:
    modules = list(ENGINE.rglob("*.py"))
    assert len(modules) > 20
    for path in modules:
        foreign = imported(path) - set(sys.stdlib_module_names) - {"engine"}
        if path == CATALOGUES:
            foreign -= {"babel"}
        assert not foreign, f"{path} imports {foreign}"


def test_english_needs_no_third_party_library() -> None:
    """The terminal game runs from a checkout, with nothing installed."""
    script = (
        "import sys; sys.modules['babel'] = None\n"
        "from engine.cli.parser import main\n"
        "sys.exit(main(['playthrough', 'millefiori', '--seats', '2']))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=ENGINE.parent, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_rules_know_no_clock_no_files_and_no_other_randomness() -> None:
    for path in ENGINE.rglob("*.py"):
        if path.is_relative_to(ENGINE / "cli") or path.name == "__main__.py" or path in READERS:
            continue
        assert not imported(path) & WORLDLY, f"{path} imports {imported(path) & WORLDLY}"
        names = {n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)}
        assert not names & {"open", "input", "print", "exec", "eval"}, path


IMPORT_ALL = """
import os, sys
root, *modules = sys.argv[1:]
sys.path.insert(0, root)

class Poisoned(dict):
    def refuse(self, *names, **more):
        raise AssertionError(f"the environment was read: {names}")
    __getitem__ = __contains__ = __iter__ = get = keys = items = values = copy = refuse

def watch(event, details):
    if event == "open" and not str(details[0]).endswith((".py", ".pyc")):
        raise AssertionError(f"{details[0]} was opened")

os.rmdir(os.getcwd())
os.environ = os.environb = Poisoned()
sys.addaudithook(watch)
for module in modules:
    __import__(module)
print(len(modules))
"""


def test_importing_the_engine_reads_neither_environment_nor_files(tmp_path: Path) -> None:
    """The environment refuses to be read, the working directory is gone, and a setting names a
    board file that does not exist."""
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    paths = [path.relative_to(ENGINE.parent) for path in ENGINE.rglob("*.py")]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]
    modules = sorted(name for name in names if not name.endswith("__main__"))
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", IMPORT_ALL, str(ENGINE.parent), *modules],
        cwd=nowhere,
        env={"LAGUNA_MURANO_DATA": "/nonexistent.json"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"{len(modules)}\n"), done.stderr


def test_no_game_is_named_outside_its_package_and_the_registry() -> None:
    packages = {game.meta.key for game in GAME_TYPES}
    for path in ENGINE.rglob("*.py"):
        if path.parent.name in packages or path.name == "registry.py":
            continue
        text = path.read_text(encoding="utf-8").lower()
        for package in packages:
            assert package not in text, f"{path} names {package}"
