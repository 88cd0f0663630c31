"""Where the processes of one start put their numbers, so that /metrics shows all of them."""

import os
import shutil

from service.config import Settings
from service.core.private_files import private_directory

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def share_metrics(settings: Settings, empty: bool = True) -> None:
    """Name the directory, unless whoever started us did; must come before the app's import."""
    if VARIABLE in os.environ:
        return
    directory = settings.data.absolute() / "metrics" / str(settings.port)
    if empty:
        shutil.rmtree(directory, ignore_errors=True)
    private_directory(settings.data)
    directory.mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = str(directory)
