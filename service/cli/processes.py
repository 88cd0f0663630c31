"""`laguna up`, and its parts `laguna serve`, `laguna work` and `laguna beat`.

The app is imported when settings and port are known to be good: who made a mistake hears of it
at once, and metrics look where to go when they are imported.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from service.cli.errors import CommandError
from service.cli.listen_socket import listening_socket
from service.cli.metrics import start_metrics
from service.cli.stop_signal import StopSignal, end_with_stdin
from service.core import config

if TYPE_CHECKING:
    from service.core.worker_signal import Waker
    from service.ops.asgi import Bridge

WEB_DATABASE_SECONDS = 10  # that a statement may take, unless LAGUNA_DATABASE_TIMEOUT is less


def up(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    _print_warnings(settings)
    with listening_socket(settings) as socket:
        from service.cli.up import run_everything

        run_everything(settings, socket.fileno(), demo=not options.no_demo)
    return 0


def serve(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    _print_warnings(settings)
    if options.until_stdin_ends:
        end_with_stdin()
    socket = listening_socket(settings).detach() if options.socket is None else options.socket
    start_metrics(settings)

    from engine.cli.board_files import use_board_files
    from service.ops.server import serve_forever

    use_board_files(os.environ)
    serve_forever(settings, socket, application)
    return 0


def application(settings: config.Settings) -> "Bridge":
    """The service as an ASGI application, in the process that will serve it."""
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
    """What tells the workers of a Redis that there is work; without one they look themselves."""
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
    """The queues of this list; all of them without one."""
    from worker.schedule import QUEUES

    if names is None:
        return QUEUES
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in QUEUES:
            raise CommandError(f"There is no queue {name[:40]!r}; there are {', '.join(QUEUES)}.")
    return wanted


def _work_once(queues: Sequence[str], stop_signal: StopSignal) -> int:
    from service.cli.command_app import opened_app
    from worker.jobs import runner_for
    from worker.schedule import jobs_of

    with opened_app() as app:
        done, well = runner_for(app, lambda: stop_signal.asked).do_all(jobs_of(queues))
    print(f"{done} things done")
    if not well:
        raise CommandError("Not everything could be done; the log says why.")
    return 0


def beat(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    if settings.redis_url is None:
        raise CommandError(
            "Without Redis `laguna work` keeps time by itself; "
            "set LAGUNA_REDIS_URL to have workers for which `laguna beat` does it."
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
