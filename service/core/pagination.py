"""Cursors of pages: opaque to clients, and validated."""

import base64
import binascii
from datetime import UTC, datetime
from typing import Any

import orjson

from service.core.errors import Problem


def cursor_from(*parts: object) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode().rstrip("=")


def read_cursor(cursor: str | None, *kinds: type) -> list[Any] | None:
    """The parts of a cursor, converted to their types; None for the first page."""
    if cursor is None:
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = orjson.loads(raw)
    except (binascii.Error, ValueError) as error:
        raise bad_cursor() from error
    if (
        not isinstance(parts, list)
        or len(parts) != len(kinds)
        or any(type(part) is not kind for part, kind in zip(parts, kinds))
        or any(isinstance(part, int) and not 0 <= part < 2**62 for part in parts)
        or any(isinstance(part, str) and "\x00" in part for part in parts)
    ):
        raise bad_cursor()
    return parts


def read_instant(text: str) -> datetime:
    """A timestamp from a cursor."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise bad_cursor() from error
    raise bad_cursor()


def bad_cursor() -> Problem:
    detail = "This is not a cursor that we gave you; begin without one."
    return Problem("invalid_request", detail, errors=[{"pointer": "?cursor", "detail": detail}])
