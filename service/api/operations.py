"""An operation of the API: its route, its documentation and how it is carried out, in one place.

`Noun.operation` wraps a view of a few lines. Reading views run in a plain transaction; writing
ones in one that is kept as a whole or not at all, together with the answer that an
Idempotency-Key repeats. What a view may refuse is listed with it and stands in `openapi.yaml`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any, cast

import marshmallow as ma
from flask import Response, make_response, request
from flask_smorest import Blueprint

from service.access.credentials import STRANGER
from service.api.idempotency import HEADER, answered_once
from service.api.request_data import (
    WRITING,
    limit_body,
    may_be_empty,
    read_body,
    read_query,
    shown_key,
)
from service.core.errors import PROBLEM_TYPES, Problem
from service.db.session import reading, transact

View = Callable[..., Any]
PROBLEM_TYPE = "application/problem+json"

ID_PATTERN = "^[a-z2-7]{16}$"
ID = re.compile("[a-z2-7]{16}")
PATH_PARAMETERS = {
    "game_id": "The game, from the time its table opened.",
    "person_id": "The player.",
    "token_id": "The token.",
    "session_id": "The session.",
    "bot_id": "The bot account.",
    "invitation_id": "The invitation.",
    "webhook_id": "The webhook.",
    "delivery_id": "The delivery.",
    "absence_id": "The absence.",
}
ANYBODY = None
DEFAULT_BODY_BYTES = 8 * 1024
SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
ALWAYS = (
    "invalid_request",
    "malformed_request",
    "address_too_long",
    "headers_too_large",
    "body_too_large",
    "too_many_requests",
    "internal_error",
    "unavailable",
)

# What `openapi.yaml` says of each operation beside its schemas; see `service.api.openapi`.
DOCUMENTED: dict[str, dict[str, Any]] = {}


class Noun(Blueprint):
    """The operations on one kind of thing."""

    def operation(
        self,
        method: str,
        rule: str,
        *,
        scope: str | None = ANYBODY,
        session: bool = False,
        any_token: bool = False,
        public: bool = False,
        body: type[ma.Schema] | None = None,
        body_bytes: int = DEFAULT_BODY_BYTES,
        query: type[ma.Schema] | None = None,
        status: int = 200,
        answer: type[ma.Schema] | ma.Schema | None = None,
        content: Mapping[str, Any] | None = None,
        problems: Sequence[str] = (),
        links: Mapping[str, Any] | None = None,
        conditional: bool = False,
        if_match: bool = False,
        secret: bool = False,
    ) -> Callable[[View], View]:
        """Register a view.

        `scope` is what a token needs; `session` wants a person who signed in, `any_token` whatever
        is valid; `public` also lets strangers in. `body_bytes` is the size above which a request
        is refused unread, to be set where long texts are taken. `content` names other content
        types than JSON with their schemas.
        `conditional` answers carry an ETag and may be 304; `if_match` changes need one.
        `secret` tells that the answer tells a secret, of which nothing may be kept.
        """
        writes = method in WRITING
        repeatable = method == "POST" and scope is not None and not secret
        guarded = (scope is not None or session or any_token) and not public

        # The problems that come with the shape of an operation.
        shape = dict.fromkeys(ALWAYS, True) | {
            "invalid_token": guarded or public,
            "expired_token": guarded or public,
            "revoked_token": guarded or public,
            "suspended": guarded or public,
            "not_signed_in": guarded,
            "csrf_failed": writes and (guarded or public),
            "missing_scope": scope is not None,
            "sessions_only": session,
            "unsupported_media_type": body is not None,
            "not_found": "<" in rule,
            "board_missing": "<game_id>" in rule,
            "bad_idempotency_key": repeatable or secret,
            "idempotency_key_reused": repeatable,
            "request_in_progress": repeatable,
            "precondition_required": if_match,
            "precondition_failed": if_match,
        }

        def register(view: View) -> View:
            answering = partial(self._answering, status=status, answer=answer, content=content)
            if writes:
                wrapped = answering(_finished(_in_transaction(view)))
                if repeatable:
                    assert scope is not None
                    wrapped = _repeatable(wrapped, answering(_finished(view)), scope)
            else:
                wrapped = _reading(answering(view))
            if secret:
                wrapped = _without_key(wrapped)
            if query is not None:
                wrapped = self._with_argument(wrapped, query(), read_query, location="query")
            else:
                wrapped = _without_query(wrapped)
            if body is not None:
                schema = body()
                wrapped = self._with_argument(
                    wrapped,
                    schema,
                    read_body,
                    example=_example(body),
                    required=not may_be_empty(schema),
                )
            wrapped = _with_limited_body(wrapped, body_bytes)
            wrapped = _for_possible_ids(wrapped) if "<" in rule else wrapped
            wrapped = _for_known_callers(wrapped) if guarded else wrapped
            operation_id = _camel(view.__name__)
            wrapped = self.doc(operationId=operation_id)(wrapped)
            DOCUMENTED[operation_id] = {
                "security": _security(guarded, public),
                "parameters": _headers(repeatable, conditional, if_match),
                "responses": _responses(
                    [*problems, *(code for code, comes in shape.items() if comes)],
                    status,
                    links,
                    conditional,
                    body_bytes,
                ),
            }
            if scope is not None:
                DOCUMENTED[operation_id]["x-scope"] = scope
            if body is not None:
                DOCUMENTED[operation_id]["x-max-body-bytes"] = body_bytes
            parameters = [_path_parameter(name) for name in PATH_PARAMETERS if f"<{name}>" in rule]
            self.route(rule, methods=[method], parameters=parameters, endpoint=view.__name__)(
                wrapped
            )
            return view

        return register

    def _with_argument(
        self, view: View, schema: ma.Schema, read: Callable[[ma.Schema], Any], **doc: Any
    ) -> View:
        """Hand the view what was sent. flask-smorest documents it; reading it is ours."""

        @wraps(view)
        def reading(*args: Any, **kwargs: Any) -> Any:
            return view(read(schema), *args, **kwargs)

        reading._apidoc = self.arguments(schema, **doc)(view)._apidoc  # type: ignore[attr-defined]
        return reading

    def _answering(
        self, view: View, status: int, answer: Any, content: Mapping[str, Any] | None
    ) -> View:
        if content is None:
            return cast(View, self.response(status, answer, description=_first_line(view))(view))
        wrapped = view
        # The outermost comes first in the document, and generators of clients take the first.
        for content_type, schema in reversed(list(content.items())):
            wrapped = self.response(
                status, schema, content_type=content_type, description=_first_line(view)
            )(wrapped)
        return wrapped


def _reading(view: View) -> View:
    @wraps(view)
    def read(*args: Any, **kwargs: Any) -> Any:
        with reading():
            return view(*args, **kwargs)

    return read


def _in_transaction(view: View) -> View:
    @wraps(view)
    def transacted(*args: Any, **kwargs: Any) -> Any:
        return transact(partial(view, *args, **kwargs))

    return transacted


def _finished(view: View) -> View:
    """A view may answer with a function: the rest of its work, for which nobody has to wait."""

    @wraps(view)
    def finished(*args: Any, **kwargs: Any) -> Any:
        answer = view(*args, **kwargs)
        return answer() if callable(answer) and not isinstance(answer, Response) else answer

    return finished


def _repeatable(plain: View, rendered: View, scope: str) -> View:
    """With a key, the answer is rendered within the transaction that keeps it."""

    @wraps(plain)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if HEADER not in request.headers:
            return plain(*args, **kwargs)

        def work() -> Response:
            return make_response(rendered(*args, **kwargs))

        return transact(partial(answered_once, work, scope))

    return chosen


def _without_key(view: View) -> View:
    """What tells a secret cannot be repeated, and must not look as if it could."""

    @wraps(view)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if HEADER in request.headers:
            raise Problem(
                "bad_idempotency_key",
                "The answer tells a secret, which is never kept for repeating; leave the key out.",
            )
        return view(*args, **kwargs)

    return checked


def _without_query(view: View) -> View:
    """A parameter that nobody reads is refused, since something was meant by it."""

    @wraps(view)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if request.query_string:
            read_query(_NO_PARAMETERS)
        return view(*args, **kwargs)

    return checked


_NO_PARAMETERS = ma.Schema()


def _with_limited_body(view: View, most: int) -> View:
    @wraps(view)
    def limited(*args: Any, **kwargs: Any) -> Any:
        limit_body(most)
        return view(*args, **kwargs)

    return limited


def _for_possible_ids(view: View) -> View:
    """An id that cannot be one is not looked for."""

    @wraps(view)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if all(ID.fullmatch(value) for value in kwargs.values()):
            return view(*args, **kwargs)
        raise Problem("not_found", "There is nothing with this id; ids have 16 letters or digits.")

    return checked


def _for_known_callers(view: View) -> View:
    """Strangers are told so before anything they send is looked at."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if shown_key() == STRANGER:
            raise Problem("not_signed_in", "Send a token as `Authorization: Bearer lag_..`.")
        return view(*args, **kwargs)

    return guarded


def _security(guarded: bool, public: bool) -> list[dict[str, list[str]]]:
    if public:
        return [{}, *SECURITY]
    return SECURITY if guarded else []


def _responses(
    codes: Sequence[str],
    status: int,
    links: Mapping[str, Any] | None,
    conditional: bool,
    body_bytes: int,
) -> dict[str, Any]:
    """What an operation answers beside its schema: problems by status, links, the ETag."""
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in sorted(set(codes), key=list(PROBLEM_TYPES).index):
        by_status[PROBLEM_TYPES[code].status].append(code)
    success: dict[str, Any] = {"headers": {}, "links": dict(links or {})}
    responses: dict[str, Any] = {str(status): success}
    if conditional:
        success["headers"]["ETag"] = {
            "schema": {"type": "string"},
            "description": "The version you have now.",
        }
        responses["304"] = {"description": "Nothing changed since the ETag you have."}
    more = {"body_too_large": f" (more than {body_bytes:,} bytes)"}
    for number, found in sorted(by_status.items()):
        responses[str(number)] = {
            "description": "\n".join(
                f"- `{code}`: {PROBLEM_TYPES[code].title}{more.get(code, '')}" for code in found
            ),
            "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return responses


def _headers(repeatable: bool, conditional: bool, if_match: bool) -> list[dict[str, Any]]:
    """The headers an operation looks at."""
    headers = []
    if repeatable:
        headers.append(_IDEMPOTENCY)
    if conditional:
        headers.append(_IF_NONE_MATCH)
    if if_match:
        headers.append(_IF_MATCH)
    return headers


def _path_parameter(name: str) -> dict[str, Any]:
    return {
        "in": "path",
        "name": name,
        "required": True,
        "description": PATH_PARAMETERS[name],
        "schema": {"type": "string", "pattern": ID_PATTERN},
    }


_IDEMPOTENCY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "description": "Any text of your choice; a repeated request with it is answered as before.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "required": False,
    "description": "The ETag you have; 304 if it is still true.",
    "schema": {"type": "string"},
}
_IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "The ETag of the version you change, or `*`; without it 428.",
    "schema": {"type": "string"},
}


def _example(schema: type[ma.Schema]) -> Any:
    return getattr(schema, "EXAMPLE", None)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _first_line(view: View) -> str:
    return (view.__doc__ or "").strip().split("\n")[0]
