"""Refusals, the framework's errors and our own mistakes, all as problem+json."""

from typing import Any

import orjson
import structlog
from flask import Flask, Response
from marshmallow import Schema, fields
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from werkzeug.exceptions import HTTPException

from engine.errors import BadSetup
from service.core.errors import PROBLEM_JSON, PROBLEM_TYPES, Problem
from service.db.time_limits import failure_reason

log = structlog.get_logger()

# What the framework refuses by itself, in our words.
BY_STATUS = {
    400: ("malformed_request", "The request cannot be read."),
    403: ("csrf_failed", "This is not allowed."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not know that method."),
    406: ("not_acceptable", "There is no such form of this."),
    408: ("request_timeout", "The request took too long to arrive."),
    413: ("body_too_large", "The request is too large."),
    414: ("address_too_long", "The address is too long."),
    415: ("unsupported_media_type", "Send JSON, as application/json."),
    429: ("too_many_requests", "Too many requests; wait a little."),
    431: ("headers_too_large", "The headers are too large."),
    503: ("unavailable", "Not available at the moment; try again soon."),
}


class ErrorPlaceSchema(Schema):
    """What is wrong in one place of the request."""

    pointer = fields.String(required=True, metadata={"description": "JSON pointer, or ?name"})
    detail = fields.String(required=True)

    class Meta:
        title = "ErrorPlace"


class ProblemSchema(Schema):
    """RFC 9457: what was wrong, what would be right. Nothing was changed."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    code = fields.String(
        required=True,
        metadata={"description": "Stable; for programs.", "enum": list(PROBLEM_TYPES)},
    )
    errors = fields.List(
        fields.Nested(ErrorPlaceSchema), metadata={"description": "The first 20 of them"}
    )
    errors_omitted = fields.Integer(
        metadata={"description": "How many more there are, if that is more than none"}
    )
    suggestions = fields.List(
        fields.String(), metadata={"description": "Moves that would be possible, nearest first"}
    )
    decision = fields.String(
        allow_none=True, metadata={"description": "What your seat is asked now, if anything"}
    )
    scope = fields.String(metadata={"description": "The scope a token needs"})


def register_errors(app: Flask) -> None:
    app.register_error_handler(Problem, problem)
    app.register_error_handler(BadSetup, lambda error: problem(Problem(error.code, str(error))))
    app.register_error_handler(HTTPException, _from_framework)
    for away in (OperationalError, InterfaceError, NoConnectionFree):
        app.register_error_handler(away, _from_database)
    app.register_error_handler(Exception, _from_mistake)


def problem(refusal: Problem) -> Response:
    """A refusal as problem+json."""
    response = Response(
        orjson.dumps(refusal.as_json()), status=refusal.status, content_type=PROBLEM_JSON
    )
    response.headers.update(refusal.headers)
    if refusal.status == 401:
        response.headers.setdefault("WWW-Authenticate", 'Bearer realm="laguna"')
    return response


def _from_framework(error: HTTPException) -> Any:
    if error.code is None or error.code < 400:
        return error
    code, sentence = BY_STATUS.get(error.code, ("internal_error", "Something went wrong."))
    refusal = Problem(code, sentence)
    allowed = getattr(error, "valid_methods", None)
    if allowed:
        refusal.headers["Allow"] = ", ".join(sorted(allowed))
    return problem(refusal)


def _from_database(error: SQLAlchemyError) -> Response:
    log.error(
        "database_unavailable",
        reason=failure_reason(error),
        error=type(getattr(error, "orig", error)).__name__,
    )
    refusal = Problem("unavailable", "The database does not answer; nothing was changed.")
    refusal.headers["Retry-After"] = "5"
    return problem(refusal)


def _from_mistake(error: Exception) -> Response:
    log.exception("internal_error")
    return problem(
        Problem(
            "internal_error",
            "Something went wrong on our side; nothing was changed. "
            "Tell us the X-Request-Id of this answer.",
        )
    )
