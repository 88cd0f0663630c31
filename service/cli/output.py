"""What commands print for programs and for people."""

from datetime import timedelta
from typing import Any

import orjson


def print_json(value: Any) -> None:
    """For a program: one JSON value, with instants as in the API."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    print(orjson.dumps(value, default=lambda row: row._asdict(), option=options).decode())


def duration(time: timedelta) -> str:
    """As `40 s`, `12 min`, `3 h` or `5 days`."""
    seconds = max(0, round(time.total_seconds()))
    for most, size, word in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < most:
            return f"{seconds // size} {word}"
    return f"{seconds // 86400} days"
