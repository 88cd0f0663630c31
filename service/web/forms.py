"""What a form says, read by the same schemas as the API's bodies."""

from collections.abc import Iterator
from typing import Any

import marshmallow as ma
from flask import request

from engine.contract import Json
from service.core.errors import Problem


def field(name: str) -> str:
    """A field of one line, without blanks at its ends."""
    return request.form.get(name, "").strip()


def text(name: str) -> str:
    """A field of several lines, with the line ends that everybody but a form uses."""
    return request.form.get(name, "").replace("\r\n", "\n")


def number(name: str) -> int | str:
    """A whole number, or what stands in its place for the schema to refuse."""
    given = field(name)
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else given


def read(schema: type[ma.Schema], said: Json) -> Json:
    """What the form says, checked; raises one sentence about everything that is wrong."""
    try:
        checked: Json = schema().load(said)
    except ma.ValidationError as error:
        raise Problem(
            "invalid_request", " ".join(dict.fromkeys(_sentences(error.messages)))
        ) from error
    return checked


def _sentences(messages: Any) -> Iterator[str]:
    if isinstance(messages, dict):
        for inner in messages.values():
            yield from _sentences(inner)
    elif isinstance(messages, list):
        for inner in messages:
            yield from _sentences(inner)
    else:
        yield str(messages)
