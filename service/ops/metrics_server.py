"""HTTP endpoint for metrics and the health of one process group, on a port of its own.

The public port has no metrics: counters by route and status would show what the API hides, for
example that a secret pick was changed. This port listens on the loopback interface unless
LAGUNA_METRICS_HOST names another, which requires a token.

It is a thread of the process that starts the others, and reads the metric files of all of them.
"""

import hmac
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, Metric, make_wsgi_app, multiprocess
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

STALE_SECONDS = 300.0  # gauges of the whole service are not shown when they are older
SILENT_SECONDS = 180.0  # after which a process group without a completed job counts as hung
REQUEST_SECONDS = 10.0  # for a client to send its request
UPDATED_NAME = "laguna_overview_timestamp_seconds"  # as in service.ops.gauges, which is heavy
ACTIVITY_NAME = "laguna_activity_timestamp_seconds"  # as in service.core.activity
OVERVIEW_PREFIXES = (
    *("laguna_overview_", "laguna_audit_", "laguna_games", "laguna_decisions_", "laguna_overdue_"),
    *("laguna_outbox_", "laguna_incoming_", "laguna_unreachable", "laguna_job_age_"),
    "laguna_mail_server_",
)


class ProcessFiles(Collector):
    """Metrics of all processes that share a directory, without gauges that are out of date."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def collect(self) -> Iterator[Metric]:
        files = [str(path) for path in Path(self.directory).glob("*.db") if is_written(path)]
        merged = multiprocess.MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        families: list[Metric] = list(merged)
        updated = newest(families, UPDATED_NAME)
        fresh = updated is None or time.time() - updated < STALE_SECONDS
        for family in families:
            if fresh or not is_overview(family):
                yield family

    def healthy(self) -> bool:
        """Whether a job completed lately. The web has no jobs and is always healthy."""
        seen = newest(self.collect(), ACTIVITY_NAME)
        return seen is None or time.time() - seen < SILENT_SECONDS


def is_written(path: Path) -> bool:
    """Whether the file has contents: it is empty until its process first writes."""
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:  # its process has just ended
        return False


def is_overview(family: Metric) -> bool:
    """Whether a family is one of `service.ops.gauges`."""
    return family.type == "gauge" and family.name.startswith(OVERVIEW_PREFIXES)


def newest(families: Iterable[Metric], name: str) -> float | None:
    samples = (sample for family in families for sample in family.samples)
    return max((sample.value for sample in samples if sample.name == name), default=None)


def metrics_application(directory: str, token: str | None) -> "WSGIApplication":
    """`/metrics` with the token, if there is one, and `/healthz` without."""
    files = ProcessFiles(directory)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(files)
    exposition: WSGIApplication = make_wsgi_app(registry)
    expected = None if token is None else f"Bearer {token}".encode()

    def application(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        path = environ.get("PATH_INFO")
        if path == "/healthz":
            healthy = files.healthy()
            status = "200 OK" if healthy else "503 Service Unavailable"
            return _plain(start, status, "ok" if healthy else "no job completed lately")
        if path != "/metrics":
            return _plain(start, "404 Not Found", "/metrics, /healthz")
        given = str(environ.get("HTTP_AUTHORIZATION", "")).encode()
        if expected is not None and not hmac.compare_digest(given, expected):
            return _plain(start, "401 Unauthorized", "LAGUNA_METRICS_TOKEN is needed")
        return exposition(environ, start)

    return application


def _plain(start: "StartResponse", status: str, text: str) -> Iterable[bytes]:
    start(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [text.encode() + b"\n"]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 16


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = REQUEST_SECONDS

    def log_message(self, *_: object) -> None:
        """Scrapes are not logged."""


def start_metrics_server(host: str, port: int, directory: str, token: str | None) -> WSGIServer:
    """Serve from a thread of this process; raises OSError if the port cannot be had."""
    application = metrics_application(directory, token)
    server = make_server(host, port, application, _Server6 if ":" in host else _Server, _Handler)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
