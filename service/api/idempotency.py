"""Idempotency-Key: the response to a key is stored in the transaction of its request."""

import hashlib
import re
from collections.abc import Callable

from flask import Response, request
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError

from service.access.credentials import Caller
from service.access.scopes import GAMES_READ
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import KeptAnswer
from service.db.session import db

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEPT_HEADERS = ("Content-Type", "Location", "ETag", "Link")
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
LOCK_TIMEOUT = "55P03"


def respond_once(caller: Caller, work: Callable[[], Response]) -> Response:
    """The response of this work, or the stored one of an earlier request with the same key.

    Only successful responses are stored: a refused request changed nothing and may be repeated.
    """
    key = request.headers[HEADER]
    if not _KEY.fullmatch(key):
        raise Problem(
            "bad_idempotency_key", "The key has 1 to 200 visible ASCII characters, no spaces."
        )
    person_id, fingerprint = caller.person_id, _fingerprint(GAMES_READ in caller.scopes)
    _wait_briefly()
    try:
        with db.session.begin_nested():
            db.session.execute(
                insert(KeptAnswer).values(
                    person_id=person_id, key=key, fingerprint=fingerprint, created_at=now()
                )
            )
    except IntegrityError:
        return _replayed(person_id, key, fingerprint)
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_TIMEOUT:
            raise
        raise Problem(
            "request_in_progress",
            "The first request with this key is still in progress. Please retry.",
        ) from error
    _wait_as_usual()
    response = work()
    db.session.execute(
        update(KeptAnswer)
        .where(KeptAnswer.person_id == person_id, KeptAnswer.key == key)
        .values(
            status=response.status_code,
            headers={
                name: response.headers[name] for name in KEPT_HEADERS if name in response.headers
            },
            body=response.get_data(),
        )
    )
    return response


def _wait_briefly() -> None:
    """Limit the time for which PostgreSQL lets the second of two equal keys wait for the first."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(text("SET LOCAL lock_timeout = '3s'"))


def _wait_as_usual() -> None:
    if db.engine.dialect.name == "postgresql":
        db.session.execute(text("SET LOCAL lock_timeout = DEFAULT"))


def _fingerprint(reads: bool) -> str:
    """Digest of a request and of the caller's right to read games, on which responses depend."""
    address, body = request.full_path.encode(), request.get_data(cache=True)
    seen = hashlib.sha256()
    for part in (request.method.encode(), address, body, b"reads" if reads else b""):
        seen.update(len(part).to_bytes(8, "big"))
        seen.update(part)
    return seen.hexdigest()


def _replayed(person_id: str, key: str, fingerprint: str) -> Response:
    kept = db.session.execute(
        select(KeptAnswer).where(KeptAnswer.person_id == person_id, KeptAnswer.key == key)
    ).scalar_one()
    if kept.fingerprint != fingerprint:
        raise Problem(
            "idempotency_key_reused",
            "The key was used for a different request. Use a new key.",
        )
    assert kept.status is not None, "kept in the transaction that answered"
    response = Response(kept.body, status=kept.status, headers=kept.headers or {})
    response.headers[REPLAYED] = "true"
    return response
