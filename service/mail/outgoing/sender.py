"""Outgoing mail sender: claim letters that are due, compose, send, record each result.

Each letter is sent after its claim (`queue.py`) is committed. Before it is handed over it
is recorded as begun, with its text, and its result before the next one is begun: a worker that
dies repeats at most the mail it was sending, with the same Message-ID. A letter that was begun and
whose result is not known is sent again if it is still true, and otherwise recorded as sent
(`unconfirmed`), never as skipped. What was not begun is due again when the claim ends, then each
letter in a claim of its own: one that kills its worker is found out.
"""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

import structlog
from sqlalchemy import update

from service.core.clock import now
from service.core.config import smtp_server
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.ics import deadline_ics
from service.core.worker_signal import wake
from service.db.models import Letter, LetterState
from service.db.models.outgoing_mail import BACK_OFF
from service.db.session import AnyRow, db, is_transient
from service.db.statements import Prepared, Rows
from service.mail.outgoing import server_backoff
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.compose import COMPOSED_KINDS, Composed, NotNeeded, compose
from service.mail.outgoing.mime import NOTHING_ENCLOSED, Enclosed, envelope_sender, mail_of
from service.mail.outgoing.queue import (
    BEGIN,
    CLAIMED_FOR,
    COMPOSED,
    COMPOSED_AND_SENT,
    GIVE_BACK,
    KEEP_PICTURE,
    NOT_SENT,
    PUT_OFF,
    RELEASE_PICTURES,
    RENEW,
    SENT,
    SET_ASIDE,
    SKIPPED,
    UNCONFIRMED,
    Claim,
    ResultWriter,
    claimed,
)
from service.mail.outgoing.smtp import Failure, MailServer
from service.mail.outgoing.suppression import note_refusal
from service.notify.planner import LETTERS

log = structlog.get_logger()

RENEWED_AFTER = timedelta(seconds=10)
MOST_CLAIMS = 5  # that came to nothing, before a letter is set aside


class MailTransport(Protocol):
    """Where mails are handed in."""

    @property
    def away(self) -> bool: ...

    def send(
        self, to: str, mail: bytes, sender: str, begin: Callable[[], bool]
    ) -> Failure | None: ...


class _Mailbox:
    """Without a mail server letters stay in the database, where `dev_mailbox` shows them."""

    away = False

    def send(self, to: str, mail: bytes, sender: str, begin: Callable[[], bool]) -> None:
        """It arrives when it is recorded."""


def send_letters(stop: Callable[[], bool] = lambda: False) -> int:
    """Send what is due; how many letters were sent. Needs an app context."""
    url = settings().smtp_url
    if url is None:
        return _send_all(_Mailbox(), stop)
    server = smtp_server(url)
    outage = server_backoff.outage_of(server.name)
    if outage is not None and outage.next_try_at > now():
        return 0
    with MailServer(server, lambda: server_backoff.may_connect(server.name, now())) as office:
        sent = _send_all(office, stop)
    if outage is not None and office.reached and not office.away:
        server_backoff.note_back(server.name)
        log.info("mail_server_back", server=server.name)
    return sent


def _send_all(office: MailTransport, stop: Callable[[], bool]) -> int:
    sent = 0
    with ResultWriter() as results:
        while not stop() and not office.away and (claim := claimed()) is not None:
            sent += _Round(office, claim, results).send(stop)
    return sent


class _Round:
    """The letters of one claim on their way."""

    def __init__(self, office: MailTransport, claim: Claim, results: ResultWriter) -> None:
        self.office, self.results = office, results
        self.token, self.until, self.letters = claim
        self.ours = {letter.id for letter in self.letters}

    def send(self, stop: Callable[[], bool]) -> int:
        """Send them; how many were sent. What is left is given back."""
        sent = 0
        for letter in self.letters:
            if stop() or self.office.away:
                self._note_rest(GIVE_BACK, again=now())
                break
            if not self._is_ours(letter):
                continue
            failure = self._send(letter)
            if failure is None:
                sent += 1
            elif failure.away:  # which is no letter's fault
                if not failure.not_begun:
                    self._note_away(failure)
                put_off = self._note_rest(PUT_OFF, again=now() + BACK_OFF[0], why=_short(failure))
                log.warning("mail_server_away", letters=len(put_off))
                break
        return sent

    def _note_away(self, failure: Failure) -> None:
        url = settings().smtp_url
        assert url is not None
        server_backoff.note_away(smtp_server(url).name, now(), _short(failure))

    def _is_ours(self, letter: AnyRow) -> bool:
        """Keep the claim well ahead of what one mail can take. What could not be renewed was
        claimed by somebody else: we were away for longer than we said."""
        present = now()
        if self.until - present < CLAIMED_FOR - RENEWED_AFTER:
            again = present + CLAIMED_FOR
            self.ours = {row.id for row in self._note_rest(RENEW, again=again)}
            self.until = again
        if letter.id not in self.ours:
            log.warning("lease_lost", letter=letter.id)
            return False
        return True

    def _send(self, letter: AnyRow) -> Failure | None:
        """Send one letter and note what came of it; why it was not sent, if it was not."""
        if letter.claims > MOST_CLAIMS:
            why = Failure("it ends whoever sends it", for_good=True)
            self._note(letter, LetterState.dead, SET_ASIDE, why=_short(why))
            return why
        at = now()
        try:
            written, enclosed = _written(letter, at)
            mail = mail_of(written, settings(), at, enclosed)
        except NotNeeded as needless:
            if letter.begun_at is None:
                self._note(letter, LetterState.skipped, SKIPPED, why=needless.reason)
            else:
                log.warning("letter_unconfirmed", letter=letter.id, reason=needless.reason)
                self._note(letter, LetterState.sent, UNCONFIRMED, present=letter.begun_at)
            return Failure(needless.reason)
        except Exception as error:
            if is_transient(error):
                raise
            if isinstance(error, Problem):  # such as a game whose board is not here
                log.warning("letter_not_written", letter=letter.id, reason=error.code)
            else:
                log.exception("letter_not_written", letter=letter.id, kind=letter.kind)
            return self._failed(letter, Failure(f"not written: {type(error).__name__}"))
        begin = partial(self._begin, letter, written, at)
        failure = self.office.send(
            written.to, mail, envelope_sender(written, settings(), at), begin
        )
        if failure is None:
            self._sent(letter, written, enclosed, at)
        elif failure.not_begun:
            log.warning("lease_lost", letter=letter.id)
        elif not failure.away:
            self._failed(letter, failure)
        return failure

    def _begin(self, letter: AnyRow, written: AnyRow, at: datetime) -> bool:
        """Record that a letter is handed over, and what it says; whether it is still ours. Of what
        was composed for a mail only the text is kept."""
        new = _as_composed(written._replace(html=None) if _is_composed(letter) else written)
        known = {"letter": letter.id, "of_claim": self.token, "present": at}
        return bool(self.results.write(BEGIN, known | new))

    def _sent(self, letter: AnyRow, written: AnyRow, enclosed: Enclosed, at: datetime) -> None:
        if settings().smtp_url is not None or not _is_composed(letter):
            self._note(letter, LetterState.sent, SENT, present=at)
            return
        self._keep(written, enclosed.picture, at)
        self._note(letter, LetterState.sent, COMPOSED_AND_SENT, present=at, **_as_composed(written))

    def _keep(self, written: AnyRow, picture: Picture | None, at: datetime) -> None:
        """Keep the picture of a letter for the page on which letters are read, in place of that of
        earlier letters; those that no letter shows any more are deleted by retention."""
        if picture is not None:
            self.results.write(
                KEEP_PICTURE, {"digest": picture.digest, "png": picture.png, "present": at}
            )
            about = {"letter": written.id, "game": written.game_id, "person": written.person_id}
            self.results.write(RELEASE_PICTURES, about)

    def _failed(self, letter: AnyRow, failure: Failure) -> Failure:
        again = None
        if not failure.for_good and letter.attempts < len(BACK_OFF):
            again = now() + BACK_OFF[letter.attempts]
        state = LetterState.dead if again is None else LetterState.failed
        begun = now() if failure.unknown else letter.begun_at
        why = _short(failure)
        self._note(letter, state, NOT_SENT, new_state=state, again=again, why=why, begun=begun)
        if failure.for_good:
            note_refusal(letter, failure.reason, now())
        return failure

    def _note(self, letter: AnyRow, state: LetterState, statement: Prepared, **values: Any) -> None:
        """Write down what came of a letter."""
        known = {"letter": letter.id, "of_claim": self.token}
        noted = self.results.write(statement, known | values)
        LETTERS.labels(letter.kind, state).inc()
        record_events = {LetterState.dead: log.error, LetterState.failed: log.warning}.get(
            state, log.info
        )
        record_events(
            f"letter_{state}", letter=letter.id, kind=letter.kind, earlier_attempts=letter.attempts
        )
        if not noted:
            log.warning("lease_lost", letter=letter.id)

    def _note_rest(self, statement: Prepared, **values: Any) -> Rows:
        """The same for all letters that are still ours."""
        known = {"of_claim": self.token, "until": self.until}
        return self.results.write(statement, known | values)


def _is_composed(letter: AnyRow) -> bool:
    """Whether a letter is written when it is sent, from how things are then."""
    return letter.kind in COMPOSED_KINDS


def _as_composed(written: AnyRow) -> dict[str, Any]:
    return {f"new_{name}": getattr(written, name) for name in COMPOSED}


def _written(letter: AnyRow, at: datetime) -> tuple[AnyRow, Enclosed]:
    """The letter with its text, and what goes with it; raises NotNeeded if it is not to be sent
    any more."""
    if _is_composed(letter):
        return _composed(letter, compose(letter, at), at)
    if letter.expires_at is not None and letter.expires_at <= at:
        raise NotNeeded("expired")
    return letter, NOTHING_ENCLOSED


def _composed(letter: AnyRow, composed: Composed, at: datetime) -> tuple[AnyRow, Enclosed]:
    kept = {"choices": composed.choices} if composed.choices else {}
    picture, deadline, language = composed.picture, composed.deadline, composed.language
    written = letter._replace(
        subject=composed.subject,
        text=composed.text,
        html=composed.html,
        game_id=composed.game_id,
        decision=composed.decision,
        facts=letter.facts | kept | {"language": language},
        picture=None if picture is None else picture.digest,
    )
    calendar = None if deadline is None else deadline_ics(*deadline, at, language)
    return written, Enclosed(picture, calendar)


def _short(failure: Failure) -> str:
    return failure.reason[:300]


def retry(ids: Collection[str], at: datetime) -> int:
    """Try letters again, in this transaction, that were given up or wait for their next attempt,
    as if they were new; how many those are. What is due or being sent is left alone."""
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
