"""Declared facts about an API view, from which requests are checked and documented."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from flask import current_app, request

from service.api.arguments import DEFAULT_BODY_BYTES

View = Callable[..., object]
Decorator = Callable[[View], View]
WRITING_METHODS = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Operation:
    """Declared facts about a view."""

    authenticated: bool = False  # the caller needs a credential
    public: bool = False  # a credential is optional, and checked if there is one
    scope: str | None = None  # of a token
    session_only: bool = False
    body_bytes: int = DEFAULT_BODY_BYTES
    has_body: bool = False
    has_query: bool = False
    idempotent: bool = False
    returns_secret: bool = False
    conditional: bool = False
    if_match: bool = False
    problems: tuple[str, ...] = ()


NOTHING_DECLARED = Operation()


def operation_of(view: View) -> Operation:
    found: Operation = getattr(view, "_apidoc", {}).get("operation", NOTHING_DECLARED)
    return found


def current_operation() -> Operation:
    """The operation of this request."""
    assert request.endpoint is not None, "a view was found"
    return operation_of(current_app.view_functions[request.endpoint])


def declare(view: View, **facts: Any) -> View:
    """Add facts to a view. They travel with flask-smorest's own, through every decorator."""
    operation = replace(operation_of(view), **facts)
    view._apidoc = getattr(view, "_apidoc", {}) | {"operation": operation}  # type: ignore[attr-defined]
    return view


def writes() -> bool:
    """Whether this request may change something."""
    return request.method in WRITING_METHODS
