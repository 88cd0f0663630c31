"""The database's clock, by which all processes agree what is due and which of them is alive."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import cast

from flask import current_app
from sqlalchemy import func, select

from service.core.clock import now, wall_clock
from service.db.session import db

DATABASE_CLOCK = "LAGUNA_DATABASE_CLOCK"
MOST_DIFFERENCE = timedelta(minutes=1)


def database_now() -> datetime:
    """The present instant by the database's clock, in UTC."""
    return cast(Callable[[], datetime], current_app.config[DATABASE_CLOCK])()


def read_database_clock() -> datetime:
    """Ask the database. SQLite runs in this process, so its clock is this machine's."""
    if db.engine.dialect.name == "sqlite":
        return wall_clock()
    found: datetime = db.session.execute(select(func.clock_timestamp())).scalar_one()
    return found.astimezone(UTC)


def clock_difference() -> timedelta:
    """By how many whole seconds this process's clock is ahead of the database's; negative if it is
    behind."""
    return timedelta(seconds=round((now() - database_now()).total_seconds()))
