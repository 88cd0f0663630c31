"""Schemas of the event log."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import BIGGEST_NUMBER, moment
from service.api.schemas.games import free_object
from service.notify.event_log import EVENT_TYPES

LONGEST_WAIT = 60


class EventSchema(ma.Schema):
    """An event of your log. Numbers have no gaps."""

    number = fields.Integer(
        required=True,
        metadata={"description": "Number in your log, from 1; 0 in a test delivery"},
    )
    type = fields.String(
        required=True,
        metadata={
            "description": "Types may be added; ignore unknown ones. "
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
            "description": "Events are kept for 90 days by default. If the first number is higher "
            "than `after` + 1, the events between were deleted; get the current state of your games"
        },
    )
    last = fields.Integer(required=True, metadata={"description": "Next value of `after`"})


class EventsQuery(ma.Schema):
    """Position in the log, and time to wait for the next event."""

    after = fields.Integer(
        load_default=0,
        validate=validate.Range(0, BIGGEST_NUMBER),
        metadata={"description": "Number of the last event you have"},
    )
    wait = fields.Integer(
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT),
        metadata={"description": "Seconds to wait if there is no later event"},
    )
    limit = fields.Integer(load_default=100, validate=validate.Range(1, 500))
