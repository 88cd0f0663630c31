"""Credential of a request, and the access it gives with the scope that the view declares.

The credential is a bearer token, or the session cookie of a page with its form token.
"""

from flask import g, request

from service.access.credentials import (
    STRANGER,
    Caller,
    Key,
    access_caller,
    access_session,
    access_visitor,
)
from service.access.csrf import HEADER, is_form_token, session_holder
from service.access.games import (
    GameAccess,
    KnownAccess,
    SeatAccess,
    access_game,
    access_hosted,
    access_seat,
)
from service.api.operation import current_operation, writes
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import digest


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
    if writes() and not is_form_token(request.headers.get(HEADER, ""), session_holder(key)):
        raise Problem(
            "csrf_failed",
            f"Send a token as `Authorization: Bearer lag_..`, or the form token of the page as "
            f"`{HEADER}`. If you did, the session has expired.",
        )
    return Key(key)


def request_caller() -> Caller:
    operation = current_operation()
    if operation.session_only:
        return access_session(request_key())
    return access_caller(request_key(), operation.scope)


def request_visitor() -> Caller | None:
    """The caller; None if the request is anonymous."""
    return access_visitor(request_key(), current_operation().scope)


def game_access(game_id: str) -> GameAccess:
    return access_game(request_key(), _scope(), game_id)


def seat_access(game_id: str) -> SeatAccess:
    """Access of a player to a game, which a request that writes locks."""
    return access_seat(request_key(), _scope(), game_id, for_update=writes())


def hosted_access(game_id: str) -> KnownAccess:
    """Access of the host to a table, which a request that writes locks."""
    return access_hosted(request_key(), _scope(), game_id, for_update=writes())


def _scope() -> str:
    scope = current_operation().scope
    assert scope is not None, "views of games declare a scope"
    return scope
