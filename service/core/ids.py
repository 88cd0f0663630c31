"""Random ids, and digests of secrets."""

import base64
import hashlib
import hmac
import re
import secrets

ID_BYTES = 10
ID = re.compile("[a-z2-7]{16}")
ID_PATTERN = f"^{ID.pattern}$"
SECRET_BYTES = 32


def new_id() -> str:
    """A random id of sixteen small letters and digits, safe in paths, mails and file names."""
    return base64.b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()


def new_secret(prefix: str) -> str:
    """A secret of 256 random bits, with a prefix for scanners of leaked secrets."""
    body = base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode().lower().rstrip("=")
    return prefix + body


def digest(secret: str) -> str:
    """The stored form of a random secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_digest(key: str, *parts: str) -> str:
    """The stored form of a secret that is short enough to be guessed, such as a mailed code."""
    return hmac.new(key.encode(), "\n".join(parts).encode(), hashlib.sha256).hexdigest()
