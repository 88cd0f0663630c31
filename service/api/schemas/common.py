"""Fields and schemas that several resources share."""

from typing import Unpack

import marshmallow as ma
from marshmallow import fields, validate

from engine.contract import Json
from engine.languages import ENGLISH, LANGUAGES
from service.core.fields import ValueOptions

MOST_PER_PAGE = 100
BIGGEST_NUMBER = 2**53 - 1  # the largest integer that every JSON reader represents exactly


class ResponseSchema(ma.Schema):
    """Schema of a response: every field is present, except those that `Meta.optional` names."""

    class Meta:
        optional: tuple[str, ...] = ()

    def on_bind_field(self, field_name: str, field_obj: fields.Field[object]) -> None:
        field_obj.required = field_name not in getattr(self.Meta, "optional", ())


class Options(ValueOptions, total=False):
    """Options of the fields below."""

    attribute: str
    validate: validate.Validator


def words(description: str, **options: Unpack[Options]) -> fields.String:
    return fields.String(metadata={"description": description}, **options)


def number(description: str, **options: Unpack[Options]) -> fields.Integer:
    return fields.Integer(metadata={"description": description}, **options)


def flag(description: str) -> fields.Boolean:
    return fields.Boolean(metadata={"description": description})


def moment(description: str, **options: Unpack[Options]) -> fields.DateTime:
    """A timestamp in UTC."""
    return fields.DateTime(format="iso", metadata={"description": description}, **options)


def free_object(description: str, **options: Unpack[Options]) -> fields.Dict:
    """An object whose members the game type defines."""
    return fields.Dict(metadata={"description": description}, **options)


def several(schema: type[ma.Schema], description: str) -> fields.List[Json]:
    return fields.List(fields.Nested(schema), metadata={"description": description})


class WordsQuery(ma.Schema):
    """Language of the response."""

    language = words(
        "Language of labels, sentences and boards",
        load_default=ENGLISH,
        validate=validate.OneOf(list(LANGUAGES)),
    )


class PageQuery(ma.Schema):
    """Position and size of a page."""

    cursor = words("`next_cursor` of the previous page", validate=validate.Length(1, 200))
    limit = number(
        "Maximum number of items", load_default=50, validate=validate.Range(1, MOST_PER_PAGE)
    )


def list_of(schema: type[ma.Schema], name: str, description: str) -> type[ma.Schema]:
    """Schema of a list of such items."""
    items = fields.List(fields.Nested(schema))
    return type(f"{name}Schema", (ResponseSchema,), {"__doc__": description, "items": items})


def page_of(schema: type[ma.Schema], name: str) -> type[ma.Schema]:
    """Schema of a page of such items."""
    page = list_of(schema, f"{name}Page", "One page of a list.")
    following = words("`cursor` of the next page; null: this is the last one", allow_none=True)
    return type(page.__name__, (page,), {"__doc__": page.__doc__, "next_cursor": following})
