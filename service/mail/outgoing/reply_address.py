"""The addresses of our own to which mail may come, each of them about one letter.

`turn+<seal>` answers a letter, `off+<seal>` wants no more such letters, and `bounce+<seal>` is
where servers return what they cannot deliver. No other address takes mail.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from service.core.config import Settings
from service.core.signing import BadSignature, read_signed_id, sign_id

REPLY, OFF, BOUNCE = "turn", "off", "bounce"
PURPOSES = (REPLY, OFF, BOUNCE)
# The house plays after this at the latest, so that nothing that a letter asks is open longer.
GOOD_FOR = timedelta(days=100)


class Address(NamedTuple):
    """What an address of ours is for, and the letter it is about."""

    purpose: str
    letter_id: str


class NoSuchAddress(Exception):
    """`reason` says why, for a log and for the server that asks."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def address(settings: Settings, purpose: str, letter_id: str, at: datetime) -> str:
    """The address for this purpose of a letter that is sent now."""
    token = sign_id(settings, purpose, letter_id, at + GOOD_FOR)
    return f"{purpose}+{token}@{settings.mail_domain}"


def read_address(settings: Settings, text: str, at: datetime) -> Address:
    """What an address of ours is for; raises NoSuchAddress."""
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
