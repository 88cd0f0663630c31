"""Output of commands."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

import orjson

T = TypeVar("T")


def print_json(value: Any) -> None:
    """Print one JSON value, with timestamps as in the API."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    print(orjson.dumps(value, default=lambda row: row._asdict(), option=options).decode())


def print_list(found: Sequence[T], line: Callable[[T], str], nothing: str, as_json: bool) -> int:
    """Print a list as lines or JSON, and `nothing` if it is empty; the exit code."""
    if as_json:
        print_json(found)
    else:
        print("\n".join(map(line, found)) or nothing)
    return 0


def print_values(values: Mapping[str, Any]) -> None:
    """Print a line for each value that is not empty."""
    width = max(map(len, values)) + 2
    for name, value in values.items():
        if value not in (None, "", []):
            shown = f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else value
            print(f"{name + ':':<{width}} {shown}")


def duration(time: timedelta) -> str:
    """`40 s`, `12 min`, `3 h` or `5 days`."""
    seconds = max(0, round(time.total_seconds()))
    for most, size, word in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < most:
            return f"{seconds // size} {word}"
    return f"{seconds // 86400} days"
