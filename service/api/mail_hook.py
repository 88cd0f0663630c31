"""HTTP hook for incoming mail from a mail provider or a script of the operator.

It is not part of the API; `docs/operations.md` describes it. Requests are signed according to
Standard Webhooks, over a JSON body with the mail and its envelope: a captured request works for
no other recipient and no other sender.
"""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson
from flask import Flask, Response, jsonify, request

from engine.contract import Json
from service.core.clock import now
from service.core.config import Settings
from service.core.errors import Problem
from service.mail.inbound.intake import (
    HOOK,
    LATER,
    TOO_LARGE,
    NotTaken,
    receive_or_set_aside,
)

PATH = "/hooks/mail"
BODY_TYPE = "application/json"
SECRET_PREFIX = "whsec_"  # noqa: S105 - what all of them begin with
TOLERANCE = timedelta(minutes=5)


class Envelope(NamedTuple):
    """A mail with the addresses of its SMTP envelope; bounces have an empty sender."""

    recipient: str
    sender: str
    mail: bytes


def register_hooks(app: Flask, settings: Settings) -> None:
    @app.post(PATH)
    def take_mail() -> tuple[Response, int]:
        """Store a mail. The provider may repeat a request whose response was lost."""
        if settings.mail_hook_secret is None:
            raise Problem("not_found", "The mail hook is not configured.")
        request.max_content_length = largest_body(settings)
        body, at = request.get_data(cache=False), now()
        _must_be_signed(settings.mail_hook_secret, body, at)
        if request.mimetype != BODY_TYPE:
            raise Problem(
                "unsupported_media_type", f"Send the mail and its envelope as {BODY_TYPE}."
            )
        envelope = _envelope(body)
        try:
            receipt = receive_or_set_aside(
                envelope.mail, envelope.recipient, envelope.sender, HOOK, at
            )
        except NotTaken as refusal:
            raise _refused(refusal, settings.largest_mail) from refusal
        return jsonify({"id": receipt.id, "new": receipt.new}), 202


def largest_body(settings: Settings) -> int:
    """Bytes of a request with the largest mail, in base64, and its envelope."""
    return settings.largest_mail * 4 // 3 + settings.max_body


def _envelope(body: bytes) -> Envelope:
    """The validated contents of a signed body."""
    try:
        given: Any = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem("invalid_request", "The body is not JSON.") from error
    fields: Json = given if isinstance(given, dict) else {}
    wrong = [name for name in Envelope._fields if not isinstance(fields.get(name), str)]
    if wrong or not fields["recipient"]:
        raise Problem(
            "invalid_request", f"Missing or not a string: {', '.join(wrong) or 'recipient'}."
        )
    try:
        mail = base64.b64decode(fields["mail"], validate=True)
    except ValueError as error:
        raise Problem("invalid_request", "`mail` must be base64.") from error
    return Envelope(fields["recipient"], fields["sender"], mail)


def _refused(refusal: NotTaken, largest: int) -> Problem:
    """The problem for a rejected mail: a provider should retry only after a flood."""
    if refusal.reason in LATER:
        return Problem(
            "too_many_requests",
            "Too many mails to this address, from this sender or for this person.",
            headers={"Retry-After": "3600"},
        )
    if refusal.reason == TOO_LARGE:
        return Problem("body_too_large", f"A mail may have at most {largest:,} bytes.")
    return Problem("not_found", f"Unknown address ({refusal.reason}); do not retry.")


def _must_be_signed(secret: str, body: bytes, at: datetime) -> None:
    """Refuse a request without a current signature."""
    named = ("webhook-id", "webhook-timestamp", "webhook-signature")
    number, moment, signatures = (request.headers.get(name, "") for name in named)
    key = key_of(secret)
    signed = base64.b64encode(hmac.digest(key, _signed(number, moment, body), hashlib.sha256))
    given = [one.partition(",")[2] for one in signatures.split() if one.startswith("v1,")]
    # Compare all of them, so that the time reveals nothing.
    fits = [hmac.compare_digest(signed, one.encode(errors="replace")) for one in given]
    if not number or not any(fits):
        raise Problem("invalid_token", "The signature does not match the body.")
    if not (moment.isascii() and moment.isdigit() and len(moment) < 12):
        raise Problem("invalid_token", "webhook-timestamp must be seconds since 1970.")
    if abs(at.timestamp() - int(moment)) > TOLERANCE.total_seconds():
        raise Problem(
            "invalid_token",
            "The timestamp differs from the current time by more than five minutes.",
        )


def _signed(number: str, moment: str, body: bytes) -> bytes:
    return f"{number}.{moment}.".encode(errors="replace") + body


def key_of(secret: str) -> bytes:
    """The key of a secret: base64 after `whsec_`, otherwise the text itself."""
    if secret.startswith(SECRET_PREFIX):
        text = secret.removeprefix(SECRET_PREFIX)
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
