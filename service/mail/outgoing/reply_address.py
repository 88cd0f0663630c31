"""Signed addresses that take mail, each about one letter.

`turn+<token>` takes replies, `off+<token>` unsubscribes, and `bounce+<token>` takes bounces.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from service.core.config import Settings
from service.core.signing import BadSignature, read_signed_id, sign_id

REPLY, OFF, BOUNCE = "turn", "off", "bounce"
PURPOSES = (REPLY, OFF, BOUNCE)
# No decision is open for longer.
GOOD_FOR = timedelta(days=100)


class Address(NamedTuple):
    """Purpose and letter of a signed address."""

    purpose: str
    letter_id: str


class NoSuchAddress(Exception):
    """An address that takes no mail; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def address(settings: Settings, purpose: str, letter_id: str, at: datetime) -> str:
    """The signed address of a letter that is sent now, for this purpose."""
    token = sign_id(settings, purpose, letter_id, at + GOOD_FOR)
    return f"{purpose}+{token}@{settings.mail_domain}"


def read_address(settings: Settings, text: str, at: datetime) -> Address:
    """Purpose and letter of an address; raises NoSuchAddress."""
    local, _, domain = text.strip().strip("<>").rpartition("@")
    if domain.lower().rstrip(".") != settings.mail_domain:
        raise NoSuchAddress("other_domain")
    purpose, _, token = local.lower().partition("+")
    if purpose not in PURPOSES:
        raise NoSuchAddress("unknown")
    try:
        return Address(purpose, read_signed_id(settings, purpose, token, at))
    except BadSignature as broken:
        raise NoSuchAddress(broken.reason) from broken
