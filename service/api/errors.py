"""Error handlers: problems, errors of the framework and internal errors as problem+json."""

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

# Problems for errors of the framework, by status.
BY_STATUS = {
    400: ("malformed_request", "The request is malformed."),
    403: ("csrf_failed", "The request is not allowed."),
    404: ("not_found", "No resource exists at this address."),
    405: ("method_not_allowed", "The method is not allowed for this address."),
    406: ("not_acceptable", "The requested content type is not available."),
    408: ("request_timeout", "The request took too long to arrive."),
    413: ("body_too_large", "The request body is too large."),
    414: ("address_too_long", "The request URL is too long."),
    415: ("unsupported_media_type", "Send the body as application/json."),
    429: ("too_many_requests", "Too many requests. Please retry later."),
    431: ("headers_too_large", "The request headers are too large."),
    503: ("unavailable", "The service is temporarily unavailable. Please retry."),
}


class ErrorPlaceSchema(Schema):
    """An error at one place of the request."""

    pointer = fields.String(required=True, metadata={"description": "JSON pointer, or ?name"})
    detail = fields.String(required=True)

    class Meta:
        title = "ErrorPlace"


class ProblemSchema(Schema):
    """A problem according to RFC 9457. The request changed nothing."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    code = fields.String(
        required=True,
        metadata={"description": "Stable code of the problem type", "enum": list(PROBLEM_TYPES)},
    )
    errors = fields.List(
        fields.Nested(ErrorPlaceSchema), metadata={"description": "The first 20 errors"}
    )
    errors_omitted = fields.Integer(metadata={"description": "Number of further errors, if any"})
    suggestions = fields.List(
        fields.String(), metadata={"description": "Legal moves, most similar first"}
    )
    decision = fields.String(
        allow_none=True, metadata={"description": "Open decision of your seat, if any"}
    )
    scope = fields.String(metadata={"description": "Scope that the token needs"})


def register_errors(app: Flask) -> None:
    app.register_error_handler(Problem, problem_response)
    app.register_error_handler(BadSetup, _from_engine)
    app.register_error_handler(HTTPException, _from_framework)
    for away in (OperationalError, InterfaceError, NoConnectionFree):
        app.register_error_handler(away, _from_database)
    app.register_error_handler(Exception, _from_mistake)


def problem_response(refusal: Problem) -> Response:
    """A problem as response."""
    response = Response(
        orjson.dumps(refusal.as_json()), status=refusal.status, content_type=PROBLEM_JSON
    )
    response.headers.update(refusal.headers)
    if refusal.status == 401:
        response.headers.setdefault("WWW-Authenticate", 'Bearer realm="laguna"')
    return response


def _from_engine(error: BadSetup) -> Response:
    return problem_response(Problem(error.code, str(error)))


def _from_framework(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        return error
    code, sentence = BY_STATUS.get(error.code, ("internal_error", "Internal server error."))
    refusal = Problem(code, sentence)
    allowed = getattr(error, "valid_methods", None)
    if allowed:
        refusal.headers["Allow"] = ", ".join(sorted(allowed))
    return problem_response(refusal)


def _from_database(error: SQLAlchemyError) -> Response:
    log.error(
        "database_unavailable",
        reason=failure_reason(error),
        error=type(getattr(error, "orig", error)).__name__,
    )
    refusal = Problem(
        "unavailable", "The database is not responding. Nothing was changed; please retry."
    )
    refusal.headers["Retry-After"] = "5"
    return problem_response(refusal)


def _from_mistake(error: Exception) -> Response:
    log.exception("internal_error")
    return problem_response(
        Problem(
            "internal_error",
            "The request failed because of an error in the service. Nothing was changed. Report "
            "the X-Request-Id of this response to the operator.",
        )
    )
