"""The app's clock, which tests may set."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from flask import current_app

CLOCK = "LAGUNA_CLOCK"


def now() -> datetime:
    """The present instant, in UTC."""
    return cast(Callable[[], datetime], current_app.config[CLOCK])()


def wall_clock() -> datetime:
    return datetime.now(UTC)
