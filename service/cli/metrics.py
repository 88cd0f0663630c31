"""Metrics of a process group: a directory that its processes share, and a port to read them."""

import errno
import os
import sys

from service.cli.errors import CommandError
from service.core.config import Settings
from service.core.private_files import private_directory

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def start_metrics(settings: Settings) -> None:
    """Open LAGUNA_METRICS_PORT, unless the parent process has opened it.

    The library reads the directory's name when it is imported, so this must come before. The
    process that has the port may empty the directory.
    """
    if VARIABLE in os.environ or not settings.metrics_port:
        return
    assert "prometheus_client" not in sys.modules, "it is imported already"
    directory = settings.data.absolute() / "metrics" / str(settings.metrics_port)
    os.environ[VARIABLE] = str(directory)
    private_directory(settings.data)
    directory.mkdir(parents=True, exist_ok=True)

    from service.ops.metrics_server import start_metrics_server

    host, port = settings.metrics_host, settings.metrics_port
    try:
        start_metrics_server(host, port, str(directory), settings.metrics_token)
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else os.strerror(error.errno or 0)
        raise CommandError(
            f"Metrics cannot be served on {host} port {port} ({why}); each command on a machine "
            "needs its own LAGUNA_METRICS_PORT, 0 for none."
        ) from error
    for left in directory.glob("*.db"):  # of an earlier process
        left.unlink()
