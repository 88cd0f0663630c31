"""Form tokens against cross-site request forgery, sent by forms and scripts of our pages.

Each is bound to the viewer of the page, and masked anew each time, so that the size of a compressed
page does not reveal it.
"""

import hmac
import secrets

from flask import current_app

from service.core.ids import keyed_digest

HEADER = "X-Form-Token"
_BYTES = 32


def new_form_token(holder: str) -> str:
    """A token for the pages of this holder."""
    mask = secrets.token_bytes(_BYTES)
    return (mask + _mixed(mask, _expected(holder))).hex()


def is_form_token(given: str, holder: str) -> bool:
    """Whether this is a token of the holder."""
    try:
        data = bytes.fromhex(given)
    except ValueError:
        return False
    return hmac.compare_digest(_mixed(data[:_BYTES], data[_BYTES:]), _expected(holder))


def session_holder(digest: str) -> str:
    """The holder of pages of a session."""
    return f"session {digest}"


def _expected(holder: str) -> bytes:
    secret_key = str(current_app.config["SECRET_KEY"])
    return bytes.fromhex(keyed_digest(secret_key, "form", holder))


def _mixed(mask: bytes, data: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(mask, data, strict=False))
