"""The web server: uvicorn with our settings, on a listening socket that is already open.

Several processes run under uvicorn's supervisor, which restarts those that die and replaces them
one by one at SIGHUP: the socket stays open, and new processes run the program as it is installed
then.
"""

import logging
import multiprocessing
import os
import re
import resource
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import structlog
import uvicorn
from uvicorn.supervisors import Multiprocess

from engine.cli.board_files import use_board_files
from service.core.config import Settings
from service.core.signing import without_signed_ids
from service.core.stop_signal import end_after
from service.core.telemetry import configure_logging

if TYPE_CHECKING:
    from service.ops.asgi import Bridge

log = structlog.get_logger()

Build = Callable[[Settings], "Bridge"]
CONNECTION_CLASS = "service.ops.connections:Connection"
EXIT_SECONDS = 6.0  # after the last response, for threads that do not end
GRACE = 5  # seconds for requests under way; those that wait for events end at once
START_SECONDS = 60  # within which a new process must serve, and a running one show life
BACKLOG = 2048
SEND_BUFFER = 64 * 1024  # bytes of a connection; the kernel doubles it
UNACKNOWLEDGED_MS = 60_000  # after which a connection without acknowledgements ends
KEEP_ALIVE = 10  # seconds between two requests of a connection
FILES_BESIDE_CONNECTIONS = 256
_SECRET = re.compile(r"\b(lag|inv?)_[a-z2-7]{8,}")


class StructuredHandler(logging.Handler):
    """uvicorn's log records in the form of our log, without secrets in URLs."""

    def emit(self, record: logging.LogRecord) -> None:
        text = without_signed_ids(_SECRET.sub(r"\1_***", record.getMessage()))
        level = logging.DEBUG if record.levelno <= logging.INFO else record.levelno
        log.log(level, "uvicorn", message=text, exc_info=record.exc_info)


def configure_server_log(settings: Settings) -> None:
    configure_logging(settings)
    logger = logging.getLogger("uvicorn")
    logger.handlers = [StructuredHandler()]
    logger.propagate = False
    logger.setLevel(logging.INFO)


def _in_process(settings: Settings, build: Build) -> "Bridge":
    """Build the application of a process."""
    configure_server_log(settings)
    _allow_files(settings.web_connections)
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        use_board_files(os.environ)  # a new interpreter
        end_after(supervisor.join)
    bridge = build(settings)
    bridge.when_stopped = _end_soon
    return bridge


def _end_soon() -> None:
    """End this process even if a thread does not end, because the database hangs."""
    timer = threading.Timer(EXIT_SECONDS, lambda: os._exit(0))
    timer.daemon = True
    timer.start()


def _allow_files(connections: int) -> None:
    """Raise the limit of open files to the number of connections, as far as allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + FILES_BESIDE_CONNECTIONS
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _limit_unread(listening: socket.socket) -> None:
    """Limit the kernel's buffers for clients that do not read; connections inherit it."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if hasattr(socket, "TCP_USER_TIMEOUT") and listening.family != socket.AF_UNIX:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)


def server_config(settings: Settings, factory: Callable[[], "Bridge"]) -> uvicorn.Config:
    """uvicorn with our settings; `factory` is called in each process."""
    return uvicorn.Config(
        factory,
        factory=True,
        http=CONNECTION_CLASS,
        ws="none",
        loop="asyncio",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # proxies are trusted by LAGUNA_TRUSTED_PROXIES alone
        server_header=False,
        workers=settings.web_workers,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        timeout_worker_healthcheck=START_SECONDS,
    )


def serve_forever(settings: Settings, descriptor: int, build: Build) -> None:
    """Serve on this listening socket until a signal; each process builds its own application."""
    configure_server_log(settings)
    listening = socket.socket(fileno=descriptor)
    _limit_unread(listening)
    config = server_config(settings, partial(_in_process, settings, build))
    if settings.web_workers > 1:
        Multiprocess(config, [listening]).run()
    else:
        for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises it again at its end
            signal.signal(number, lambda *_: None)
        uvicorn.Server(config).run([listening])
