"""What a request shows and says, read strictly: anything odd is a clear problem."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import orjson
from flask import g, request
from marshmallow import Schema, ValidationError

from service.access.credentials import STRANGER, Key
from service.access.csrf import HEADER, is_form_token, session_holder
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import digest

WRITING = ("POST", "PUT", "PATCH", "DELETE")
MOST_ERRORS = 20  # listed in one problem; the others are counted
MOST_VALUES = 1000  # in the JSON of a body, keys of objects and items of lists
MOST_DEPTH = 20


def shown_key() -> Key:
    """The key this request shows. Who sends a token is judged by the token alone; scripts of our
    pages have the session's cookie instead, and to change something the token of their page."""
    if "key" not in g:
        g.key = _read_key()
    key: Key = g.key
    return key


def _read_key() -> Key:
    header = request.headers.get("Authorization")
    if header is None:
        return _session_key()
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Problem("invalid_token", "Send the token as `Authorization: Bearer lag_..`.")
    return Key(digest(secret.strip()))


def _session_key() -> Key:
    secret = request.cookies.get(settings().session_cookie)
    if not secret:
        return STRANGER
    key = digest(secret)
    if request.method in WRITING and not is_form_token(
        request.headers.get(HEADER, ""), session_holder(key)
    ):
        raise Problem(
            "csrf_failed",
            f"Nothing was changed. Send a token as `Authorization: Bearer lag_..`, or the page's "
            f"own as `{HEADER}`; if you did, your session has ended.",
        )
    return Key(key)


def read_body(schema: Schema) -> Any:
    """The JSON of the request, as its schema wants it; unknown fields are named one by one."""
    if may_be_empty(schema) and not request.mimetype and not request.get_data(cache=True):
        return _loaded(schema, {}, "")
    if request.mimetype != "application/json":
        got = request.mimetype or "nothing"
        raise Problem(
            "unsupported_media_type",
            f"The body must be application/json, not {got[:60]}.",
            headers={"Accept": "application/json"},
        )
    data = request.get_data(cache=True)
    most = request.max_content_length
    if most is not None and len(data) >= most:  # of undeclared length, and cut off
        raise body_too_large(most)
    value = read_json(data)
    _check_extent(value)
    return _loaded(schema, value, "")


def limit_body(most: int) -> None:
    """Refuse a body of more bytes: at once if its length is declared, otherwise when it is read."""
    request.max_content_length = most
    if (request.content_length or 0) > most:
        raise body_too_large(most)


def body_too_large(most: int) -> Problem:
    return Problem("body_too_large", f"The body of this request may have {most:,} bytes at most.")


def _check_extent(value: Any) -> None:
    """Refuse JSON of too many values or levels: to validate one costs a hundred times as much as
    to parse it."""
    level, count, depth = [value], 0, 0
    while level:
        inside: list[Any] = []
        for outer in level:
            if isinstance(outer, dict):
                inside.extend(outer.values())
            elif isinstance(outer, list):
                inside.extend(outer)
        level, count, depth = inside, count + len(inside), depth + 1
        if count > MOST_VALUES or depth > MOST_DEPTH:
            raise Problem(
                "malformed_request",
                f"The body has more than {MOST_VALUES:,} values, or more than {MOST_DEPTH} levels.",
            )


def may_be_empty(schema: Schema) -> bool:
    """Whether a request may leave its body out."""
    return not any(field.required for field in schema.fields.values())


def read_query(schema: Schema) -> Any:
    """The parameters of the request, each given once."""
    if not request.query_string:
        return _usual(schema).copy()
    for name, values in request.args.lists():
        if len(values) > 1:
            raise Problem(
                "invalid_request",
                f"The parameter {name[:40]} is given more than once.",
                errors=[{"pointer": f"?{name[:40]}", "detail": "Give it once."}],
            )
    return _loaded(schema, request.args.to_dict(), "?")


@cache
def _usual(schema: Schema) -> dict[str, Any]:
    """What a request without parameters means."""
    usual: dict[str, Any] = _loaded(schema, {}, "?")
    return usual


def _loaded(schema: Schema, data: Any, prefix: str) -> Any:
    try:
        return schema.load(data)
    except ValidationError as error:
        found = _flat(prefix, error.messages)
        errors = [
            {"pointer": pointer, "detail": detail} for pointer, detail in islice(found, MOST_ERRORS)
        ]
        omitted = sum(1 for _ in found)
        raise Problem(
            "invalid_request",
            "; ".join(f"{item['pointer'] or 'body'}: {item['detail']}" for item in errors)[:500],
            errors=errors,
            more={"errors_omitted": omitted} if omitted else None,
        ) from error


def read_json(body: bytes) -> Any:
    """The value of a JSON text; raises `malformed_request`."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem("malformed_request", f"The body is not JSON: {error}.") from error


def _flat(prefix: str, messages: Any) -> Iterator[tuple[str, str]]:
    """Nested messages of a schema as pointers (RFC 6901) with what is wrong there."""
    if isinstance(messages, dict):
        if messages.keys() <= {"key", "value"}:  # a member of an object: not a place of its own
            for inner in messages.values():
                yield from _flat(prefix, inner)
            return
        for key, inner in messages.items():
            yield from _flat(prefix if key == "_schema" else _pointer(prefix, str(key)), inner)
    elif isinstance(messages, list):
        yield prefix, " ".join(str(message) for message in messages)
    else:
        yield prefix, str(messages)


def _pointer(prefix: str, key: str) -> str:
    key = key[:60]
    if prefix == "?":
        return f"?{key}"
    return f"{prefix}/{key.replace('~', '~0').replace('/', '~1')}"
