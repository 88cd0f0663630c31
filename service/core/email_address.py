"""E-mail addresses: the form in which they are compared, and which of them are accepted.

Accepted are addresses that every mail server reads in the same way: a dot-atom before the @ and a
public domain after it. Quoted local parts, address literals such as `[127.0.0.1]` and names of
local networks are refused.
"""

import contextlib
import unicodedata

from marshmallow import ValidationError
from marshmallow.validate import Email

LONGEST = 254
LONGEST_LOCAL = 64
LOCALHOST = "localhost"
# Top-level domains that lead to no server on the internet (RFC 6761, RFC 6762, RFC 7686).
NOT_PUBLIC = frozenset({"arpa", "internal", "invalid", "local", LOCALHOST, "onion", "test"})
_is_address = Email()


def normal_address(email: str) -> str:
    """The form in which addresses are stored and compared.

    Tags such as `anna+games@` stay: many servers deliver them to `anna@`, on others they are a
    mailbox of another person, who needs an account of their own.
    """
    local, at, domain = email.strip().lower().rpartition("@")
    if "xn--" in domain:  # another spelling of a domain in another script
        with contextlib.suppress(UnicodeError):
            domain = domain.encode().decode("idna")
    return f"{local}{at}{domain}"


def mailbox_of(email: str) -> str:
    """The mailbox of an address, without a `+tag`, for limits on mails. A wrong guess only delays a
    mail."""
    local, _, domain = normal_address(email).rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def is_acceptable(email: str, local_ones: bool = False) -> bool:
    """Whether mail may be sent to this address; `local_ones` accepts `name@localhost`, too."""
    local, _, domain = email.lower().rpartition("@")
    if not email.isprintable() or unicodedata.normalize("NFKC", email) != email:
        return False  # full-width letters and the like: another spelling of the same mailbox
    if len(email.lower()) > LONGEST or len(local) > LONGEST_LOCAL or local.startswith('"'):
        return False
    if domain == LOCALHOST:
        return local_ones
    last = domain.rpartition(".")[2]
    if domain.startswith("[") or last in NOT_PUBLIC or last.isdigit():
        return False
    try:
        _is_address(email)
    except ValidationError:
        return False
    return True
