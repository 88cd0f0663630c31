"""Validation of input about webhooks, for the API and for forms."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from service.core.fields import Flag
from service.notify.event_log import EVENT_TYPES

LONGEST_URL = 500


def _url(**kwargs: Any) -> fields.String:
    return fields.String(
        validate=[validate.Length(1, LONGEST_URL), validate.Regexp(r"^https?://[!-~]+$")],
        metadata={
            "description": "An https URL on the public internet that accepts POST, on port 443 or "
            "1024 and above. The name is resolved before each delivery, so send a test.",
            "format": "uri",
        },
        **kwargs,
    )


def _types(**kwargs: Any) -> fields.List[str]:
    return fields.List(
        fields.String(validate=validate.OneOf(list(EVENT_TYPES))),
        validate=validate.Length(0, len(EVENT_TYPES)),
        metadata={"description": "Event types to send; empty: all"},
        **kwargs,
    )


class NewWebhookSchema(ma.Schema):
    """A webhook to register."""

    url = _url(required=True)
    types = _types(load_default=list)


class WebhookChangesSchema(ma.Schema):
    """Fields to change; others stay."""

    url = _url()
    types = _types()
    enabled = Flag(metadata={"description": "false disables, true enables"})
