"""Schemas of webhooks and deliveries."""

from marshmallow import fields, validate

from service.api.schemas.common import ResponseSchema, list_of, moment, number, page_of, words
from service.db.models.events_webhooks import DeliveryState, DisabledWhy


class WebhookSchema(ResponseSchema):
    """A webhook."""

    id = fields.String()
    url = fields.String()
    types = fields.List(
        fields.String(), metadata={"description": "Event types to send; empty: all"}
    )
    enabled = fields.Boolean()
    disabled_at = moment("When it was disabled", allow_none=True)
    disabled_why = fields.String(
        allow_none=True,
        validate=validate.OneOf([why.value for why in DisabledWhy]),
        metadata={
            "description": "By its owner, after too many failures, or after a 410 Gone response"
        },
    )
    failing_since = moment(
        "Time of the first failure since the last success; null: the last delivery succeeded",
        allow_none=True,
    )
    old_secret_until = moment("Until when the previous secret also signs", allow_none=True)
    created_at = moment("When it was registered")


class WebhookWithSecretSchema(WebhookSchema):
    """A webhook with its secret, which is returned only once."""

    secret = words("`whsec_` and base64, in the format of Standard Webhooks")


WebhooksSchema = list_of(WebhookSchema, "Webhooks", "Your webhooks.")


class DeliverySchema(ResponseSchema):
    """Delivery of one event to a webhook."""

    id = words("Sent as `webhook-id`, the same at every attempt")
    type = fields.String()
    event = number("Event number; null: a test", allow_none=True, attribute="number")
    state = words(
        "`failed` will be retried, `dead` will not",
        validate=validate.OneOf([state.value for state in DeliveryState]),
    )
    attempts = number("Number of attempts since it was created or resent")
    status = number("HTTP status of the last response", allow_none=True)
    error = words("Error of the last attempt", allow_none=True)
    created_at = moment("When it was created")
    tried_at = moment("The last attempt", allow_none=True)
    next_try_at = moment("The next attempt; null: none", allow_none=True)
    sent_at = moment("When it was delivered", allow_none=True)


DeliveryPageSchema = page_of(DeliverySchema, "Delivery")
