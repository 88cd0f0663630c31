"""Credential of a request: a bearer token, or the session cookie of a page with its form token."""

from flask import g, request

from service.access.credentials import STRANGER, Key
from service.access.csrf import HEADER, is_form_token, session_holder
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import digest

WRITING_METHODS = ("POST", "PUT", "PATCH", "DELETE")


def request_key() -> Key:
    """The credential of this request. An `Authorization` header takes precedence over cookies."""
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
    if request.method in WRITING_METHODS and not is_form_token(
        request.headers.get(HEADER, ""), session_holder(key)
    ):
        raise Problem(
            "csrf_failed",
            f"Send a token as `Authorization: Bearer lag_..`, or the form token of the page as "
            f"`{HEADER}`. If you did, the session has expired.",
        )
    return Key(key)
