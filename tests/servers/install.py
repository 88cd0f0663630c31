"""Installs a browser for the tests where none is found and nobody needs to be asked.

`make test` calls this. Where it cannot be done, those tests are skipped and say what to install;
with `LAGUNA_BROWSER_REQUIRED`, as in CI, they fail.
"""

import os
import shutil
import subprocess

from tests.servers.programs import NotInstalled, chromium_program

QUIETLY = ("--quiet", "--yes", "--no-install-recommends")


def install_browser() -> None:
    try:
        chromium_program()
    except NotInstalled:
        if os.geteuid() == 0 and (apt := shutil.which("apt-get")):
            environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            for order in ("update", "--quiet"), ("install", *QUIETLY, "chromium"):
                subprocess.run([apt, *order], env=environment, check=False)


if __name__ == "__main__":
    install_browser()
