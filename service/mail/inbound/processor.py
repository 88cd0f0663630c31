"""Incoming mail queue: claim a stored mail, process it and record its result in one transaction.

A claim counts as an attempt. A mail that fails is tried again after a pause, a few times, and then
set aside for the operator (`service.ops.incoming_admin`); no other mail waits for it. An attempt
that fails because the database is away does not count.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError

from service.core.current_settings import settings
from service.core.error_summary import error_summary
from service.core.errors import Problem
from service.core.storable_text import storable
from service.db.lease_queue import Lease, LeaseQueue
from service.db.models import Incoming, IncomingState, Letter
from service.db.session import db, is_transient, table, transact
from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.intake import FAILED, INCOMING, PAGE, IncomingRow, headers_only
from service.mail.inbound.offers import answer_offer
from service.mail.inbound.own_address import process_own_mail
from service.mail.inbound.replies import Outcome, answer_given_up, answer_reply
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
# Kinds of automatic mails, which get no answer.
BY_MACHINES = ("auto", "loop", "own", "bounce", "complaint")
COMPLAINT = "complaint"
NULL_SENDER = "null_sender"  # reason of the kind "auto"
NOT_FAILED = ("delayed", "delivered", "relayed", "expanded")


# A lease ends when the next attempt is due: the pauses hold for a worker that dies as well.
_QUEUE = LeaseQueue(table(Incoming), IncomingRow, "attempts", BACK_OFF)


def process_some(at: datetime, most: int) -> int:
    """Process at most so many mails; how many were claimed: call again until none is."""
    for count in range(most):
        lease = _QUEUE.claim(at)
        if lease is None:
            return count
        [mail] = lease.rows
        _Processing(lease, mail, at).run()
    return most


class _Processing:
    """One attempt to process a mail under its lease."""

    def __init__(self, lease: Lease[IncomingRow], mail: IncomingRow, at: datetime) -> None:
        self.lease, self.mail, self.at = lease, mail, at

    def run(self) -> None:
        """Process the mail. A failure because of the mail stops no other; raises transient ones."""
        if self.mail.attempts > len(BACK_OFF):  # its last attempt ended with the worker
            self._give_up()
            return
        try:
            self._commit(self._process)
        except Exception as error:
            if is_transient(error):
                if isinstance(error, (SQLAlchemyError, Problem)):  # not the time or memory it took
                    self._do_not_count()
                raise
            what = error_summary(error)
            log.error(
                "mail_not_processed", incoming=self.mail.id, attempt=self.mail.attempts, error=what
            )
            transact(lambda: self.lease.record(self.mail.id, error=what))
            if self.mail.attempts == len(BACK_OFF):
                self._give_up()

    def _do_not_count(self) -> None:
        """Take the attempt back, if that is possible just now: the mail is not to blame. The next
        one is due when the lease ends."""
        earlier = self.mail.attempts - 1
        try:
            transact(lambda: self.lease.record(self.mail.id, attempts=earlier))
        except Exception as error:
            if not is_transient(error):
                raise
            log.warning("attempt_counted", incoming=self.mail.id, error=error_summary(error))

    def _give_up(self) -> None:
        """Set the mail aside without another attempt to read it. Its writer gets an answer, unless
        that fails as well."""
        log.error("mail_given_up", incoming=self.mail.id, attempts=self.mail.attempts)
        try:
            self._commit(self._answer_given_up)
        except Exception as error:
            if is_transient(error):
                raise
            log.error("mail_not_answered", incoming=self.mail.id, error=error_summary(error))
            self._commit(lambda: Outcome(IncomingState.dead, FAILED))

    def _process(self) -> Outcome:
        read = read_mail(self.mail.raw or b"", settings().mail_domain)
        if self.mail.letter_id is None:
            return process_own_mail(self.mail, read, self.at)
        return _dispatched(self.mail, self._letter(), read, self.at)

    def _answer_given_up(self) -> Outcome:
        mail = self.mail
        if mail.purpose == REPLY and (mail.sender or mail.via == PAGE):
            answer_given_up(mail, self._letter(), self.at)
        return Outcome(IncomingState.dead, FAILED)

    def _letter(self) -> Letter:
        return db.session.get_one(Letter, self.mail.letter_id)

    def _commit(self, work: Callable[[], Outcome]) -> None:
        """Do the work and record its result in one transaction, then log it."""
        outcome = transact(lambda: self._recorded(work))
        if outcome is None:
            log.warning("lease_lost", incoming=self.mail.id)
            return
        INCOMING.labels(self.mail.via, outcome.state).inc()
        log.info(
            f"mail_{outcome.state}",
            incoming=self.mail.id,
            purpose=self.mail.purpose,
            reason=outcome.reason,
            letter=self.mail.letter_id,
        )

    def _recorded(self, work: Callable[[], Outcome]) -> Outcome | None:
        if not self.lease.lock(self.mail.id):
            return None
        outcome = work()
        self.lease.record(
            self.mail.id,
            state=outcome.state,
            reason=outcome.reason and outcome.reason[:LONGEST_REASON],
            result=outcome.result and storable(outcome.result, LONGEST_RESULT),
            raw=_kept(self.mail, outcome.state),
            done_at=self.at,
            next_try_at=None,
        )
        return outcome


def _dispatched(mail: IncomingRow, letter: Letter, read: Reading, at: datetime) -> Outcome:
    """Process a mail by the purpose of its address and by its kind."""
    if mail.purpose == BOUNCE:
        return _bounced(mail, letter, read, at)
    if mail.via != PAGE and not mail.sender:
        return Outcome(IncomingState.dropped, "no_sender")
    if read.kind in BY_MACHINES:
        return Outcome(IncomingState.dropped, read.kind, read.reason)
    if mail.purpose == OFF:
        return Outcome(IncomingState.done, "off", unsubscribe.off_by_letter(letter, at))
    if (outcome := answer_offer(mail, letter, read, at)) is not None:
        return outcome
    return answer_reply(mail, letter, read, at)


def _bounced(mail: IncomingRow, letter: Letter, read: Reading, at: datetime) -> Outcome:
    """Process a mail to a bounce address: a bounce, a complaint, or an automatic reply."""
    report = read.report
    if read.kind == COMPLAINT:
        counted = suppression.note_complaint(letter, read.reason, at)
    elif report is not None:
        if report.action.lower() in NOT_FAILED:
            return Outcome(IncomingState.dropped, "not_failed", report.status)
        counted = suppression.note_bounce(letter, report.hard, report.status, report.diagnostic, at)
    elif not mail.sender and (read.kind not in BY_MACHINES or read.reason == NULL_SENDER):
        # Some servers return mails without a report. A holiday notice, which goes to the same
        # address, says that it is automatic.
        counted = suppression.note_bounce(letter, False, "", read.subject, at)
    else:
        return Outcome(IncomingState.dropped, read.kind, read.reason)
    return Outcome(IncomingState.done, read.kind if counted else "counted_before")


def _kept(mail: IncomingRow, state: IncomingState) -> bytes | None:
    """The stored part of a processed mail: all of it if a person wrote it or it was set aside,
    otherwise its headers."""
    wanted = state == IncomingState.dead or (state == IncomingState.done and mail.purpose != BOUNCE)
    return mail.raw if wanted or mail.raw is None else headers_only(mail.raw)
