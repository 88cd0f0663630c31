"""Incoming mail queue: claim a stored mail, do what it says in one transaction, record the result.

A claim counts as an attempt and sets when the next one would be. A mail that fails is tried again
later, a few times, and then set aside for the operator (`service.ops.incoming_admin`); it keeps no
other mail waiting. An attempt that failed because the database was away does not count.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import SQLAlchemyError

from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.errors import Problem
from service.core.storable_text import storable
from service.db.models import Incoming, IncomingState, Letter
from service.db.session import AnyRow, is_transient, run, table, transact
from service.db.session import reading as reading_only
from service.db.statements import Prepared
from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.intake import FAILED, INCOMING, PAGE, headers_only
from service.mail.inbound.replies import answer_given_up, answer_reply
from service.mail.outgoing import suppression, unsubscribe
from service.mail.outgoing.reply_address import BOUNCE, OFF, REPLY

log = structlog.get_logger()

BACK_OFF = (
    timedelta(seconds=15),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
)
LONGEST_REASON = 40
LONGEST_RESULT = 2000
# Kinds of mails that nobody wrote to be answered.
BY_MACHINES = ("auto", "loop", "own", "bounce", "complaint")
COMPLAINT = "complaint"
BY_NOBODY = "null_sender"  # why a mail is taken for that of a machine
NOT_FAILED = ("delayed", "delivered", "relayed", "expanded")

_INCOMING, _LETTER = table(Incoming), table(Letter)
_DUE = Prepared(
    select(_INCOMING.c.id, _INCOMING.c.attempts)
    .where(_INCOMING.c.next_try_at <= bindparam("present"))
    .order_by(_INCOMING.c.next_try_at, _INCOMING.c.id)
    .limit(bindparam("most"))
)
_OF_CLAIM = (
    (_INCOMING.c.id == bindparam("mail"))
    & (_INCOMING.c.attempts == bindparam("so_far"))
    & (_INCOMING.c.state == IncomingState.pending)
)
_CLAIM = Prepared(
    update(_INCOMING)
    .where(_OF_CLAIM)
    .values(attempts=_INCOMING.c.attempts + 1, next_try_at=bindparam("again"))
    .returning(_INCOMING.c.id)
)
_NOT_COUNTED = Prepared(
    update(_INCOMING).where(_OF_CLAIM).values(attempts=_INCOMING.c.attempts - 1)
)
_NOTE_ERROR = Prepared(update(_INCOMING).where(_OF_CLAIM).values(error=bindparam("what")))
_CLAIMED = Prepared(select(_INCOMING).where(_OF_CLAIM).with_for_update())
_ABOUT = Prepared(select(_LETTER).where(_LETTER.c.id == bindparam("letter")))
_NOTE = Prepared(
    update(_INCOMING)
    .where(_INCOMING.c.id == bindparam("mail"))
    .values(
        state=bindparam("new_state"),
        reason=bindparam("why"),
        result=bindparam("came_of_it"),
        raw=bindparam("kept"),
        done_at=bindparam("present"),
        next_try_at=None,
    )
)


class Became(NamedTuple):
    """What became of a mail, as it is noted with it."""

    state: IncomingState
    reason: str | None = None
    result: str | None = None


class Done(NamedTuple):
    mail: AnyRow
    became: Became


def process_some(at: datetime, most: int) -> int:
    """Do what at most so many mails say; how many were looked at: call again until none is."""
    with reading_only():
        due = run(_DUE, {"present": at, "most": most})
    return sum(_processed(mail, at) for mail in due)


def _processed(mail: AnyRow, at: datetime) -> bool:
    """One mail that something is wrong with must not keep the others waiting."""
    if mail.attempts >= len(BACK_OFF):
        return _given_up(mail.id, mail.attempts, at)
    known = {"mail": mail.id, "so_far": mail.attempts}
    attempt, again = mail.attempts + 1, at + BACK_OFF[mail.attempts]
    if not transact(lambda: run(_CLAIM, known | {"again": again})):
        return False  # somebody else has it
    try:
        return _told(transact(lambda: _process(mail.id, attempt, at)))
    except Exception as error:
        if is_transient(error):
            if isinstance(error, (SQLAlchemyError, Problem)):  # not the time or memory it took
                _do_not_count(mail.id, attempt)
            raise
        what = error_summary(error)
    log.error("mail_not_processed", incoming=mail.id, attempt=attempt, error=what)
    transact(lambda: run(_NOTE_ERROR, known | {"so_far": attempt, "what": what}))
    if attempt == len(BACK_OFF):
        _given_up(mail.id, attempt, at)
    return True


def _do_not_count(mail_id: str, attempt: int) -> None:
    """Take back that a mail was tried, if that is possible just now: it is not to blame. When it
    is tried next stays as it was set."""
    try:
        transact(lambda: run(_NOT_COUNTED, {"mail": mail_id, "so_far": attempt}))
    except Exception as error:
        if not is_transient(error):
            raise
        log.warning("attempt_counted", incoming=mail_id, error=error_summary(error))


def _given_up(mail_id: str, attempts: int, at: datetime) -> bool:
    """Set a mail aside that could not be read so many times; it is not read once more for that.
    Its writer is told, unless that fails as well."""
    log.error("mail_given_up", incoming=mail_id, attempts=attempts)
    try:
        return _told(transact(lambda: _give_up(mail_id, attempts, at, answered=True)))
    except Exception as error:
        if is_transient(error):
            raise
        log.error("mail_not_answered", incoming=mail_id, error=error_summary(error))
    return _told(transact(lambda: _give_up(mail_id, attempts, at, answered=False)))


def _give_up(mail_id: str, attempts: int, at: datetime, answered: bool) -> Done | None:
    mail = run(_CLAIMED, {"mail": mail_id, "so_far": attempts}).one_or_none()
    if mail is None:
        return None
    if answered and mail.purpose == REPLY and (mail.sender or mail.via == PAGE):
        answer_given_up(mail, run(_ABOUT, {"letter": mail.letter_id}).one(), at)
    return _noted(mail, Became(IncomingState.dead, FAILED), at)


def _process(mail_id: str, attempts: int, at: datetime) -> Done | None:
    mail = run(_CLAIMED, {"mail": mail_id, "so_far": attempts}).one_or_none()
    if mail is None:
        return None
    letter = run(_ABOUT, {"letter": mail.letter_id}).one()
    read = read_mail(mail.raw or b"", settings().mail_domain)
    return _noted(mail, _dispatched(mail, letter, read, at), at)


def _dispatched(mail: AnyRow, letter: AnyRow, read: Reading, at: datetime) -> Became:
    """Do what a mail says, by the address it was sent to and by what kind of mail it is."""
    if mail.purpose == BOUNCE:
        return _came_back(mail, letter, read, at)
    if mail.via != PAGE and not mail.sender:
        return Became(IncomingState.dropped, "no_sender")
    if read.kind in BY_MACHINES:
        return Became(IncomingState.dropped, read.kind, read.reason)
    if mail.purpose == OFF:
        return Became(IncomingState.done, "off", unsubscribe.off_by_letter(letter, at))
    outcome = answer_reply(mail, letter, read, at)
    return Became(outcome.state, outcome.reason, outcome.result)


def _came_back(mail: AnyRow, letter: AnyRow, read: Reading, at: datetime) -> Became:
    """A letter that came back, or what else a server returned to where letters come back."""
    report = read.report
    if read.kind == COMPLAINT:
        counted = suppression.note_complaint(letter, read.reason, at)
    elif report is not None:
        if report.action.lower() in NOT_FAILED:
            return Became(IncomingState.dropped, "not_failed", report.status)
        counted = suppression.note_bounce(letter, report.hard, report.status, report.diagnostic, at)
    elif not mail.sender and (read.kind not in BY_MACHINES or read.reason == BY_NOBODY):
        # Some servers return mails without a report; a note that somebody is on holiday, which
        # goes to the same address, says that it is automatic.
        counted = suppression.note_bounce(letter, False, "", read.subject, at)
    else:
        return Became(IncomingState.dropped, read.kind, read.reason)
    return Became(IncomingState.done, read.kind if counted else "counted_before")


def _noted(mail: AnyRow, became: Became, at: datetime) -> Done:
    run(
        _NOTE,
        {
            "mail": mail.id,
            "new_state": became.state,
            "why": became.reason and became.reason[:LONGEST_REASON],
            "came_of_it": became.result and storable(became.result, LONGEST_RESULT),
            "kept": _kept(mail, became.state),
            "present": at,
        },
    )
    return Done(mail, became)


def _kept(mail: AnyRow, state: IncomingState) -> bytes | None:
    """What is kept of a mail that was processed: all of it if a person wrote it or it was set
    aside, otherwise the headers, which say why it was dropped."""
    wanted = state == IncomingState.dead or (state == IncomingState.done and mail.purpose != BOUNCE)
    raw: bytes | None = mail.raw
    return raw if wanted or raw is None else headers_only(raw)


def _told(done: Done | None) -> bool:
    """Say what was committed; whether there is anything to say."""
    if done is None:
        return False
    mail, became = done
    INCOMING.labels(mail.via, became.state).inc()
    log.info(
        f"mail_{became.state}",
        incoming=mail.id,
        purpose=mail.purpose,
        reason=became.reason,
        letter=mail.letter_id,
    )
    return True
