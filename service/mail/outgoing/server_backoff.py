"""Back-off from a mail server that cannot be reached, shared by all processes.

An outage is a row. While it exists, one process a minute tries to connect; the row is deleted when
that succeeds.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, select, update

from service.db.models import MailServerOutage
from service.db.session import db, transact

RETRY_AFTER = timedelta(minutes=1)
LONGEST_ERROR = 300


class Outage(NamedTuple):
    name: str  # host:port
    away_since: datetime
    next_try_at: datetime
    error: str


def outages() -> Sequence[Outage]:
    """The mail servers that cannot be reached."""
    rows = db.session.execute(select(MailServerOutage.__table__).order_by(MailServerOutage.name))
    return [Outage(*row) for row in rows]


def outage_of(name: str) -> Outage | None:
    """The outage of one mail server; None if it was reachable when it was last tried."""
    found = db.session.execute(
        select(MailServerOutage.__table__).where(MailServerOutage.name == name)
    ).one_or_none()
    db.session.remove()
    return None if found is None else Outage(*found)


def may_connect(name: str, at: datetime) -> bool:
    """Whether the caller may try to connect now. During an outage this claims the attempt of the
    next minute."""
    return transact(lambda: _may_connect(name, at))


def _may_connect(name: str, at: datetime) -> bool:
    own = MailServerOutage.name == name
    if db.session.scalar(select(MailServerOutage.name).where(own)) is None:
        return True
    taken = db.session.execute(
        update(MailServerOutage)
        .where(own, MailServerOutage.next_try_at <= at)
        .values(next_try_at=at + RETRY_AFTER)
        .returning(MailServerOutage.name)
        .execution_options(synchronize_session=False)
    )
    return taken.one_or_none() is not None


def note_away(name: str, at: datetime, error: str) -> None:
    """Begin or prolong an outage."""
    transact(lambda: _note_away(name, at, error[:LONGEST_ERROR]))


def _note_away(name: str, at: datetime, error: str) -> None:
    outage = db.session.get(MailServerOutage, name)
    if outage is None:
        outage = MailServerOutage(name=name, away_since=at)
        db.session.add(outage)
    outage.next_try_at, outage.error = at + RETRY_AFTER, error


def note_back(name: str) -> None:
    """End an outage."""
    transact(
        lambda: db.session.execute(delete(MailServerOutage).where(MailServerOutage.name == name))
    )


def try_now(at: datetime) -> None:
    """Let the next process that has letters to send try at once, in this transaction."""
    db.session.execute(
        update(MailServerOutage).values(next_try_at=at).execution_options(synchronize_session=False)
    )
