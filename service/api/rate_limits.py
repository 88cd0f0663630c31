"""Request limits: by person once the credential is known, otherwise by client address.

All tokens, sessions and bots of a person count together. An invalid credential counts as none.
An address above its limit is refused only requests without a valid credential, so that an
attacker locks out nobody who shares the address.
"""

import threading

from cachetools import TTLCache
from flask import Flask, Response, current_app, g, request
from sqlalchemy.exc import SQLAlchemyError

from service.access.credentials import STRANGER, Key, person_to_count
from service.api.authentication import request_key
from service.core.client_address import client_address
from service.core.config import Settings
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ids import digest
from service.core.rate_limits import (
    rate_item,
    rate_limiter,
    register_rate_limits,
    too_often,
)
from service.db.session import reading

EXTENSION = "laguna_known_credentials"
MOST_KNOWN = 20_000
KNOWN_SECONDS = 300.0
API = "/v1/"
# All mails come from one server, and unsigned requests are cheap to refuse.
FREE = ("/healthz", "/readyz", "/static/", "/hooks/")


class KnownCredentials:
    """Cache of the people behind credentials that were valid recently, for counting only: it
    saves a statement per request."""

    def __init__(self) -> None:
        self.people: TTLCache[str, str] = TTLCache(MOST_KNOWN, KNOWN_SECONDS)
        self.lock = threading.Lock()

    def person_of(self, key: Key) -> str | None:
        """The person to count by; None if the credential is not known to be valid."""
        if key.digest is None:
            return None
        with self.lock:
            person: str | None = self.people.get(key.digest)
        if person is None:
            person = self._looked_up(key)
            if person is not None:
                with self.lock:
                    self.people[key.digest] = person
        return person

    def _looked_up(self, key: Key) -> str | None:
        try:
            with reading():
                return person_to_count(key)
        except SQLAlchemyError:  # the view reports it if it needs the database
            return None


def register_limits(app: Flask, settings: Settings) -> None:
    register_rate_limits(app, settings)
    app.extensions[EXTENSION] = KnownCredentials()
    app.before_request(_count_request)
    app.after_request(_add_headers)


def _count_request() -> None:
    if request.path.startswith(FREE) or request.method == "OPTIONS":
        return
    known: KnownCredentials = current_app.extensions[EXTENSION]
    person = known.person_of(_credential())
    limits = settings().limits
    if person is not None:
        rate, usage = limits.requests, rate_limiter().hit(limits.requests, "person", person)
    else:
        rate = limits.anonymous_requests
        usage = rate_limiter().hit(rate, "address", client_address())
    g.rate = (rate, usage.left)
    if not usage.allowed:
        raise too_often("too_many_requests", "Too many requests", usage.reset)


def _credential() -> Key:
    """The token, or the session cookie of a page. Views refuse malformed headers, not the
    limiter."""
    if not request.path.startswith(API):
        secret = request.cookies.get(settings().session_cookie)
        return Key(digest(secret)) if secret else STRANGER
    try:
        return request_key()
    except Problem:
        return STRANGER


def _add_headers(response: Response) -> Response:
    used = g.get("rate")
    if used is not None:
        rate, left = used
        item = rate_item(rate)
        policy = f'"requests";q={item.amount};w={item.get_expiry()}'
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", f'"requests";r={left}')
    return response
