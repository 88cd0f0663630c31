"""Metrics of the processes of one start: a directory that they share, and a port that shows it."""

import errno
import os
import sys

from service.cli.errors import CommandError
from service.core.config import Settings
from service.core.private_files import private_directory

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def start_metrics(settings: Settings) -> None:
    """Open the port of LAGUNA_METRICS_PORT, unless the process that started us has done so.

    Must come before the import of anything that counts: the library looks for the directory when
    it is imported. A process that has the port may empty the directory that belongs to it.
    """
    if VARIABLE in os.environ or not settings.metrics_port:
        return
    assert "prometheus_client" not in sys.modules, "it has looked for the directory already"
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
            f"Metrics cannot be served on {host} port {port} ({why}); each of our processes on a "
            "machine needs a LAGUNA_METRICS_PORT of its own, 0 for none."
        ) from error
    for left in directory.glob("*.db"):  # by an earlier process, which had the port
        left.unlink()
