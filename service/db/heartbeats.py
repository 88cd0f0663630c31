"""Heartbeats of the worker's jobs: a row for each, written and judged by the database's clock."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select

from service.db.models import Heartbeat
from service.db.server_clock import MOST_DIFFERENCE
from service.db.session import db, transact

MAIL_IN = "mail-in"  # job of the process that receives mail, if there is one
CLOCK = "clock"  # row of a worker whose clock is wrong
MISSED = 3  # intervals without a heartbeat after which a job counts as silent
REFUSED_EVERY = 30  # seconds at most between two attempts of a worker whose clock is wrong


class JobHeartbeat(NamedTuple):
    """The last heartbeat of a job, and its interval in seconds."""

    name: str
    at: datetime
    every: int
    silent: bool


def beat(job: str, every: int, at: datetime) -> None:
    """Record that a job ran at this instant of the database's clock, and its interval in
    seconds."""
    transact(lambda: _beat(job, every, at, None))


def beat_all(beats: Mapping[str, tuple[int, datetime]]) -> None:
    """The same for several jobs, in one transaction."""

    def write() -> None:
        for job, (every, at) in sorted(beats.items()):
            _beat(job, every, at, None)

    transact(write)


def note_clock_difference(difference: timedelta, at: datetime) -> None:
    """Record that a worker refuses to work, since its clock is so far ahead of the database's."""
    seconds = str(round(difference.total_seconds()))
    transact(lambda: _beat(CLOCK, REFUSED_EVERY, at, seconds))


def _beat(job: str, every: int, at: datetime, note: str | None) -> None:
    db.session.merge(Heartbeat(job=job, every=every, at=at, note=note))


def job_heartbeats(at: datetime) -> list[JobHeartbeat]:
    """All jobs with a heartbeat, by name, at this instant of the database's clock."""
    rows = select(Heartbeat).where(Heartbeat.job != CLOCK).order_by(Heartbeat.job)
    return [
        JobHeartbeat(row.job, row.at, row.every, _silent(row, at))
        for row in db.session.scalars(rows)
    ]


def wrong_clock(at: datetime) -> str | None:
    """The clock problem of a worker that refused to work just now, as a sentence."""
    row = db.session.get(Heartbeat, CLOCK)
    if row is None or row.note is None or _silent(row, at):
        return None
    seconds = int(row.note)
    direction = "ahead of" if seconds > 0 else "behind"
    return (
        f"A worker's clock is {timedelta(seconds=abs(seconds))} {direction} the database's; "
        "it does nothing until they agree."
    )


def _silent(row: Heartbeat, at: datetime) -> bool:
    """Whether a heartbeat is too old. One from the future counts as none: its instant is wrong."""
    return not -MOST_DIFFERENCE <= at - row.at <= timedelta(seconds=MISSED * row.every)
