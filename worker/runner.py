"""A worker, from start to end.

Without Redis all of it is one process: threads for the jobs, one that keeps time, and queues in
memory. With Redis a worker has processes of its own, and another process keeps time for it.
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
from service.db.session import db
from worker.app import create_celery, route_library_logs
from worker.beat import LOOK_EVERY, BeatThread, StopSignal
from worker.job_run import StopFlag
from worker.jobs import register_tasks, runner_for
from worker.schedule import Job, jobs_of, message_options, post, post_again

log = structlog.get_logger()

WELL = 0  # exit code


def run_worker(
    app: Flask, queues: Sequence[str], concurrency: int | None, stop_signal: StopSignal
) -> bool:
    """Do what comes in these queues until asked to stop, then finish what was begun.

    Returns whether it went well until then.
    """
    settings: Settings = app.config["LAGUNA"]
    jobs, ending = jobs_of(queues), StopFlag()
    celery = create_celery(settings, jobs)
    register_tasks(celery, runner_for(app, ending, partial(post_again, celery)))
    route_library_logs()
    _prepare_to_fork(app)
    worker = WorkController(
        app=celery,
        pool="prefork" if settings.redis_url else "threads",
        concurrency=concurrency or len(jobs),  # none has to wait for another
        queues=list(queues),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    note_activity("start")
    log.info("worker_started", queues=list(queues))
    embedded = settings.redis_url is None

    def end() -> None:
        """Pass on that it is time to stop: to Celery, and to what is being done."""
        while not stop_signal.wait(LOOK_EVERY):
            pass
        ending.set()
        state.should_stop = WELL
        if embedded:
            _interrupt(celery, jobs[0])

    threading.Thread(target=end, name="ending", daemon=True).start()
    try:
        with BeatThread(celery, stop_signal) if embedded else nullcontext():
            worker.start()
    finally:
        with app.app_context():
            db.engine.dispose()
    log.info("worker_stopped")
    return stop_signal.asked and worker.exitcode in (None, WELL)


def _prepare_to_fork(app: Flask) -> None:
    """A new process must not use connections of the one it came from."""

    def forget_connections(**_: object) -> None:
        with app.app_context():
            db.engine.dispose(close=False)

    signals.worker_process_init.connect(forget_connections, weak=False)
    with app.app_context():
        db.engine.dispose()
    gc.freeze()  # what is here by now stays, and processes go on sharing it


def _interrupt(celery: Celery, job: Job) -> None:
    """Celery looks twice whether to stop, and each time it waits for a message before, or for two
    seconds."""
    for _ in range(2):
        post(celery, job.task, message_options(job))
