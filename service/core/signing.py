"""Sealed ids: what a mail carries to prove that whoever shows it got that mail.

A seal says what it is for, which row it names and until when it is good, in small letters and
digits: it stands in mail addresses, of which servers change the case. The key that makes it is
derived for the period in which it ends, so that keys change by themselves; when the secret key of
the service is changed, the old one can be kept for reading (`LAGUNA_OLD_SECRET_KEYS`).
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
PERIOD = 90  # days that are sealed with one key
HIDDEN = "***"
# As it stands in a link or an address, also in one that is escaped within a link.
_SEAL = re.compile(rf"(?:(?<![a-z0-9])|(?<=%2b))[a-z2-7]{{{LENGTH}}}(?![a-z0-9])", re.IGNORECASE)
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)


class BadSignature(Exception):
    """`reason` is `unreadable`, `changed` or `expired`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def sign_id(settings: Settings, purpose: str, row_id: str, until: datetime) -> str:
    """Seal the id of a row for a purpose; it is good until the end of that day."""
    day = (until - _EPOCH).days
    body = _bytes_of(row_id) + day.to_bytes(DAY_BYTES)
    return _text_of(body + _mac(settings.secret_key, purpose, body, day))


def read_signed_id(settings: Settings, purpose: str, sealed: str, at: datetime) -> str:
    """The id of the row that was sealed for this purpose; raises BrokenSeal."""
    if len(sealed) != LENGTH or not sealed.isascii():
        raise BadSignature("unreadable")
    try:
        content = _bytes_of(sealed.lower())
    except binascii.Error:
        raise BadSignature("unreadable") from None
    if _text_of(content) != sealed.lower():  # bits beyond the last byte
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
    """A text without the seals in its links and addresses: for whoever may read what a mail says,
    and not do what having got it allows."""
    return _SEAL.sub(HIDDEN, text)


def _mac(secret: str, purpose: str, body: bytes, day: int) -> bytes:
    period = f"seal {day // PERIOD}"
    key = hmac.digest(secret.encode(), period.encode(), hashlib.sha256)
    return hmac.digest(key, purpose.encode() + b"\0" + body, hashlib.sha256)[:MAC_BYTES]


def _bytes_of(text: str) -> bytes:
    return base64.b32decode(text.upper() + "=" * (-len(text) % 8))


def _text_of(content: bytes) -> str:
    return base64.b32encode(content).decode().lower().rstrip("=")
