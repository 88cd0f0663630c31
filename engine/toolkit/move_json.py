"""Moves as JSON objects: the type of a move and its fields, checked against a table."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.contract import Json
from engine.errors import Unreadable


class Fields(NamedTuple):
    """The fields of a type of move, besides `type`."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


class MoveSchema(NamedTuple):
    """The types of moves of a game type, and an example for error messages."""

    fields: Mapping[str, Fields]
    example: str

    def check(self, data: object) -> tuple[str, Json]:
        """The type of a move and its fields; raises Unreadable for unknown or missing fields."""
        if not isinstance(data, dict):
            raise self.refusal("A move is a JSON object")
        kind = data.get("type")
        if not isinstance(kind, str) or kind not in self.fields:
            raise self.refusal(f"'type' must be one of {', '.join(self.fields)}")
        required, optional = self.fields[kind]
        if missing := [name for name in required if name not in data]:
            raise self.refusal(f"'{missing[0]}' is missing in a move of type {kind}")
        if unknown := sorted(str(key) for key in data.keys() - {"type", *required, *optional}):
            raise self.refusal(f"'{unknown[0][:40]}' is not part of a move of type {kind}")
        return kind, data

    def refusal(self, sentence: str) -> Unreadable:
        """The error for JSON that is not a move, with an example of one that is."""
        return Unreadable(f"{sentence}. Example: {self.example}.")
