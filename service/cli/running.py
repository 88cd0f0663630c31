"""`laguna up`, and its two halves `laguna serve` and `laguna work`.

The app is imported when settings and port are known to be good: who made a mistake hears of it
at once, and metrics look where to go when they are imported.
"""

import argparse

from service import config
from service.cli.errors import CannotDo
from service.cli.listening import listening_socket
from service.cli.metrics import share_metrics
from service.cli.stopping import Stopping, end_with_stdin


def up(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    with listening_socket(settings) as socket:
        from service.cli.up import run_everything

        run_everything(settings, socket.fileno(), demo=not options.no_demo)
    return 0


def serve(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    if options.until_stdin_ends:
        end_with_stdin()
    socket = listening_socket(settings).detach() if options.socket is None else options.socket
    share_metrics(settings)

    from service.serving import serve_forever

    serve_forever(settings, socket)
    return 0


def work(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    stopping = Stopping()
    if options.once:
        return _work_once(stopping)
    stopping.listen()
    if options.until_stdin_ends:
        end_with_stdin()
    share_metrics(settings, empty=False)

    from service.cli.opening import opened_app
    from worker.loop import run

    with opened_app() as app:
        run(app, stopping)
    return 0


def _work_once(stopping: Stopping) -> int:
    from service.cli.opening import opened_app
    from worker.loop import run_once

    with opened_app() as app:
        done, well = run_once(app, stopping)
    print(f"{done} things done")
    if not well:
        raise CannotDo("Not everything could be done; the log says why.")
    return 0
