"""Fields and schemas that several resources share."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.languages import ENGLISH, LANGUAGES

MOST_PER_PAGE = 100
BIGGEST_NUMBER = 2**53 - 1  # the largest integer that every JSON reader represents exactly


class WordsQuery(ma.Schema):
    """Language of the response."""

    language = fields.String(
        load_default=ENGLISH,
        validate=validate.OneOf(list(LANGUAGES)),
        metadata={"description": "Language of labels, sentences and boards"},
    )


def moment(description: str, **kwargs: Any) -> fields.DateTime:
    """A timestamp in UTC."""
    return fields.DateTime(format="iso", metadata={"description": description}, **kwargs)


def words(description: str, **kwargs: Any) -> fields.String:
    return fields.String(metadata={"description": description}, **kwargs)


class PageQuery(ma.Schema):
    """Position and size of a page."""

    cursor = fields.String(
        validate=validate.Length(1, 200),
        metadata={"description": "`next_cursor` of the previous page"},
    )
    limit = fields.Integer(
        load_default=50,
        validate=validate.Range(1, MOST_PER_PAGE),
        metadata={"description": "Maximum number of items"},
    )


def page_of(schema: type[ma.Schema], name: str) -> type[ma.Schema]:
    """Schema of a page of such items."""
    return type(
        f"{name}PageSchema",
        (ma.Schema,),
        {
            "__doc__": "One page of a list.",
            "items": fields.List(fields.Nested(schema), required=True),
            "next_cursor": fields.String(
                required=True,
                allow_none=True,
                metadata={"description": "`cursor` of the next page; null: this is the last one"},
            ),
        },
    )
