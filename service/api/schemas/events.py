"""Schemas of the event log."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import (
    BIGGEST_NUMBER,
    ResponseSchema,
    free_object,
    moment,
    number,
    several,
    words,
)
from service.notify.event_log import EVENT_TYPES

LONGEST_WAIT = 60


class EventSchema(ResponseSchema):
    """An event of your log. Numbers have no gaps."""

    number = number("Number in your log, from 1; 0 in a test delivery")
    type = words(
        "Types may be added; ignore unknown ones. "
        + " ".join(f"`{name}`: {text}" for name, text in EVENT_TYPES.items())
    )
    game = fields.String(allow_none=True)
    at = moment("When")
    data = free_object("By type")


class EventsSchema(ResponseSchema):
    """Events, oldest first."""

    items = several(
        EventSchema,
        "Events are kept for 90 days by default. If the first number is higher "
        "than `after` + 1, the events between were deleted; get the current state of your games",
    )
    last = number("Next value of `after`")


class EventsQuery(ma.Schema):
    """Position in the log, and time to wait for the next event."""

    after = number(
        "Number of the last event you have",
        load_default=0,
        validate=validate.Range(0, BIGGEST_NUMBER),
    )
    wait = number(
        "Seconds to wait if there is no later event",
        load_default=0,
        validate=validate.Range(0, LONGEST_WAIT),
    )
    limit = fields.Integer(load_default=100, validate=validate.Range(1, 500))
