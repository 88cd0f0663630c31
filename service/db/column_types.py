"""Column types with the same values on SQLite and PostgreSQL: instants and JSON."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

_UTC_OFFSET = "+00:00"  # left out of the text that SQLite stores


class Instant(TypeDecorator[datetime]):
    """An aware datetime, stored in UTC. A naive one is refused: SQLite drops offsets silently."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    # SQLite stores text. A move reads and writes a dozen instants, hence the direct conversion.

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], object] | None:
        if dialect.name != "sqlite":
            return super().bind_processor(dialect)
        return lambda value: None if value is None else _text_of(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return super().result_processor(dialect, coltype)
        return lambda text: None if text is None else datetime.fromisoformat(text + _UTC_OFFSET)


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return value.astimezone(UTC)


def _text_of(value: datetime) -> str:
    return _in_utc(value).isoformat(" ", "microseconds").removesuffix(_UTC_OFFSET)


class JsonText(TypeDecorator[object]):
    """A JSON value as compact text, its keys in the order they were given."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        return None if value is None else orjson.loads(value)
