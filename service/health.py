"""For those who run the service: is it alive, is it ready, how much does it do."""

import hmac
import os

from flask import Flask, Response, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.registry import REGISTRY
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.config import Settings
from service.database import db
from service.migrating import current_revision, newest_revision
from service.problems import Refused


def register_health(app: Flask, settings: Settings) -> None:
    @app.get("/healthz")
    def healthz() -> Response:
        """The process answers."""
        return jsonify({"status": "ok"})

    @app.get("/readyz")
    def readyz() -> Response:
        """The process can do its work: the database answers and has the newest tables."""
        checks = {"database": _database()}
        response = jsonify({"ready": all(state == "ok" for state in checks.values()), **checks})
        response.status_code = 200 if response.json["ready"] else 503  # type: ignore[index]
        return response

    @app.get("/metrics")
    def metrics() -> Response:
        """For Prometheus. With LAGUNA_METRICS_TOKEN only for those who send it."""
        if settings.metrics_token is not None:
            given = request.headers.get("Authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {settings.metrics_token}".encode()):
                raise Refused("invalid_token", "Metrics need their own token.")
        registry = REGISTRY
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _database() -> str:
    try:
        db.session.execute(text("SELECT 1"))
        found = current_revision(db.session.connection())
    except DBAPIError:
        return "does not answer"
    return "ok" if found == newest_revision() else f"has tables of {found}, not {newest_revision()}"
