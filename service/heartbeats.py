"""Signs of life of the worker: a row for each of its lanes, written by what is done in it."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import insert, select, update

from service.database import db, transact
from service.models import Heartbeat

MAIL_IN = "mail-in"  # the lane of the process that takes mails in, if there is one
MISSED = 3  # so many rounds in a row, and a lane counts as silent


class Lane(NamedTuple):
    """One lane of the worker: when it was last heard of, and how often it should be."""

    name: str
    at: datetime
    every: int
    silent: bool


def beat(lane: str, every: int, at: datetime) -> None:
    """Note that a lane did a round now, and does one every so many seconds."""
    transact(lambda: _beat(lane, every, at))


def _beat(lane: str, every: int, at: datetime) -> None:
    noted = db.session.execute(
        update(Heartbeat)
        .where(Heartbeat.lane == lane)
        .values(at=at, every=every)
        .returning(Heartbeat.lane)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if noted is None:
        db.session.execute(insert(Heartbeat).values(lane=lane, every=every, at=at))


def lanes(at: datetime) -> list[Lane]:
    """All lanes that were ever heard of, by name."""
    rows = db.session.execute(select(Heartbeat.__table__).order_by(Heartbeat.lane))
    return [
        Lane(row.lane, row.at, row.every, at - row.at > timedelta(seconds=MISSED * row.every))
        for row in rows
    ]
