"""Incoming mail administration: list and show mails, retry or drop those set aside."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from service.core.clock import now
from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.errors import Problem
from service.core.worker_signal import wake
from service.db.models import Incoming, IncomingState
from service.db.session import db, transact
from service.mail.inbound.imap_poller import recipients_of, sender_of
from service.mail.inbound.intake import NotTaken, headers_only, receive
from service.mail.inbound.mime_parts import head_of
from service.mail.outgoing.reply_address import OPERATOR as OPERATOR_ADDRESS

AGAIN, DROPPED, REFUSED = "again", "dropped", "refused"
OPERATOR = "operator"  # reason of a mail that was dropped here
NOT_FOUND = "There is no incoming mail with this id."
NOT_SET_ASIDE = "It was not set aside."
NO_TEXT = "Its text is not stored; if it is in a folder of the mailbox, move it back to the inbox."
NO_RECIPIENT = "It has no address of this service."


class Mail(NamedTuple):
    id: str
    via: str
    state: str
    purpose: str  # of the address: turn, off, bounce, play, operator, or "" if unknown
    sender: str
    size: int
    attempts: int
    reason: str | None
    error: str | None
    result: str | None
    letter_id: str | None
    received_at: datetime
    next_try_at: datetime | None
    done_at: datetime | None


class Result(NamedTuple):
    """The outcome of a command for one mail."""

    id: str
    outcome: str
    why: str | None = None  # reason for a refusal


def mails(states: Collection[str], most: int, for_operator: bool = False) -> list[Mail]:
    """Mails in one of these states, newest first; `for_operator` adds those to postmaster@ and
    abuse@ in any state."""
    wanted = Incoming.state.in_(states)
    found = db.session.scalars(
        select(Incoming)
        .where(wanted | (Incoming.purpose == OPERATOR_ADDRESS) if for_operator else wanted)
        .order_by(Incoming.received_at.desc(), Incoming.id.desc())
        .limit(most)
    )
    return [_mail(row) for row in found]


def mail(mail_id: str) -> tuple[Mail, str]:
    """One mail and its stored text; raises Problem if it does not exist."""
    row = db.session.get(Incoming, mail_id)
    if row is None:
        raise Problem("not_found", NOT_FOUND)
    return _mail(row), (row.raw or b"").decode(errors="replace")


def _mail(row: Incoming) -> Mail:
    return Mail(*(getattr(row, name) for name in Mail._fields))


def set_aside_ids() -> list[str]:
    """Ids of all mails that were set aside, oldest first."""
    query = select(Incoming.id).where(Incoming.state == IncomingState.dead)
    return list(db.session.scalars(query.order_by(Incoming.received_at, Incoming.id)))


def retry(ids: Sequence[str]) -> list[Result]:
    """Queue mails again that were set aside; each keeps its time of receipt."""
    return [_each(one, _retry) for one in ids]


def drop(ids: Sequence[str]) -> list[Result]:
    return [_each(one, lambda row: transact(lambda: _drop(row.id))) for one in ids]


def _each(mail_id: str, work: Callable[[Incoming], Result]) -> Result:
    db.session.remove()
    row = db.session.get(Incoming, mail_id)
    if row is None:
        return Result(mail_id, REFUSED, NOT_FOUND)
    if row.state != IncomingState.dead:
        return Result(mail_id, REFUSED, NOT_SET_ASIDE)
    return work(row)


def _retry(row: Incoming) -> Result:
    if row.raw is None:
        return Result(row.id, REFUSED, NO_TEXT)
    if not row.purpose:
        return _received(row.id, row.raw, row.via, row.received_at)
    return transact(lambda: _queue(row.id))


def _queue(mail_id: str) -> Result:
    """Let the worker process a mail as if it had just arrived."""
    row = _locked(mail_id)
    row.state, row.attempts, row.next_try_at = IncomingState.pending, 0, now()
    row.reason = row.error = row.result = row.done_at = None
    wake("mail")
    return Result(mail_id, AGAIN)


def _received(mail_id: str, raw: bytes, via: str, at: datetime) -> Result:
    """Receive a mail again whose letter was not found, in case its headers can be read now."""
    try:
        headers = head_of(raw)
        recipients = recipients_of(settings(), headers)
        for recipient in recipients:
            receive(raw, recipient, sender_of(headers), via, at)
    except NotTaken as refusal:
        return Result(mail_id, REFUSED, f"It was refused: {refusal.reason}.")
    except Exception as error:
        return Result(mail_id, REFUSED, f"It failed again: {error_summary(error)}.")
    if not recipients:
        return Result(mail_id, REFUSED, NO_RECIPIENT)
    transact(lambda: db.session.delete(_locked(mail_id)))
    return Result(mail_id, AGAIN)


def _drop(mail_id: str) -> Result:
    """Keep only the headers, by which a repeated mail is recognised; without a letter, nothing."""
    row = _locked(mail_id)
    if row.letter_id is None:
        db.session.delete(row)
    else:
        row.state, row.reason, row.done_at = IncomingState.dropped, OPERATOR, now()
        row.raw = None if row.raw is None else headers_only(row.raw)
    return Result(mail_id, DROPPED)


def _locked(mail_id: str) -> Incoming:
    return db.session.get_one(Incoming, mail_id, with_for_update=True)
