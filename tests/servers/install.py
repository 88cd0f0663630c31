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
            subprocess.run([apt, "update", "--quiet"], env=environment, check=False)
            for browser in ("chromium-headless-shell", "chromium"):  # older systems have no shell
                order = [apt, "install", *QUIETLY, browser]
                if subprocess.run(order, env=environment, check=False).returncode == 0:
                    return


if __name__ == "__main__":
    install_browser()
