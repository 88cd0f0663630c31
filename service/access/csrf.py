"""Tokens that show that a request comes from a page of ours: forms carry one, and scripts.

Each is bound to whoever was shown the page. It looks different every time, so that a page which
is compressed does not tell it by its length.
"""

import hmac
import secrets

from flask import current_app

from service.core.ids import keyed_digest

HEADER = "X-Form-Token"
_BYTES = 32


def new_form_token(holder: str) -> str:
    """A token for the pages of this holder, good as long as the holder is the same."""
    mask = secrets.token_bytes(_BYTES)
    return (mask + _mixed(mask, _expected(holder))).hex()


def is_form_token(given: str, holder: str) -> bool:
    """Whether this came from a page that was made for the holder."""
    try:
        data = bytes.fromhex(given)
    except ValueError:
        return False
    return hmac.compare_digest(_mixed(data[:_BYTES], data[_BYTES:]), _expected(holder))


def session_holder(digest: str) -> str:
    """Who was shown a page after signing in."""
    return f"session {digest}"


def _expected(holder: str) -> bytes:
    secret_key = str(current_app.config["SECRET_KEY"])
    return bytes.fromhex(keyed_digest(secret_key, "form", holder))


def _mixed(mask: bytes, data: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(mask, data, strict=False))
