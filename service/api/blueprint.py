"""Blueprint of API views: flask-smorest with strict arguments, request checks, transactions and
documentation.

flask-smorest has no notion of access, request limits or problems by code. `_check_request` and
`_prepare_operation_doc` add them from the declarations in `service.api.decorators`.
"""

from collections import defaultdict
from functools import partial, wraps
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Response, request

from engine.contract import Json
from service.access.credentials import STRANGER
from service.api.arguments import DEFAULT_BODY_BYTES, StrictParser, limit_body, may_be_empty
from service.api.authentication import request_key
from service.api.decorators import atomic
from service.api.idempotency import HEADER
from service.api.operation import (
    NOTHING_DECLARED,
    WRITING_METHODS,
    Decorator,
    Operation,
    View,
    current_operation,
    declare,
    operation_of,
    writes,
)
from service.core.errors import PROBLEM_JSON, PROBLEM_TYPES, Problem
from service.core.ids import ID, ID_PATTERN
from service.db.session import reading

SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
NO_PARAMETERS = ma.Schema()

PATH_PARAMETERS = {
    "game_id": "The game; the id is the same from the open table to the result.",
    "person_id": "The player.",
    "token_id": "The token.",
    "session_id": "The session.",
    "bot_id": "The bot account.",
    "invitation_id": "The invitation.",
    "webhook_id": "The webhook.",
    "delivery_id": "The delivery.",
    "absence_id": "The absence.",
}


def _parameter(place: str, name: str, description: str, **schema: object) -> Json:
    """A parameter of the OpenAPI document; those of a path are required."""
    return {
        "in": place,
        "name": name,
        "required": place == "path",
        "description": description,
        "schema": {"type": "string"} | schema,
    }


IDEMPOTENCY_KEY = _parameter(
    "header",
    HEADER,
    "Any text; a repeated request with the same key gets the stored response.",
    minLength=1,
    maxLength=200,
    pattern="^[!-~]+$",
)
IF_NONE_MATCH = _parameter("header", "If-None-Match", "ETag of your copy; 304 if it is current.")
IF_MATCH = _parameter(
    "header", "If-Match", "ETag of the version to change, or `*`; 428 without it."
)
ETAG = {"schema": {"type": "string"}, "description": "The current version."}

COMMON_PROBLEMS = (
    "invalid_request",
    "malformed_request",
    "address_too_long",
    "headers_too_large",
    "body_too_large",
    "too_many_requests",
    "internal_error",
    "unavailable",
)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """Views on one kind of resource."""

    ARGUMENTS_PARSER = StrictParser()

    def __init__(self, name: str, import_name: str, description: str) -> None:
        super().__init__(name, import_name, description=description)
        self._prepare_doc_cbks.append(_prepare_operation_doc)
        self.before_request(_check_request)

    def route(self, rule: str, *, methods: list[str], **options: object) -> Decorator:
        """Register a view. Its name is the `operationId`, its path parameters are ids."""
        named = [name for name in PATH_PARAMETERS if f"<{name}>" in rule]
        missing = ("not_found", "board_missing") if "game_id" in named else ("not_found",)

        def decorator(view: View) -> View:
            if named:
                view = declare(view, problems=operation_of(view).problems + missing)
            view = self.doc(operationId=_camel_case(view.__name__))(view)
            parameters = [
                _parameter("path", name, PATH_PARAMETERS[name], pattern=ID_PATTERN)
                for name in named
            ]
            super(Blueprint, self).route(rule, methods=methods, parameters=parameters, **options)(
                view
            )
            return view

        return decorator

    def arguments(
        self,
        schema: type[ma.Schema],
        *,
        location: str = "json",
        max_bytes: int = DEFAULT_BODY_BYTES,
        **options: object,
    ) -> Decorator:
        """Hand the view a validated body of at most so many bytes, or the query."""
        loader = schema()
        facts: Json = {"has_query": True}
        if location == "json":
            facts = {"has_body": True, "body_bytes": max_bytes}
            options["required"] = not may_be_empty(loader)
        decorator = super().arguments(loader, location=location, **options)
        return lambda view: declare(decorator(view), **facts)

    def response(
        self,
        status_code: int,
        schema: type[ma.Schema] | Json | None = None,
        *,
        links: Json | None = None,
        own_transaction: bool = False,
        **options: object,
    ) -> Decorator:
        """Run the view in one transaction, unless it has its own, and render its result by a
        schema. `links` are those of the OpenAPI document."""
        render = super().response(status_code, schema, **options)
        linked = self.doc(responses={status_code: {"links": links}}) if links else lambda view: view

        def decorator(view: View) -> View:
            rendered: View = render(_without_content(view) if status_code == 204 else view)
            return linked(rendered if own_transaction else _in_transaction(rendered))

        return decorator

    @staticmethod
    def doc(**facts: object) -> Decorator:
        decorator: Decorator = flask_smorest.Blueprint.doc(**facts)
        return decorator


def _in_transaction(view: View) -> View:
    """Run a view that writes in one transaction, any other on one connection that reads."""

    @wraps(view)
    def wrapper(*args: object, **kwargs: object) -> object:
        if writes():
            return atomic(partial(view, *args, **kwargs))
        with reading():
            return view(*args, **kwargs)

    return wrapper


def _without_content(view: View) -> View:
    @wraps(view)
    def wrapper(*args: object, **kwargs: object) -> Response:
        view(*args, **kwargs)
        return Response(status=204)

    return wrapper


def _check_request() -> None:
    """Refuse a request before its body is read: credential, ids, body size, query, key."""
    if request.method == "OPTIONS":
        return
    operation = current_operation()
    if operation.authenticated and request_key() == STRANGER:
        raise Problem("not_signed_in", "Send a token as `Authorization: Bearer lag_..`.")
    if not all(ID.fullmatch(value) for value in (request.view_args or {}).values()):
        raise Problem("not_found", "Invalid id: ids have 16 lower-case letters or digits.")
    limit_body(operation.body_bytes)
    if request.query_string and not operation.has_query:
        Blueprint.ARGUMENTS_PARSER.parse(NO_PARAMETERS, location="query")
    if operation.returns_secret and HEADER in request.headers:
        raise Problem(
            "bad_idempotency_key",
            "The response contains a secret and is never stored. Omit the Idempotency-Key.",
        )


def _prepare_operation_doc(doc: Json, doc_info: Json, *, method: str, **_: object) -> Json:
    """Document a view's declarations, as flask-smorest's own callbacks document arguments."""
    operation: Operation = doc_info.get("operation", NOTHING_DECLARED)
    doc["security"] = SECURITY if operation.authenticated else []
    if operation.public:
        doc["security"] = [{}, *SECURITY]
    if operation.scope is not None:
        doc["x-scope"] = operation.scope
    if operation.has_body:
        doc["x-max-body-bytes"] = operation.body_bytes
    headers = [
        *([IDEMPOTENCY_KEY] if operation.idempotent else []),
        *([IF_NONE_MATCH] if operation.conditional else []),
        *([IF_MATCH] if operation.if_match else []),
    ]
    if headers:
        doc["parameters"] = doc.get("parameters", []) + headers
    doc["responses"] = _responses(doc, doc_info, operation, method)
    return doc


def _responses(doc: Json, doc_info: Json, operation: Operation, method: str) -> dict[int, Any]:
    """The successful response, described by the summary, then the problems by status."""
    [status] = set(doc_info["success_status_codes"])
    success = doc["responses"][status] | {"description": doc_info["docstring"]["summary"]}
    responses: dict[int, Any] = {status: success}
    if operation.conditional:
        success["headers"] = {"ETag": ETAG}
        responses[304] = {"description": "Unchanged since the given ETag."}
    by_status: dict[int, list[str]] = defaultdict(list)
    possible = _problem_codes(operation, writes=method.upper() in WRITING_METHODS)
    for code in PROBLEM_TYPES:
        if code in possible:
            size = f" (more than {operation.body_bytes:,} bytes)"
            by_status[PROBLEM_TYPES[code].status].append(
                f"- `{code}`: {PROBLEM_TYPES[code].title}{size if code == 'body_too_large' else ''}"
            )
    for number, lines in sorted(by_status.items()):
        responses[number] = {
            "description": "\n".join(lines),
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return responses


def _problem_codes(operation: Operation, writes: bool) -> set[str]:
    """The problems of the view, and those that follow from its other declarations."""
    credential = operation.authenticated or operation.public
    follow = {
        ("invalid_token", "expired_token", "revoked_token", "suspended"): credential,
        ("not_signed_in",): operation.authenticated,
        ("csrf_failed",): writes and credential,
        ("missing_scope",): operation.scope is not None,
        ("sessions_only",): operation.session_only,
        ("unsupported_media_type",): operation.has_body,
        ("bad_idempotency_key",): operation.idempotent or operation.returns_secret,
        ("idempotency_key_reused", "request_in_progress"): operation.idempotent,
        ("precondition_required", "precondition_failed"): operation.if_match,
    }
    implied = (codes for codes, applies in follow.items() if applies)
    return {*COMMON_PROBLEMS, *operation.problems}.union(*implied)


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
