"""`laguna up`, and its parts `laguna serve`, `laguna work` and `laguna beat`.

The app is imported after settings and port have been checked: errors are reported at once, and the
metrics library needs its directory before it is imported.
"""

import argparse
import errno
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from service.cli.errors import CommandError
from service.cli.metrics import start_metrics
from service.core import config
from service.core.stop_signal import StopSignal, end_with_stdin

if TYPE_CHECKING:
    from service.core.worker_signal import Waker
    from service.ops.asgi import Bridge

BACKLOG = 2048
WEB_DATABASE_SECONDS = 10  # for a statement, unless LAGUNA_DATABASE_TIMEOUT is less


def up(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    _print_warnings(settings)
    with _listening_socket(settings) as listening:
        from service.cli.up import run_everything

        run_everything(settings, listening.fileno(), demo=not options.no_demo)
    return 0


def serve(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    _print_warnings(settings)
    if options.until_stdin_ends:
        end_with_stdin()
    descriptor = options.socket
    if descriptor is None:
        descriptor = _listening_socket(settings).detach()
    start_metrics(settings)

    from engine.cli.board_files import use_board_files
    from service.ops.server import serve_forever

    use_board_files(os.environ)
    serve_forever(settings, descriptor, application)
    return 0


def _listening_socket(settings: config.Settings) -> socket.socket:
    """A listening socket on LAGUNA_HOST and LAGUNA_PORT; raises CommandError."""
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
            raise CommandError(f"Port {port} needs root; set LAGUNA_PORT above 1023.") from error
        raise CommandError(
            f"Cannot listen on {host} ({error.strerror}); set LAGUNA_HOST to another address."
        ) from error


def application(settings: config.Settings) -> "Bridge":
    """The ASGI application of one process."""
    from service.app import create_app
    from service.core.worker_signal import set_waker
    from service.ops.asgi import Bridge

    timeout = min(settings.database_timeout, WEB_DATABASE_SECONDS)
    app = create_app(replace(settings, database_timeout=timeout))
    wake = waker(settings)
    if wake is not None:
        set_waker(app, wake)
    return Bridge(app, settings)


def _print_warnings(settings: config.Settings) -> None:
    for warning in settings.warnings:
        print(f"Warning: {warning}", file=sys.stderr, flush=True)


def waker(settings: config.Settings) -> "Waker | None":
    """The sender of signals to the workers; None without Redis, where they poll."""
    if settings.redis_url is None:
        return None
    from worker.wakeup import waker_for

    return waker_for(settings)


def work(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    stop_signal = StopSignal()
    if options.once:
        return _work_once(queues_named(options.queues), stop_signal)
    start_metrics(settings)
    queues = queues_named(options.queues)
    stop_signal.listen()
    if options.until_stdin_ends:
        end_with_stdin()

    from service.cli.command_app import opened_app
    from worker.runner import run_worker

    with opened_app() as app:
        well = run_worker(app, queues, options.concurrency, stop_signal)
    return 0 if well else 1


def queues_named(names: str | None) -> Sequence[str]:
    """The queues of a comma-separated list; all of them without one."""
    from worker.schedule import QUEUES

    if names is None:
        return QUEUES
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in QUEUES:
            raise CommandError(
                f"There is no queue {name[:40]!r}; the queues are {', '.join(QUEUES)}."
            )
    return wanted


def _work_once(queues: Sequence[str], stop_signal: StopSignal) -> int:
    from service.cli.command_app import opened_app
    from service.ops.status import counted
    from worker.jobs import runner_for
    from worker.schedule import jobs_of

    with opened_app() as app:
        done, well = runner_for(app, lambda: stop_signal.asked).run_all(jobs_of(queues))
    print(f"{counted(done, 'item')} processed")
    if not well:
        raise CommandError("A job failed; see the log.")
    return 0


def beat(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    if settings.redis_url is None:
        raise CommandError(
            "Without Redis `laguna work` starts its jobs itself; `laguna beat` needs "
            "LAGUNA_REDIS_URL."
        )
    stop_signal = StopSignal().listen()
    if options.until_stdin_ends:
        end_with_stdin()

    start_metrics(settings)

    from service.core.telemetry import configure_logging
    from worker.beat import run_beat

    configure_logging(settings)
    run_beat(settings, stop_signal)
    return 0
