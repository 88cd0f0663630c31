"""Decorators of API views: access, transactions, idempotency, and the problems they document.

`scope`, `any_token`, `session_only`, `conditional`, `if_match`, `returns_secret` and `problems`
declare facts about a view: `service.api.blueprint` checks requests by them and documents them in
`openapi.yaml`. `read_only`, `transactional` and `idempotent` wrap the view.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, TypeVar

from flask import current_app, make_response, request

from service.api.arguments import DEFAULT_BODY_BYTES
from service.api.idempotency import HEADER, respond_once
from service.db.session import in_transaction, reading, transact

T = TypeVar("T")
View = Callable[..., Any]
Decorator = Callable[[View], View]


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


def declare(view: View, **facts: Any) -> View:
    """Add facts to a view. They travel with flask-smorest's own, through every decorator."""
    operation = replace(operation_of(view), **facts)
    view._apidoc = getattr(view, "_apidoc", {}) | {"operation": operation}  # type: ignore[attr-defined]
    return view


def scope(name: str, *, public: bool = False) -> Decorator:
    """A token needs this scope. Anonymous callers are refused unless the view is `public`."""
    return partial(declare, scope=name, public=public, authenticated=not public)


def any_token(view: View) -> View:
    """Every valid credential is enough."""
    return declare(view, authenticated=True)


def session_only(view: View) -> View:
    """The caller is a person who signed in; a token is not enough."""
    return declare(view, authenticated=True, session_only=True)


def conditional(view: View) -> View:
    """The response carries an ETag; `If-None-Match` may make it a 304."""
    return declare(view, conditional=True)


def if_match(view: View) -> View:
    """The request names the version it changes."""
    return declare(view, if_match=True)


def returns_secret(view: View) -> View:
    """The response contains a secret and is never stored: an Idempotency-Key is refused."""
    return declare(view, returns_secret=True)


def problems(*codes: str) -> Decorator:
    """Problems of this view beside those that follow from its other decorators."""
    return lambda view: declare(view, problems=operation_of(view).problems + codes)


def read_only(view: View) -> View:
    """Run the view on one connection that reads."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with reading():
            return view(*args, **kwargs)

    return wrapper


def transactional(view: View) -> View:
    """Run the view in one transaction, which is committed as a whole or not at all."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return atomic(partial(view, *args, **kwargs))

    return wrapper


def atomic(work: Callable[[], T]) -> T:
    """Run in the transaction of an idempotent request, or in one of its own."""
    return work() if in_transaction() else transact(work)


def idempotent(view: View) -> View:
    """Store the response to an Idempotency-Key in the transaction of the view."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if HEADER not in request.headers:
            return view(*args, **kwargs)
        needed = current_operation().scope
        assert needed is not None, "keys belong to callers"
        return transact(lambda: respond_once(lambda: make_response(view(*args, **kwargs)), needed))

    return declare(wrapper, idempotent=True)


def current_operation() -> Operation:
    """The operation of this request."""
    assert request.endpoint is not None, "a view was found"
    return operation_of(current_app.view_functions[request.endpoint])
