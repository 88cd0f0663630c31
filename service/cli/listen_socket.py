"""The socket the service listens on, opened first: whether it can be had is known at once."""

import errno
import socket

from service.cli.errors import CommandError
from service.core.config import Settings

BACKLOG = 2048


def listening_socket(settings: Settings) -> socket.socket:
    """A listening socket on LAGUNA_HOST and LAGUNA_PORT; raises CannotDo."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {port} is in use; set LAGUNA_PORT to another one, "
                f"for example: LAGUNA_PORT={port % 65535 + 1} make up"
            ) from error
        if error.errno == errno.EACCES:
            raise CommandError(
                f"Port {port} is not allowed; set LAGUNA_PORT above 1023."
            ) from error
        raise CommandError(
            f"{host} is no address to listen on ({error.strerror}); set LAGUNA_HOST to another."
        ) from error
