"""Outgoing mail sender: claim letters that are due, compose, send, record each result.

A letter is sent after its lease is committed (`queue.py`). It is recorded as begun, with its text,
before the mail is handed over, and its result before the next letter is begun: a worker that dies
repeats at most the mail it was sending, with the same Message-ID. A letter that was begun and has
no known result is sent again if it is still true, and otherwise recorded as sent (`unconfirmed`),
never as skipped. The other letters of a dead worker are due again when its lease ends, then each in
a lease of its own: a letter that kills its worker is set aside after some of them.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from sqlalchemy import update

from service.core.clock import now
from service.core.config import smtp_server
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ics import deadline_ics
from service.core.worker_signal import wake
from service.db.lease_queue import pause_after
from service.db.models import Letter, LetterState
from service.db.models.outgoing_mail import BACK_OFF
from service.db.session import db, is_transient
from service.mail.outgoing import server_backoff
from service.mail.outgoing.compose import COMPOSED_KINDS, Composed, NotNeeded, compose
from service.mail.outgoing.mime import NOTHING_ENCLOSED, Enclosed, envelope_sender, mail_of
from service.mail.outgoing.queue import LetterBatch, LetterRow, ResultWriter, claim_letters
from service.mail.outgoing.smtp import Failure, MailServer
from service.mail.outgoing.suppression import note_refusal
from service.notify.letter_planner import LETTERS

log = structlog.get_logger()

MOST_CLAIMS = 5  # without a result, before a letter is set aside
LONGEST_ERROR = 300
QUESTIONS = ("choices", "labels", "games")  # facts of a letter that a reply answers


class _DevMailbox:
    """Replacement of a mail server: letters stay in the database, where `dev_mailbox` shows
    them."""

    away = False

    def send(self, to: str, mail: bytes, sender: str, begin: Callable[[], bool]) -> None:
        """The letter arrives when it is recorded."""


def send_letters(stop: Callable[[], bool] = lambda: False) -> int:
    """Send the letters that are due; how many were sent. Needs an app context."""
    url = settings().smtp_url
    if url is None:
        return _send_all(_DevMailbox(), stop)
    server = smtp_server(url)
    outage = server_backoff.outage_of(server.name)
    if outage is not None and outage.next_try_at > now():
        return 0
    with MailServer(server, lambda: server_backoff.may_connect(server.name, now())) as transport:
        sent = _send_all(transport, stop)
    if outage is not None and transport.reached and not transport.away:
        server_backoff.note_back(server.name)
        log.info("mail_server_back", server=server.name)
    return sent


def _send_all(transport: MailServer | _DevMailbox, stop: Callable[[], bool]) -> int:
    sent = 0
    with ResultWriter() as writer:
        while not stop() and not transport.away and (batch := claim_letters(writer)) is not None:
            sent += _BatchSender(transport, batch).send(stop)
    return sent


class _BatchSender:
    """Sends the letters of one lease."""

    def __init__(self, transport: MailServer | _DevMailbox, batch: LetterBatch) -> None:
        self.transport, self.batch = transport, batch

    def send(self, stop: Callable[[], bool]) -> int:
        """Send the letters; how many were sent. The rest is given back."""
        sent = 0
        for letter in self.batch.letters:
            if stop() or self.transport.away:
                self.batch.give_back()
                break
            if not self.batch.holds(letter):
                log.warning("lease_lost", letter=letter.id)
                continue
            failure = self._send(letter)
            if failure is None:
                sent += 1
            elif failure.away:
                self._put_off(failure)
                break
        return sent

    def _put_off(self, failure: Failure) -> None:
        """Wait for a mail server that is away; no letter is to blame."""
        if not failure.not_begun:
            url = settings().smtp_url
            assert url is not None
            server_backoff.note_away(smtp_server(url).name, now(), _error(failure))
        letters = self.batch.put_off(now() + BACK_OFF[0], _error(failure))
        log.warning("mail_server_away", letters=letters)

    def _send(self, letter: LetterRow) -> Failure | None:
        """Send one letter and record the result; the failure, if it was not sent."""
        if letter.claims > MOST_CLAIMS:
            failure = Failure("the worker dies while it is sent", for_good=True)
            recorded = self.batch.set_aside(letter, _error(failure))
            _report(letter, LetterState.dead, recorded)
            return failure
        at = now()
        try:
            content, enclosed = _content_of(letter, at)
            mail = mail_of(content, settings(), at, enclosed)
        except NotNeeded as needless:
            return self._skip(letter, needless.reason)
        except Exception as error:
            if is_transient(error):
                raise
            if isinstance(error, Problem):  # such as a game whose board is not here
                log.warning("letter_not_written", letter=letter.id, reason=error.code)
            else:
                log.exception("letter_not_written", letter=letter.id, kind=letter.kind)
            return self._failed(letter, Failure(f"not written: {type(error).__name__}"))
        begin = partial(self._begin, letter, content, at)
        sender = envelope_sender(content, settings(), at)
        failure_of_server = self.transport.send(content.to, mail, sender, begin)
        if failure_of_server is None:
            self._sent(letter, content, enclosed, at)
        elif failure_of_server.not_begun:
            log.warning("lease_lost", letter=letter.id)
        elif not failure_of_server.away:
            self._failed(letter, failure_of_server)
        return failure_of_server

    def _begin(self, letter: LetterRow, content: LetterRow, at: datetime) -> bool:
        """Record that a letter is handed over; whether it is still held. Only the text of a
        composed letter is stored."""
        composed = content._replace(html=None) if _is_composed(letter) else None
        return self.batch.begin(letter, composed, at)

    def _sent(
        self, letter: LetterRow, content: LetterRow, enclosed: Enclosed, at: datetime
    ) -> None:
        if settings().smtp_url is not None or not _is_composed(letter):
            recorded = self.batch.sent(letter, at)
        else:
            recorded = self.batch.kept(letter, content, enclosed.picture, at)
        _report(letter, LetterState.sent, recorded)

    def _skip(self, letter: LetterRow, reason: str) -> Failure:
        if letter.begun_at is None:
            _report(letter, LetterState.skipped, self.batch.skipped(letter, reason))
        else:
            log.warning("letter_unconfirmed", letter=letter.id, reason=reason)
            _report(letter, LetterState.sent, self.batch.unconfirmed(letter))
        return Failure(reason)

    def _failed(self, letter: LetterRow, failure: Failure) -> Failure:
        pause = None if failure.for_good else pause_after(letter.attempts + 1, BACK_OFF)
        next_try_at = None if pause is None else now() + pause
        begun_at = now() if failure.unknown else letter.begun_at
        recorded = self.batch.failed(letter, _error(failure), next_try_at, begun_at)
        _report(letter, LetterState.dead if pause is None else LetterState.failed, recorded)
        if failure.for_good:
            note_refusal(letter, failure.reason, now())
        return failure


def _report(letter: LetterRow, state: LetterState, recorded: bool) -> None:
    """Count and log the result of a letter."""
    LETTERS.labels(letter.kind, state).inc()
    levels = {LetterState.dead: log.error, LetterState.failed: log.warning}
    levels.get(state, log.info)(
        f"letter_{state}", letter=letter.id, kind=letter.kind, earlier_attempts=letter.attempts
    )
    if not recorded:
        log.warning("lease_lost", letter=letter.id)


def _is_composed(letter: LetterRow) -> bool:
    """Whether a letter is written when it is sent, from the state of the game at that time."""
    return letter.kind in COMPOSED_KINDS


def _content_of(letter: LetterRow, at: datetime) -> tuple[LetterRow, Enclosed]:
    """The letter with its text, and its attachments; raises NotNeeded if it is no longer true."""
    if letter.expires_at is not None and letter.expires_at <= at:
        raise NotNeeded("expired")
    if _is_composed(letter):
        return _composed(letter, compose(letter, at), at)
    return letter, NOTHING_ENCLOSED


def _composed(letter: LetterRow, composed: Composed, at: datetime) -> tuple[LetterRow, Enclosed]:
    picture, deadline, language = composed.picture, composed.deadline, composed.language
    content = letter._replace(
        subject=composed.subject,
        text=composed.text,
        html=composed.html,
        game_id=composed.game_id,
        decision=composed.decision,
        facts=_without_questions(letter.facts) | _questions(composed) | {"language": language},
        picture=None if picture is None else picture.digest,
    )
    calendar = None if deadline is None else deadline_ics(*deadline, at, language)
    return content, Enclosed(picture, calendar)


def _questions(composed: Composed) -> dict[str, Any]:
    """What a reply to the letter can answer."""
    facts: dict[str, Any] = {}
    if composed.choices:
        facts |= {"choices": composed.choices, "labels": composed.labels}
    if composed.games:
        facts["games"] = composed.games
    return facts


def _without_questions(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without the questions of an earlier attempt."""
    return {name: fact for name, fact in facts.items() if name not in QUESTIONS}


def _error(failure: Failure) -> str:
    return failure.reason[:LONGEST_ERROR]


def retry(ids: Collection[str], at: datetime) -> int:
    """Make letters due at once that are dead or wait for another attempt, in this transaction; how
    many those are. Letters that are due or claimed already are not changed."""
    again = db.session.execute(
        update(Letter)
        .where(
            Letter.id.in_(ids),
            Letter.state.in_((LetterState.failed, LetterState.dead)),
            Letter.claim.is_(None),
            Letter.next_try_at.is_(None) | (Letter.next_try_at > at),
        )
        .values(state=LetterState.pending, attempts=0, claims=0, error=None, next_try_at=at)
        .returning(Letter.id)
        .execution_options(synchronize_session=False)
    )
    server_backoff.try_now(at)
    wake("mail")
    return len(again.all())
