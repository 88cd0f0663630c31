"""What tests of the worker share."""

from typing import Any

from service.db.session import db
from tests.support.site import Site
from worker.job_run import JobRunner
from worker.jobs import runner_for
from worker.schedule import JOBS, job_named, jobs_of


def never() -> bool:
    """Nobody asks to stop."""
    return False


def do_everything(site: Site, *queues: str) -> int:
    """What a worker does now, in all queues or in these; fails if something does."""
    done, well = runner_for(site.app, never).run_all(jobs_of(queues) if queues else JOBS)
    assert well
    return done


def run_job(runner: JobRunner, name: str) -> int:
    return runner.run(job_named(name))


def rows(site: Site, query: Any) -> list[Any]:
    with site.app.app_context():
        return list(db.session.execute(query).all())


class Ticking:
    """A clock of seconds that a test moves."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at
