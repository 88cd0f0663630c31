"""Addresses that take mail: signed ones, each about one letter, and the server's own.

`turn+<token>` takes replies, `off+<token>` unsubscribes, and `bounce+<token>` takes bounces. The
address in From and `play@` take commands; `postmaster@` and `abuse@` are for the operator.
"""

from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import NamedTuple

from service.core.config import Settings
from service.core.signing import BadSignature, read_signed_id, sign_id

REPLY, OFF, BOUNCE = "turn", "off", "bounce"
PURPOSES = (REPLY, OFF, BOUNCE)
PLAY, OPERATOR = "play", "operator"  # purposes of the server's own addresses
_OWN_NAMES = {"play": PLAY, "postmaster": OPERATOR, "abuse": OPERATOR}
# No decision is open for longer.
GOOD_FOR = timedelta(days=100)


class Address(NamedTuple):
    """Purpose and letter of an address; the server's own addresses are about no letter."""

    purpose: str
    letter_id: str | None


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
    written = text.strip().strip("<>").lower().rstrip(".")
    local, _, domain = written.rpartition("@")
    if (own := own_purpose(settings, written)) is not None:
        return Address(own, None)
    if domain != settings.mail_domain:
        raise NoSuchAddress("other_domain")
    purpose, _, token = local.partition("+")
    if purpose not in PURPOSES:
        raise NoSuchAddress("unknown")
    try:
        return Address(purpose, read_signed_id(settings, purpose, token, at))
    except BadSignature as broken:
        raise NoSuchAddress(broken.reason) from broken


def own_purpose(settings: Settings, written: str) -> str | None:
    """The purpose of one of the server's own addresses; None for any other address."""
    local, _, domain = written.rpartition("@")
    if domain == settings.mail_domain and local in _OWN_NAMES:
        return _OWN_NAMES[local]
    return PLAY if written == own_address(settings) else None


def own_address(settings: Settings) -> str:
    """The address in From of our mails, which takes commands."""
    return parseaddr(settings.mail_from)[1].lower()
