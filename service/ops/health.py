"""Health of the service: does the process answer, can all of it do its work."""

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
from service.ops.readiness import BoundedCheck
from service.ops.storage import storage_problem

log = structlog.get_logger()

OK = "ok"
DEADLINES = "deadlines"  # the lane of the worker that no game can do without


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
        """The process answers."""
        return jsonify({"status": "ok"})

    @app.get("/readyz")
    def readyz() -> Response:
        """All of it can do its work: the database answers, has all tables and can be written, and
        the worker was heard of lately."""
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
    """Games go on only if somebody looks after deadlines."""
    present = database_now()
    found = [
        job_heartbeat
        for job_heartbeat in job_heartbeats(present)
        if job_heartbeat.name == DEADLINES
    ]
    if found and not found[0].silent:
        return OK
    if (wrong := wrong_clock(present)) is not None:
        return wrong
    if not found:
        return "was never heard of"
    return f"was not heard of since {found[0].at.isoformat(timespec='seconds')}"
