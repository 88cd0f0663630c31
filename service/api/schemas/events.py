"""Events as programs follow them."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import BIGGEST_NUMBER, moment
from service.api.schemas.games import free_object
from service.notify.event_log import EVENT_TYPES

LONGEST_WAIT = 60


class EventSchema(ma.Schema):
    """Something you were told. Numbers have no gaps."""

    number = fields.Integer(
        required=True,
        metadata={"description": "In your log, from 1 on; 0 in the test of a webhook"},
    )
    type = fields.String(
        required=True,
        metadata={
            "description": "More may come; ignore what you do not know. "
            + " ".join(f"`{name}`: {text}" for name, text in EVENT_TYPES.items())
        },
    )
    game = fields.String(required=True, allow_none=True)
    at = moment("When", required=True)
    data = free_object("By type", required=True)


class EventsSchema(ma.Schema):
    """Events, oldest first."""

    items = fields.List(
        fields.Nested(EventSchema),
        required=True,
        metadata={
            "description": "Events are kept for a while (90 days, unless the operator says "
            "otherwise): if the first number is higher than `after` + 1, those in between are "
            "deleted, and your games say what is true now"
        },
    )
    last = fields.Integer(required=True, metadata={"description": "Go on with this as `after`"})


class EventsQuery(ma.Schema):
    """From where, and how long to wait for the next."""

    after = fields.Integer(
        load_default=0,
        validate=validate.Range(0, BIGGEST_NUMBER),
        metadata={"description": "The number of the last event you have"},
    )
    wait = fields.Integer(
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT),
        metadata={"description": "If there is nothing new, wait so many seconds for it"},
    )
    limit = fields.Integer(load_default=100, validate=validate.Range(1, 500))
