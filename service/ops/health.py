"""Health endpoints: `/healthz` for this process, `/readyz` for the database and the worker."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime

import structlog
from flask import Flask, Response, jsonify
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from service.core.config import Settings
from service.db.heartbeats import job_heartbeats, wrong_clock
from service.db.migrations import current_revision, is_behind, newest_revision
from service.db.server_clock import database_now
from service.db.session import db
from service.db.time_limits import failure_reason
from service.ops.storage import storage_problem

log = structlog.get_logger()

OK = "ok"
DEADLINES = "deadlines"  # the job without which games do not go on
CHECK_SECONDS = 1.5


class BoundedCheck:
    """Runs a check in a thread, one at a time; concurrent callers share the result."""

    def __init__(self, check: Callable[[], dict[str, str]]) -> None:
        self.check = check
        self.lock = threading.Lock()
        self.running: Future[dict[str, str]] | None = None

    def result(self, seconds: float = CHECK_SECONDS) -> dict[str, str] | None:
        """The result of the check; None if it takes longer."""
        with self.lock:
            late = self.running is not None and not self.running.done()
            if not late:
                self.running = Future()
                threading.Thread(
                    target=self._run, args=(self.running,), name="readiness", daemon=True
                ).start()
            running = self.running
        assert running is not None
        try:
            return running.result(seconds)
        except NotInTime:
            return None

    def _run(self, running: Future[dict[str, str]]) -> None:
        try:
            running.set_result(self.check())
        except BaseException as error:
            running.set_exception(error)


def register_health(app: Flask, settings: Settings) -> None:
    def check() -> dict[str, str]:
        with app.app_context():
            checks = {"database": _database()}
            if checks["database"] == OK and (problem := storage_problem(settings.database_url)):
                checks["database"] = f"cannot be written: {problem}"
            if checks["database"] == OK:
                checks["worker"] = _worker()
            return checks

    bounded = BoundedCheck(check)

    @app.get("/healthz")
    def healthz() -> Response:
        return jsonify({"status": "ok"})

    @app.get("/readyz")
    def readyz() -> Response:
        """The database answers, is up to date and can be written, and the worker is running."""
        checks = bounded.result() or {"database": "does not answer in time"}
        response = jsonify({"ready": all(state == OK for state in checks.values()), **checks})
        if not response.json["ready"]:  # type: ignore[index]
            response.status_code = 503
            response.headers["Retry-After"] = "5"
        return response


def _database() -> str:
    try:
        db.session.execute(text("SELECT 1"))
        found = current_revision(db.session.connection())
    except (DBAPIError, NoConnectionFree) as error:
        log.error("database_unavailable", reason=failure_reason(error))
        return "does not answer"
    return f"has tables of {found}, not {newest_revision()}" if is_behind(found) else OK


def _worker() -> str:
    present = database_now()
    found = [job for job in job_heartbeats(present) if job.name == DEADLINES]
    if found and not found[0].silent:
        return OK
    if (wrong := wrong_clock(present)) is not None:
        return wrong
    if not found:
        return "has never run"
    return f"has not run since {found[0].at.isoformat(timespec='seconds')}"
