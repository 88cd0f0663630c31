"""The hook by which a mail provider, or a script before it, hands mails in.

It is for those who run the house, as `/metrics` is, and no part of the API: `docs/operations.md`
describes it. Mails are signed as webhooks are (Standard Webhooks): with a secret, the id of the
message and the time, over the bytes of the mail as they are.
"""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime, timedelta

from flask import Flask, Response, jsonify, request

from service.clock import now
from service.config import Settings
from service.inbound.receiving import FLOOD, HOOK, LARGEST, TOO_LARGE, NotTaken, receive
from service.problems import Refused

PATH = "/hooks/mail"
MAIL_TYPE = "message/rfc822"
SECRET_PREFIX = "whsec_"  # noqa: S105 - what all of them begin with
TOLERANCE = timedelta(minutes=5)


def register_hooks(app: Flask, settings: Settings) -> None:
    @app.post(PATH)
    def take_mail() -> tuple[Response, int]:
        """Store a mail; it may be sent again whenever the answer was not heard."""
        if settings.mail_hook_secret is None:
            raise Refused("not_found", "Mails are not taken here.")
        raw, at = request.get_data(cache=False), now()
        _must_be_signed(settings.mail_hook_secret, raw, at)
        if request.mimetype != MAIL_TYPE:
            raise Refused("unsupported_media_type", f"Send the mail as it came, as {MAIL_TYPE}.")
        recipient = request.args.get("recipient")
        if not recipient:
            raise Refused("invalid_request", "Say to which address it was sent: ?recipient=..")
        try:
            receipt = receive(raw, recipient, request.args.get("sender", ""), HOOK, at)
        except NotTaken as refusal:
            raise _refused(refusal) from refusal
        return jsonify({"id": receipt.id, "new": receipt.new}), 202


def _refused(refusal: NotTaken) -> Refused:
    """What a provider should do with a mail that is not taken: try again only after a flood."""
    if refusal.reason == FLOOD:
        return Refused(
            "too_many_requests",
            "Too many mails to this address, or from this sender.",
            headers={"Retry-After": "3600"},
        )
    if refusal.reason == TOO_LARGE:
        return Refused("body_too_large", f"A mail may have {LARGEST:,} bytes.")
    return Refused("not_found", f"There is no such address ({refusal.reason}); do not try again.")


def _must_be_signed(secret: str, raw: bytes, at: datetime) -> None:
    """Refuse what nobody signed who knows the secret, or too long ago."""
    named = ("webhook-id", "webhook-timestamp", "webhook-signature")
    number, moment, signatures = (request.headers.get(name, "") for name in named)
    key = key_of(secret)
    signed = base64.b64encode(hmac.digest(key, _signed(number, moment, raw), hashlib.sha256))
    given = [one.partition(",")[2] for one in signatures.split() if one.startswith("v1,")]
    # All of them are compared, so that the time it takes says nothing.
    fits = [hmac.compare_digest(signed, one.encode(errors="replace")) for one in given]
    if not number or not any(fits):
        raise Refused("invalid_token", "The signature does not fit this mail.")
    if not (moment.isascii() and moment.isdigit() and len(moment) < 12):
        raise Refused("invalid_token", "webhook-timestamp must be seconds since 1970.")
    if abs(at.timestamp() - int(moment)) > TOLERANCE.total_seconds():
        raise Refused("invalid_token", "This was signed too long ago, or by a clock that is wrong.")


def _signed(number: str, moment: str, raw: bytes) -> bytes:
    return f"{number}.{moment}.".encode(errors="replace") + raw


def key_of(secret: str) -> bytes:
    """The key in a secret: base64 after `whsec_`, as elsewhere; any other text as it is."""
    if secret.startswith(SECRET_PREFIX):
        text = secret.removeprefix(SECRET_PREFIX)
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
