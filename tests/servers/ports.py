"""Ports nobody uses."""

import secrets
import socket

# Below what systems give to outgoing connections: a server that is down keeps its port until it
# comes back, and a client that keeps trying cannot by chance be given that port and meet itself.
RANGE = range(12_000, 32_000)


def free_port() -> int:
    """Not from `random`: with the same seed, all workers would choose the same port."""
    while True:
        port = secrets.choice(RANGE)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
