"""Schemas of webhooks and deliveries."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import moment, page_of, words
from service.db.models.events_webhooks import DeliveryState, DisabledWhy


class WebhookSchema(ma.Schema):
    """A webhook."""

    id = fields.String(required=True)
    url = fields.String(required=True)
    types = fields.List(
        fields.String(), required=True, metadata={"description": "Event types to send; empty: all"}
    )
    enabled = fields.Boolean(required=True)
    disabled_at = moment("When it was disabled", required=True, allow_none=True)
    disabled_why = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf([why.value for why in DisabledWhy]),
        metadata={
            "description": "By its owner, after too many failures, or after a 410 Gone response"
        },
    )
    failing_since = moment(
        "Time of the first failure since the last success; null: the last delivery succeeded",
        required=True,
        allow_none=True,
    )
    old_secret_until = moment(
        "Until when the previous secret also signs", required=True, allow_none=True
    )
    created_at = moment("When it was registered", required=True)


class WebhookWithSecretSchema(WebhookSchema):
    """A webhook with its secret, which is returned only once."""

    secret = words("`whsec_` and base64, in the format of Standard Webhooks", required=True)


class WebhooksSchema(ma.Schema):
    """Your webhooks."""

    items = fields.List(fields.Nested(WebhookSchema), required=True)


class DeliverySchema(ma.Schema):
    """Delivery of one event to a webhook."""

    id = words("Sent as `webhook-id`, the same at every attempt", required=True)
    type = fields.String(required=True)
    event = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Event number; null: a test"}
    )
    state = fields.String(
        required=True,
        validate=validate.OneOf([state.value for state in DeliveryState]),
        metadata={"description": "`failed` will be retried, `dead` will not"},
    )
    attempts = fields.Integer(
        required=True, metadata={"description": "Number of attempts since it was created or resent"}
    )
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "HTTP status of the last response"}
    )
    error = words("Error of the last attempt", required=True, allow_none=True)
    created_at = moment("When it was created", required=True)
    tried_at = moment("The last attempt", required=True, allow_none=True)
    next_try_at = moment("The next attempt; null: none", required=True, allow_none=True)
    sent_at = moment("When it was delivered", required=True, allow_none=True)


DeliveryPageSchema = page_of(DeliverySchema, "Delivery")
