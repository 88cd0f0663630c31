"""Signed ids: proof that the bearer has received a mail.

A signed id contains the id of a row and a day of expiry, and is valid for one purpose. It consists
of small letters and digits, because mail servers change the case of addresses. Its key is derived
for the period in which it expires, so that keys rotate; after a change of the secret key the old
one stays valid for reading (`LAGUNA_OLD_SECRET_KEYS`).
"""

import base64
import binascii
import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta

from service.core.config import Settings

MAC_BYTES = 10
DAY_BYTES = 2
ID_BYTES = 10
LENGTH = -(-(ID_BYTES + DAY_BYTES + MAC_BYTES) * 8 // 5)
PERIOD = 90  # days of one key
HIDDEN = "***"
# In a link or an address, also percent-encoded within a link.
_SIGNED = re.compile(rf"(?:(?<![a-z0-9])|(?<=%2b))[a-z2-7]{{{LENGTH}}}(?![a-z0-9])", re.IGNORECASE)
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)


class BadSignature(Exception):
    """An invalid signed id; `reason` is `unreadable`, `changed` or `expired`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def sign_id(settings: Settings, purpose: str, row_id: str, until: datetime) -> str:
    """Sign the id of a row for a purpose; valid until the end of that day."""
    day = (until - _EPOCH).days
    body = _bytes_of(row_id) + day.to_bytes(DAY_BYTES)
    return _text_of(body + _mac(settings.secret_key, purpose, body, day))


def read_signed_id(settings: Settings, purpose: str, signed: str, at: datetime) -> str:
    """The id that was signed for this purpose; raises BadSignature."""
    if len(signed) != LENGTH or not signed.isascii():
        raise BadSignature("unreadable")
    try:
        content = _bytes_of(signed.lower())
    except binascii.Error:
        raise BadSignature("unreadable") from None
    if _text_of(content) != signed.lower():  # bits beyond the last byte
        raise BadSignature("changed")
    body, mac = content[:-MAC_BYTES], content[-MAC_BYTES:]
    day = int.from_bytes(body[ID_BYTES:])
    keys = (settings.secret_key, *settings.old_secret_keys)
    if not any(hmac.compare_digest(mac, _mac(key, purpose, body, day)) for key in keys):
        raise BadSignature("changed")
    if at >= _EPOCH + timedelta(days=day + 1):
        raise BadSignature("expired")
    return _text_of(body[:ID_BYTES])


def without_signed_ids(text: str) -> str:
    """The text with signed ids in links and addresses masked, for other readers of a mail."""
    return _SIGNED.sub(HIDDEN, text)


def _mac(secret: str, purpose: str, body: bytes, day: int) -> bytes:
    period = f"seal {day // PERIOD}"
    key = hmac.digest(secret.encode(), period.encode(), hashlib.sha256)
    return hmac.digest(key, purpose.encode() + b"\0" + body, hashlib.sha256)[:MAC_BYTES]


def _bytes_of(text: str) -> bytes:
    return base64.b32decode(text.upper() + "=" * (-len(text) % 8))


def _text_of(content: bytes) -> str:
    return base64.b32encode(content).decode().lower().rstrip("=")
