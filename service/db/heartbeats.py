"""Heartbeats of the worker's jobs: a row for each, written and judged by the database's clock."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import insert, select, update

from service.db.models import Heartbeat
from service.db.server_clock import MOST_DIFFERENCE
from service.db.session import db, transact

MAIL_IN = "mail-in"  # the lane of the process that takes mails in, if there is one
CLOCK = "clock"  # the row that a worker writes whose clock is wrong
MISSED = 3  # so many rounds in a row, and a lane counts as silent
REFUSED_EVERY = 30  # seconds at most between two attempts of a worker whose clock is wrong


class JobHeartbeat(NamedTuple):
    """One lane of the worker: when it was last heard of, and how often it should be."""

    name: str
    at: datetime
    every: int
    silent: bool


def beat(job: str, every: int, at: datetime) -> None:
    """Note that a job ran at this instant of the database's clock, and runs every so
    many seconds."""
    transact(lambda: _beat(job, every, at, None))


def beat_all(beats: Mapping[str, tuple[int, datetime]]) -> None:
    """The same for several jobs, in one transaction."""

    def write() -> None:
        for job, (every, at) in sorted(beats.items()):
            _beat(job, every, at, None)

    transact(write)


def note_clock_difference(difference: timedelta, at: datetime) -> None:
    """Note that a worker refuses to work, because its clock is so far ahead of the database's."""
    seconds = str(round(difference.total_seconds()))
    transact(lambda: _beat(CLOCK, REFUSED_EVERY, at, seconds))


def _beat(job: str, every: int, at: datetime, note: str | None) -> None:
    noted = db.session.execute(
        update(Heartbeat)
        .where(Heartbeat.job == job)
        .values(at=at, every=every, note=note)
        .returning(Heartbeat.job)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if noted is None:
        db.session.execute(insert(Heartbeat).values(job=job, every=every, at=at, note=note))


def job_heartbeats(at: datetime) -> list[JobHeartbeat]:
    """All jobs with a heartbeat, by name, at this instant of the database's clock."""
    rows = db.session.execute(
        select(Heartbeat.job, Heartbeat.at, Heartbeat.every)
        .where(Heartbeat.job != CLOCK)
        .order_by(Heartbeat.job)
    )
    return [
        JobHeartbeat(row.job, row.at, row.every, _silent(row.at, row.every, at)) for row in rows
    ]


def wrong_clock(at: datetime) -> str | None:
    """What is wrong with the clock of a worker that refused to work just now, in a sentence."""
    row = db.session.execute(
        select(Heartbeat.at, Heartbeat.every, Heartbeat.note).where(Heartbeat.job == CLOCK)
    ).one_or_none()
    if row is None or row.note is None or _silent(row.at, row.every, at):
        return None
    seconds = int(row.note)
    direction = "ahead of" if seconds > 0 else "behind"
    return (
        f"A worker's clock is {timedelta(seconds=abs(seconds))} {direction} the database's; "
        "it does nothing until they agree."
    )


def _silent(heard: datetime, every: int, at: datetime) -> bool:
    """A heartbeat from the future is as good as none: nobody knows when it was written."""
    return not -MOST_DIFFERENCE <= at - heard <= timedelta(seconds=MISSED * every)
