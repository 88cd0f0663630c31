"""Installs a browser for the tests where none is found and nobody needs to be asked.

`make test` calls this. Where it cannot be done, those tests are skipped and say what to install;
with `LAGUNA_BROWSER_REQUIRED`, as in CI, they fail.
"""

import os
import shutil
import subprocess

from tests.servers.programs import NotInstalled, chromium_program

APT_SECONDS = 600.0  # for one command of the package manager
QUIETLY = ("--quiet", "--yes", "--no-install-recommends")


def install_browser() -> None:
    try:
        chromium_program()
    except NotInstalled:
        if os.geteuid() == 0 and (apt := shutil.which("apt-get")):
            environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(
                [apt, "update", "--quiet"], env=environment, check=False, timeout=APT_SECONDS
            )
            for browser in ("chromium-headless-shell", "chromium"):  # older systems have no shell
                order = [apt, "install", *QUIETLY, browser]
                done = subprocess.run(order, env=environment, check=False, timeout=APT_SECONDS)
                if done.returncode == 0:
                    return


if __name__ == "__main__":
    install_browser()
