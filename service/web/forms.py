"""Form fields, validated by the same schemas as bodies of the API."""

from collections.abc import Iterator

import marshmallow as ma
from flask import request

from engine.contract import Json
from service.core.errors import Problem


def field(name: str) -> str:
    """A single-line field, stripped."""
    return request.form.get(name, "").strip()


def text(name: str) -> str:
    """A multi-line field with line ends normalised to `\n`."""
    return request.form.get(name, "").replace("\r\n", "\n")


def number(name: str) -> int | str:
    """A whole number, or the raw text for the schema to refuse."""
    given = field(name)
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else given


def read(schema: type[ma.Schema], filled: Json) -> Json:
    """The validated form; raises one problem with all messages."""
    try:
        checked: Json = schema().load(filled)
    except ma.ValidationError as error:
        raise Problem(
            "invalid_request", " ".join(dict.fromkeys(_sentences(error.messages)))
        ) from error
    return checked


def _sentences(messages: object) -> Iterator[str]:
    if isinstance(messages, dict):
        for inner in messages.values():
            yield from _sentences(inner)
    elif isinstance(messages, list):
        for inner in messages:
            yield from _sentences(inner)
    else:
        yield str(messages)
