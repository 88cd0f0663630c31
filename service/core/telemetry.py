"""Request ids, structured logs and metrics. Logs name routes, never URLs with secrets."""

import logging
import re
import sys
import time

import orjson
import structlog
from flask import Flask, Response, g, request
from prometheus_client import Counter, Histogram
from structlog.typing import Processor

from service.core.config import Settings
from service.core.ids import new_id

log = structlog.get_logger()
REQUEST_ID = "X-Request-Id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

REQUESTS = Counter(
    "laguna_requests_total", "Responses by route, method and status", ["route", "method", "status"]
)
DURATION = Histogram(
    "laguna_request_seconds",
    "Time to the response by route",
    ["route"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30),
)
UNKNOWN = "(unknown)"
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


def configure_logging(settings: Settings) -> None:
    """Log one line per event on standard error; called once by every process."""
    as_json = settings.log_format == "json"
    renderer: Processor = (
        structlog.processors.JSONRenderer(serializer=orjson.dumps)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level.upper()]
        ),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer)
        if as_json
        else structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def register_observing(app: Flask, settings: Settings) -> None:
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.began = time.perf_counter()
    given = request.headers.get(REQUEST_ID, "")
    g.request_id = given if _GIVEN_ID.fullmatch(given) else new_id()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)


def _end(response: Response) -> Response:
    if "began" not in g:  # refused before `_begin`, such as an unknown host
        return response
    response.headers.add(REQUEST_ID, g.request_id)
    route = UNKNOWN if request.url_rule is None else request.url_rule.rule
    took = time.perf_counter() - g.began
    method = request.method if request.method in METHODS else UNKNOWN  # a client may send any word
    REQUESTS.labels(route, method, response.status_code).inc()
    DURATION.labels(route).observe(took)
    log.info(
        "request",
        method=method,
        route=route,
        status=response.status_code,
        ms=round(took * 1000, 1),
    )
    return response
