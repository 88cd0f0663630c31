"""Limits of the intake: how many mails are stored for a person or one of the server's addresses."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select

from service.core.current_settings import settings
from service.db.models import Incoming
from service.db.session import count_rows, db
from service.mail.outgoing.reply_address import OPERATOR, Address

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOST_FOR_OPERATOR = 100  # mails a day to postmaster@ and abuse@
MEGABYTE = 1_000_000


class Usage(NamedTuple):
    """Mails about the letters of one person that were stored within a day."""

    mails: int
    size: int  # bytes
    from_sender: int  # mails of one sender within an hour


def mails_to(address: Address, at: datetime) -> int:
    """The mails to a signed address within an hour."""
    return count_rows(
        Incoming.letter_id == address.letter_id,
        Incoming.purpose == address.purpose,
        Incoming.received_at > at - HOUR,
    )


def usage_of(owner: str, sender: str, at: datetime) -> Usage:
    """The mails about the letters of a person. They count for that person: a sender may be
    forged."""
    from_sender = (Incoming.sender == sender) & (Incoming.received_at > at - HOUR)
    found = db.session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(Incoming.size), 0),
            func.count().filter(from_sender),
        ).where(Incoming.owner == owner, Incoming.received_at > at - DAY)
    ).one()
    return Usage(*found)


def exceeds_quota(usage: Usage, size: int, address: Address) -> bool:
    """Whether another mail of this size exceeds the quota of a person, or of one of the server's
    own addresses, of whose mails only the text is stored."""
    limits = settings().limits
    if address.letter_id is None:
        for_operator = address.purpose == OPERATOR
        most = MOST_FOR_OPERATOR if for_operator else limits.mails_to_own_address_per_day
        return usage.mails >= most
    most_bytes = limits.mail_megabytes_per_person_and_day * MEGABYTE
    return usage.mails >= limits.mails_per_person_and_day or usage.size + size > most_bytes
