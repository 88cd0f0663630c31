"""Decorators of API views: access, idempotency, and the problems they document.

`service.api.blueprint` checks requests by these declarations, documents them in `openapi.yaml`, and
runs each view in its transaction.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import TypeVar

from flask import make_response, request

from service.api.authentication import request_caller
from service.api.idempotency import HEADER, respond_once
from service.api.operation import Decorator, View, declare, operation_of
from service.db.session import in_transaction, transact

T = TypeVar("T")


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


def idempotent(view: View) -> View:
    """Store the response to an Idempotency-Key in the transaction of the view."""

    @wraps(view)
    def wrapper(*args: object, **kwargs: object) -> object:
        if HEADER not in request.headers:
            return view(*args, **kwargs)
        return transact(
            lambda: respond_once(request_caller(), lambda: make_response(view(*args, **kwargs)))
        )

    return declare(wrapper, idempotent=True)


def atomic(work: Callable[[], T]) -> T:
    """Run in the transaction of an idempotent request, or in one of its own."""
    return work() if in_transaction() else transact(work)
