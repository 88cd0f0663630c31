"""Webhooks and what was sent to them."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import moment, page_of, words
from service.db.models.events_webhooks import DeliveryState, DisabledWhy


class WebhookSchema(ma.Schema):
    """A program that is told what you are told."""

    id = fields.String(required=True)
    url = fields.String(required=True)
    types = fields.List(
        fields.String(), required=True, metadata={"description": "Those wanted; none: all"}
    )
    enabled = fields.Boolean(required=True)
    disabled_at = moment("When it was switched off", required=True, allow_none=True)
    disabled_why = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf([why.value for why in DisabledWhy]),
        metadata={
            "description": "By you, after too many failures, or the address answered 410 Gone"
        },
    )
    failing_since = moment(
        "Nothing has arrived since; null: the last delivery did", required=True, allow_none=True
    )
    old_secret_until = moment(
        "Until when the secret before signs along", required=True, allow_none=True
    )
    created_at = moment("When it was registered", required=True)


class WebhookWithSecretSchema(WebhookSchema):
    """A webhook with its secret, which is told this once."""

    secret = words("`whsec_` and base64, as Standard Webhooks wants it", required=True)


class WebhooksSchema(ma.Schema):
    """Your webhooks."""

    items = fields.List(fields.Nested(WebhookSchema), required=True)


class DeliverySchema(ma.Schema):
    """One event on its way to a webhook."""

    id = words("Sent as `webhook-id`, the same at every attempt", required=True)
    type = fields.String(required=True)
    event = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Its number; null: a test"}
    )
    state = fields.String(
        required=True,
        validate=validate.OneOf([state.value for state in DeliveryState]),
        metadata={"description": "`failed` will be tried again, `dead` will not"},
    )
    attempts = fields.Integer(
        required=True, metadata={"description": "Since it was written or sent again"}
    )
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "HTTP status of the last answer"}
    )
    error = words("What went wrong at the last attempt", required=True, allow_none=True)
    created_at = moment("When it was written", required=True)
    tried_at = moment("The last attempt", required=True, allow_none=True)
    next_try_at = moment("The next attempt; null: none", required=True, allow_none=True)
    sent_at = moment("When it arrived", required=True, allow_none=True)


DeliveryPageSchema = page_of(DeliverySchema, "Delivery")
