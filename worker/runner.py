"""A worker, from start to end.

Without Redis it is one process: threads for the jobs and for beat, and queues in memory. With Redis
it forks processes for the jobs, and beat is a process of its own.
"""

import gc
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import structlog
from celery import Celery, signals
from celery.worker import WorkController, state
from flask import Flask

from service.core.activity import note_activity
from service.core.config import Settings
from service.core.stop_signal import StopSignal
from service.db.session import db
from worker.app import create_celery, route_library_logs
from worker.beat import STOP_POLL_SECONDS, BeatThread
from worker.job_run import StopFlag
from worker.jobs import register_tasks, runner_for
from worker.schedule import Job, jobs_of, message_options, post, post_again

log = structlog.get_logger()

EXIT_OK = 0


def run_worker(
    app: Flask, queues: Sequence[str], concurrency: int | None, stop_signal: StopSignal
) -> bool:
    """Run the jobs of these queues until asked to stop, then finish the current items.

    Returns whether it stopped because of the request, without an error.
    """
    settings: Settings = app.config["LAGUNA"]
    jobs, stopping = jobs_of(queues), StopFlag()
    celery = create_celery(settings, jobs)
    register_tasks(celery, runner_for(app, stopping, partial(post_again, celery)))
    route_library_logs()
    _prepare_to_fork(app)
    worker = WorkController(
        app=celery,
        pool="prefork" if settings.redis_url else "threads",
        concurrency=concurrency or len(jobs),  # no job waits for another
        queues=list(queues),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    note_activity("start")
    log.info("worker_started", queues=list(queues))
    embedded = settings.redis_url is None

    def stop() -> None:
        """Pass the request to stop on to Celery and to running jobs."""
        while not stop_signal.wait(STOP_POLL_SECONDS):
            pass
        stopping.set()
        state.should_stop = EXIT_OK
        if embedded:
            _interrupt(celery, jobs[0])

    threading.Thread(target=stop, name="stop", daemon=True).start()
    try:
        with BeatThread(celery, stop_signal) if embedded else nullcontext():
            worker.start()
    finally:
        with app.app_context():
            db.engine.dispose()
    log.info("worker_stopped")
    return stop_signal.asked and worker.exitcode in (None, EXIT_OK)


def _prepare_to_fork(app: Flask) -> None:
    """Keep forked processes from using connections of their parent."""

    def forget_connections(**_: object) -> None:
        with app.app_context():
            db.engine.dispose(close=False)

    signals.worker_process_init.connect(forget_connections, weak=False)
    with app.app_context():
        db.engine.dispose()
    gc.freeze()  # forked processes keep sharing the pages of these objects


def _interrupt(celery: Celery, job: Job) -> None:
    """Send two messages: Celery checks twice whether to stop, each time after a message or two
    seconds."""
    for _ in range(2):
        post(celery, job.task, message_options(job))
