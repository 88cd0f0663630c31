"""Mails out: through a real mail server, once each, and what happens if it will not have them."""

import asyncio
import email
import email.policy
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from email.header import decode_header, make_header
from email.message import EmailMessage
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from psycopg import sql
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.accounts.sign_in import SIGN_IN_FOR
from service.core.config import smtp_server
from service.core.ids import new_id
from service.db.models import Game, Invitation, Letter, LetterState
from service.db.models.outgoing_mail import BACK_OFF
from service.db.session import db, transact
from service.mail.outgoing import smtp
from service.mail.outgoing.dev_mailbox import letters_written
from service.mail.outgoing.queue import (
    BATCH_SIZE,
    LEASE,
    RECORD_PATIENCE,
    RENEW_AFTER,
    ResultWriter,
)
from service.mail.outgoing.sender import MOST_CLAIMS, retry, send_letters
from service.mail.outgoing.smtp import MailServer, connect
from service.mail.outgoing.templates import write_letter
from service.notify.letter_planner import plan_letters
from service.notify.letters import queue_letter
from service.notify.notification_rules import INVITATION
from service.ops.retention import purge
from tests.servers.ports import free_port
from tests.servers.postgres import connection, database_of
from tests.support.post import arrived, mail_arrives, pair
from tests.support.site import Caller, Site, settings_for
from tests.support.together import at_once
from worker.job_run import RUN_SECONDS
from worker.schedule import JOBS

pytestmark = pytest.mark.usefixtures("without_pictures")


class RecordingServer:
    """Takes mails, unless a test says what it answers instead."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.senders: list[str | None] = []
        self.sessions: set[int] = set()
        self.encrypted: list[bool] = []
        self.to_recipient: str | None = None
        self.to_data: str | None = None
        self.before_data: Callable[[], None] = lambda: None

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.to_recipient is not None:
            return self.to_recipient
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        await asyncio.to_thread(self.before_data)
        if self.to_data is not None:
            return self.to_data
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        self.senders.append(envelope.mail_from)
        self.sessions.add(id(session))
        self.encrypted.append(session.ssl is not None)
        return "250 OK"


@contextmanager
def run_server(mail_server: RecordingServer, port: int, **options: Any) -> Iterator[None]:
    controller = Controller(mail_server, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield
    finally:
        controller.stop()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def mail_server(port: int) -> Iterator[RecordingServer]:
    mail_server = RecordingServer()
    with run_server(mail_server, port):
        yield mail_server


@pytest.fixture
def posting(sqlite_url: str, tmp_path: Path, port: int) -> Site:
    """A site with a mail server."""
    return Site(
        settings_for(
            tmp_path,
            sqlite_url,
            smtp_url=f"smtp://127.0.0.1:{port}",
            mail_from="Laguna <laguna@games.example>",
            mail_domain="games.example",
        )
    )


def write(site: Site, *to: str, code: str = "1234 5678") -> None:
    def work() -> None:
        for address in to:
            write_letter(
                "sign_in",
                address,
                site.clock(),
                code=code,
                link="http://localhost:8000/sign-in/in_secret",
                until=site.clock() + SIGN_IN_FOR,
            )

    with site.app.app_context():
        transact(work)


def invite(site: Site, *to: str) -> None:
    """Letters that are good for longer than a code."""
    dora = site.person("Dora")
    host, at = dora.id(), site.clock()
    with site.app.app_context():
        table = db.session.scalars(select(Game.id).where(Game.host_id == host)).first()
    table = table or dora.opens(seats=2)["id"]

    def work() -> None:
        for address in to:
            invitation = Invitation(
                id=new_id(),
                game_id=table,
                email=address,
                digest=new_id(),
                invited_by=host,
                created_at=at,
                expires_at=at + timedelta(days=30),
            )
            db.session.add(invitation)
            queue_letter(INVITATION, address, {INVITATION: invitation.id, "link": "x"}, at)

    with site.app.app_context():
        transact(work)


def send(site: Site, stop: Callable[[], bool] = lambda: False) -> int:
    with site.app.app_context():
        return send_letters(stop)


def by_address(site: Site) -> dict[str, Letter]:
    return {letter.to: letter for letter in site.letters()}


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert isinstance(part, EmailMessage)
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert isinstance(part, EmailMessage)
    return unescape(str(part.get_content()))


def only_letter(site: Site) -> Letter:
    [letter] = site.letters()
    return letter


def test_a_letter_arrives_once_with_the_headers_of_an_automatic_mail(
    posting: Site, mail_server: RecordingServer
) -> None:
    write(posting, "anna@example.org")
    assert send(posting) == 1
    assert send(posting) == 0
    [mail] = mail_server.mails
    letter = only_letter(posting)
    assert letter.sent_at == posting.clock()
    assert letter.state == LetterState.sent
    assert mail["From"] == "Laguna <laguna@games.example>"
    assert mail["To"] == "anna@example.org"
    assert mail["Subject"] == letter.subject
    assert mail["Date"].datetime == posting.clock()
    assert mail["Message-ID"] == f"<{letter.id}.letter@games.example>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert text_of(mail) == letter.text
    assert mail_server.senders == ["laguna@games.example"]


def test_letters_of_all_languages_arrive_as_they_were_written(
    posting: Site, mail_server: RecordingServer
) -> None:
    write(posting, "anna@example.org", code="für Ánna 🦁")
    send(posting)
    [mail] = mail_server.mails
    assert "für Ánna 🦁" in text_of(mail)
    assert "für Ánna 🦁" in html_of(mail)
    assert "für Ánna 🦁" in mail["Subject"]


def test_one_connection_carries_all_letters_of_a_round(
    posting: Site, mail_server: RecordingServer
) -> None:
    write(posting, *(f"p{number}@example.org" for number in range(5)))
    assert send(posting) == 5
    assert len(mail_server.mails) == 5
    assert len(mail_server.sessions) == 1


def test_an_address_that_does_not_exist_is_given_up_at_once(
    posting: Site, mail_server: RecordingServer
) -> None:
    mail_server.to_recipient = "550 5.1.1 no such person"
    write(posting, "nobody@example.org")
    assert send(posting) == 0
    letter = only_letter(posting)
    assert letter.state == LetterState.dead
    assert letter.next_try_at is None
    assert letter.sent_at is None
    assert letter.error == "550 5.1.1 no such person"


def test_a_mail_that_is_refused_as_such_is_given_up_at_once(
    posting: Site, mail_server: RecordingServer
) -> None:
    mail_server.to_data = "554 5.7.1 we do not like it"
    write(posting, "anna@example.org")
    send(posting)
    assert only_letter(posting).next_try_at is None


def test_a_busy_server_is_tried_again_ever_more_rarely_and_then_no_more(
    posting: Site, mail_server: RecordingServer
) -> None:
    mail_server.to_recipient = "451 4.7.1 come back later"
    invite(posting, "anna@example.org")
    for pause in BACK_OFF:
        send(posting)
        assert only_letter(posting).next_try_at == posting.clock() + pause
        assert only_letter(posting).state == LetterState.failed
        posting.clock.at += pause - BACK_OFF[0] / 2
        send(posting)
        assert only_letter(posting).next_try_at is not None
        posting.clock.at += BACK_OFF[0] / 2
    send(posting)
    letter = only_letter(posting)
    assert (letter.state, letter.next_try_at) == (LetterState.dead, None)
    assert letter.attempts == len(BACK_OFF) + 1
    assert letter.error == "451 4.7.1 come back later"
    assert mail_server.mails == []


def test_while_the_server_is_away_letters_wait(posting: Site, port: int) -> None:
    write(posting, "anna@example.org", "ben@example.org")
    assert send(posting) == 0
    for letter in posting.letters():
        assert (letter.state, letter.attempts) == (LetterState.failed, 0), "it is not their fault"
        assert str(letter.error).startswith("no connection")
    mail_server = RecordingServer()
    posting.clock.at += BACK_OFF[0]
    with run_server(mail_server, port):
        assert send(posting) == 2
    assert {mail["To"] for mail in mail_server.mails} == {"anna@example.org", "ben@example.org"}


class Short(RecordingServer):
    """Takes one mail by a connection: servers take only so many in a row."""

    def __init__(self, says: str | None) -> None:
        super().__init__()
        self.says = says

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if id(session) in self.sessions:
            if self.says is not None:
                return self.says
            assert server.transport is not None
            server.transport.close()
        envelope.mail_from = address
        return "250 OK"


@pytest.mark.parametrize("says", [None, "421 enough for now"])
def test_a_server_that_closes_the_connection_gets_the_rest_by_a_new_one(
    posting: Site, port: int, says: str | None
) -> None:
    mail_server = Short(says)
    write(posting, "anna@example.org", "ben@example.org", "carla@example.org")
    with run_server(mail_server, port):
        assert send(posting) == 3
    assert len(mail_server.mails) == 3


def test_a_server_that_vanishes_in_the_middle_of_a_mail_gets_it_again_later(
    posting: Site, port: int
) -> None:
    class Vanishing(RecordingServer):
        async def handle_DATA(  # noqa: N802
            self, server: SMTP, session: Session, envelope: Envelope
        ) -> str:
            assert server.transport is not None
            server.transport.close()
            return "250 never heard"

    invite(posting, "anna@example.org", "ben@example.org")
    with run_server(Vanishing(), port):
        assert send(posting) == 0
    states = sorted((one.state, one.attempts) for one in posting.letters())
    assert states == [("failed", 1), ("pending", 0)], "the other one was not even tried"
    mail_server = RecordingServer()
    posting.clock.at += BACK_OFF[0]
    with run_server(mail_server, port):
        assert send(posting) == 2


def test_one_letter_that_is_refused_does_not_hold_up_the_others(posting: Site, port: int) -> None:
    class Particular(RecordingServer):
        async def handle_RCPT(  # noqa: N802
            self,
            server: SMTP,
            session: Session,
            envelope: Envelope,
            address: str,
            options: list[str],
        ) -> str:
            if address.startswith("ben"):
                return "550 no such person"
            return await super().handle_RCPT(server, session, envelope, address, options)

    mail_server = Particular()
    write(posting, "anna@example.org", "ben@example.org", "carla@example.org")
    with run_server(mail_server, port):
        assert send(posting) == 2
    assert len(mail_server.sessions) == 1
    assert by_address(posting)["ben@example.org"].state == LetterState.dead


def test_two_workers_send_every_letter_once(any_site: Site, port: int) -> None:
    mail_server = RecordingServer()
    settings = settings_for(
        any_site.settings.data,
        any_site.settings.database_url,
        smtp_url=f"smtp://127.0.0.1:{port}",
    )
    sites = [Site(settings), Site(settings)]
    write(any_site, *(f"p{number}@example.org" for number in range(20)))
    with run_server(mail_server, port):
        sent = at_once([partial(send, site) for site in sites])
    assert sum(sent) == 20
    assert len({mail["To"] for mail in mail_server.mails}) == len(mail_server.mails) == 20
    for site in sites:
        _close(site)


def _close(site: Site) -> None:
    with site.app.app_context():
        db.engine.dispose()


def test_what_came_of_a_mail_is_kept_before_the_next_one_is_taken(
    any_site: Site, port: int
) -> None:
    """So that a worker which dies repeats at most the mail in flight."""
    url = f"smtp://127.0.0.1:{port}"
    site = Site(replace(any_site.settings, smtp_url=url))
    mail_server = RecordingServer()
    noted: list[int] = []

    def count() -> None:
        sent = [one for one in any_site.letters() if one.state == LetterState.sent]
        noted.append(len(sent))

    mail_server.before_data = count
    write(site, *(f"p{number}@example.org" for number in range(6)))
    with run_server(mail_server, port):
        assert send(site) == 6
    assert noted == [0, 1, 2, 3, 4, 5]
    _close(site)


class Killed(BaseException):
    """The worker is no more."""


def test_a_worker_that_dies_repeats_at_most_the_mail_in_flight(
    posting: Site, mail_server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(posting, *(f"p{number}@example.org" for number in range(6)))
    send_one = MailServer.send
    sent: list[str] = []

    def send_three(self: MailServer, to: str, *args: Any) -> Any:
        answer = send_one(self, to, *args)
        sent.append(to)
        if len(sent) == 3:
            raise Killed
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(MailServer, "send", send_three)
        with pytest.raises(Killed):
            send(posting)
    assert send(posting) == 0, "the others are claimed"
    posting.clock.at += LEASE
    assert send(posting) == 4
    ids = [mail["Message-ID"] for mail in mail_server.mails]
    assert len(ids) == 7
    assert len(set(ids)) == 6
    assert ids.count(ids[2]) == 2


def test_workers_that_die_use_up_no_attempt(
    posting: Site, mail_server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(posting, "anna@example.org")

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(MailServer, "send", die)
        for _ in range(MOST_CLAIMS):
            with pytest.raises(Killed):
                send(posting)
            posting.clock.at += LEASE
    assert (only_letter(posting).attempts, only_letter(posting).claims) == (0, MOST_CLAIMS)
    mail_server.to_recipient = "451 later"
    monkeypatch.setattr("service.mail.outgoing.sender.MOST_CLAIMS", MOST_CLAIMS + 1)
    assert send(posting) == 0
    letter = only_letter(posting)
    assert (letter.state, letter.attempts, letter.claims) == (LetterState.failed, 1, 0)
    assert (letter.claim, letter.next_try_at) == (None, posting.clock() + BACK_OFF[0])


def test_a_letter_that_kills_its_worker_is_set_aside_and_no_other_is(
    posting: Site, mail_server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = ("anna", "ben", "carla", "dora")
    invite(posting, *(f"{name}@example.org" for name in people))
    send_one = MailServer.send
    deaths = 0

    def die_of_ben(self: MailServer, to: str, *args: Any) -> Any:
        nonlocal deaths
        if to.startswith("ben"):
            deaths += 1
            raise Killed
        return send_one(self, to, *args)

    monkeypatch.setattr(MailServer, "send", die_of_ben)
    for _ in range(MOST_CLAIMS):
        with pytest.raises(Killed):
            send(posting)
        posting.clock.at += LEASE
    send(posting)
    letters = by_address(posting)
    ben = letters.pop("ben@example.org")
    assert deaths == MOST_CLAIMS
    assert (ben.state, ben.attempts, ben.next_try_at) == (LetterState.dead, 0, None)
    assert ben.error == "the worker dies while it is sent"
    assert {letter.state for letter in letters.values()} == {LetterState.sent}
    assert len(mail_server.mails) == 3


def test_a_person_who_was_away_for_longer_than_the_claim_leaves_the_rest_to_others(
    any_site: Site, port: int
) -> None:
    url = f"smtp://127.0.0.1:{port}"
    stalled = Site(replace(any_site.settings, smtp_url=url), any_site.clock)
    other = Site(stalled.settings, any_site.clock)
    mail_server = RecordingServer()
    elsewhere: list[int] = []

    def stall() -> None:
        if not elsewhere:
            elsewhere.append(0)
            any_site.clock.at += LEASE
            _elsewhere(lambda: elsewhere.append(send(other)))

    mail_server.before_data = stall
    invite(any_site, *(f"p{number}@example.org" for number in range(5)))
    with run_server(mail_server, port):
        assert send(stalled) == 1, "the one that was on its way"
    assert elsewhere == [0, 5]
    ids = [mail["Message-ID"] for mail in mail_server.mails]
    assert (len(ids), len(set(ids))) == (6, 5)
    for site in (stalled, other):
        _close(site)


class Slow(RecordingServer):
    """Takes its time for answers; seconds by command."""

    def __init__(self, **seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        await asyncio.sleep(self.seconds.get("rcpt", 0))
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        await asyncio.sleep(self.seconds.get("mail", 0))
        envelope.mail_from = address
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(self.seconds.get("data", 0))
        return answer


def test_a_server_that_looks_into_mails_for_long_gets_each_once(
    posting: Site, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "BEGUN_WITHIN", 1.0)
    mail_server = Slow(data=1.3)
    invite(posting, "anna@example.org", "ben@example.org")
    with run_server(mail_server, port):
        assert send(posting) == 2
    assert len(mail_server.mails) == 2


@pytest.mark.parametrize(
    ("seconds", "limits"),
    [
        ({"mail": 0.7, "rcpt": 0.7}, {"BEGUN_WITHIN": 1.0}),  # each of them alone is soon enough
        ({"data": 5.0}, {"TAKEN_WITHIN": 0.2}),
    ],
)
def test_a_server_that_is_too_slow_is_left_alone_for_a_while(
    posting: Site,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    seconds: dict[str, float],
    limits: dict[str, float],
) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(smtp, name, limit)
    invite(posting, "anna@example.org", "ben@example.org")
    with run_server(Slow(**seconds), port):
        assert send(posting) == 0
    tried = [one for one in posting.letters() if one.state == LetterState.failed]
    assert [one.attempts for one in tried] == [1]
    assert str(tried[0].error).startswith("SMTPServerDisconnected")


def test_a_claim_outlasts_the_slowest_mail_and_its_note() -> None:
    mail = smtp.BEGUN_WITHIN + smtp.TAKEN_WITHIN + smtp.ENDED_WITHIN
    assert smtp.TAKEN_WITHIN >= 60
    assert RENEW_AFTER.total_seconds() + mail + RECORD_PATIENCE < LEASE.total_seconds()
    [job] = [job for job in JOBS if job.name == "letters"]
    assert RUN_SECONDS + mail + RECORD_PATIENCE < job.limit


def test_a_person_who_is_asked_to_stop_gives_back_what_was_not_begun(
    posting: Site, mail_server: RecordingServer
) -> None:
    invite(posting, *(f"p{number}@example.org" for number in range(5)))
    assert send(posting, stop=lambda: len(mail_server.mails) == 2) == 2
    left = [one for one in posting.letters() if one.state == LetterState.pending]
    assert [(one.attempts, one.next_try_at) for one in left] == [(0, posting.clock())] * 3
    assert send(posting) == 3
    assert len({mail["Message-ID"] for mail in mail_server.mails}) == len(mail_server.mails) == 5


def test_a_slow_server_does_not_let_the_claim_run_out(
    posting: Site, mail_server: RecordingServer, port: int
) -> None:
    other = Site(posting.settings, posting.clock)
    elsewhere: list[int] = []

    def slowly() -> None:
        posting.clock.at += RENEW_AFTER
        thread = threading.Thread(target=lambda: elsewhere.append(send(other)))
        thread.start()
        thread.join()

    mail_server.before_data = slowly
    count = 3 * (LEASE // RENEW_AFTER)
    invite(posting, *(f"p{number}@example.org" for number in range(count)))
    assert send(posting) == count
    assert elsewhere == [0] * count, "another worker found something to send"
    assert len(mail_server.mails) == count
    _close(other)


def test_more_letters_than_one_claim_takes_are_sent_in_one_go(
    posting: Site, mail_server: RecordingServer
) -> None:
    write(posting, *(f"p{number}@example.org" for number in range(BATCH_SIZE + 5)))
    assert send(posting) == BATCH_SIZE + 5
    assert len(mail_server.sessions) == 1


def test_a_database_that_is_away_for_a_moment_loses_no_note(
    posting: Site, mail_server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = ResultWriter._execute
    failed: list[Any] = []

    def fail_once(self: ResultWriter, *given: Any) -> Any:
        if not failed:
            failed.append(given)
            raise OperationalError("UPDATE", {}, Exception("gone"))
        return execute(self, *given)

    monkeypatch.setattr(ResultWriter, "_execute", fail_once)
    write(posting, "anna@example.org", "ben@example.org")
    assert send(posting) == 2
    assert {letter.state for letter in posting.letters()} == {LetterState.sent}
    posting.clock.at += LEASE
    assert send(posting) == 0
    assert len(mail_server.mails) == 2


def test_notes_are_kept_after_the_database_cut_its_connections(
    postgresql_url: str, tmp_path: Path, port: int
) -> None:
    site = Site(settings_for(tmp_path, postgresql_url, smtp_url=f"smtp://127.0.0.1:{port}"))
    mail_server = RecordingServer()

    def cut() -> None:
        if len(mail_server.mails) in (2, 5):
            with connection(postgresql_url) as server:
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )

    mail_server.before_data = cut
    invite(site, *(f"p{number}@example.org" for number in range(8)))
    with run_server(mail_server, port):
        assert send(site) == 8
        assert {letter.state for letter in site.letters()} == {LetterState.sent}
        site.clock.at += LEASE
        assert send(site) == 0
    assert len({mail["Message-ID"] for mail in mail_server.mails}) == len(mail_server.mails) == 8
    _close(site)


def test_a_note_is_kept_if_the_database_goes_before_the_next_letter(
    any_site: Site, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(replace(any_site.settings, smtp_url=f"smtp://127.0.0.1:{port}"))
    mail_server = RecordingServer()

    def gone(*_: Any) -> Any:
        raise OperationalError("SELECT", {}, Exception("gone"))

    invite(site, "anna@example.org", "ben@example.org")
    with run_server(mail_server, port):
        with monkeypatch.context() as patch:
            mail_server.before_data = lambda: patch.setattr(
                "service.mail.outgoing.sender._content_of", gone
            )
            with pytest.raises(OperationalError):
                send(site)
        states = sorted(str(one.state) for one in any_site.letters())
        assert states == ["pending", "sent"]
        site.clock.at += LEASE
        mail_server.before_data = lambda: None
        assert send(site) == 1
    assert len({mail["Message-ID"] for mail in mail_server.mails}) == len(mail_server.mails) == 2
    _close(site)


def test_letters_that_were_given_up_can_be_tried_again(
    posting: Site, mail_server: RecordingServer
) -> None:
    mail_server.to_recipient = "550 no such person"
    invite(posting, "anna@example.org", "ben@example.org")
    send(posting)
    mail_server.to_recipient = None
    dead = by_address(posting)
    assert {letter.state for letter in dead.values()} == {LetterState.dead}
    anna = dead["anna@example.org"].id
    with posting.app.app_context():
        assert transact(lambda: retry([anna], posting.clock())) == 1
        assert transact(lambda: retry([anna], posting.clock())) == 0, "it waits already"
    assert send(posting) == 1
    after = by_address(posting)
    assert after["anna@example.org"].state == LetterState.sent
    assert after["ben@example.org"].state == LetterState.dead


def test_a_claimed_letter_is_not_tried_a_second_time_by_an_operator(
    posting: Site, mail_server: RecordingServer
) -> None:
    mail_server.to_recipient = "451 later"
    invite(posting, "anna@example.org")
    send(posting)
    mail_server.to_recipient = None
    letter = only_letter(posting).id
    posting.clock.at += BACK_OFF[0]
    tried: list[int] = []

    def meanwhile() -> None:
        with posting.app.app_context():
            for at in (posting.clock(), posting.clock() - BACK_OFF[0] / 2):
                tried.append(transact(lambda at=at: retry([letter], at)))  # type: ignore[misc]

    mail_server.before_data = lambda: _elsewhere(meanwhile)
    assert send(posting) == 1
    assert tried == [0, 0]
    assert only_letter(posting).state == LetterState.sent


def _elsewhere(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_code_that_is_no_longer_good_is_not_sent(
    posting: Site, mail_server: RecordingServer
) -> None:
    write(posting, "anna@example.org")
    posting.clock.at += SIGN_IN_FOR
    assert send(posting) == 0
    letter = only_letter(posting)
    assert (letter.state, letter.reason) == (LetterState.skipped, "expired")
    assert mail_server.mails == []


def test_codes_are_forgotten_when_they_are_no_longer_good(site: Site) -> None:
    write(site, "anna@example.org")
    invite(site, "ben@example.org")
    send(site)
    with site.app.app_context():
        assert purge(site.clock()) == 0
        site.clock.at += SIGN_IN_FOR + timedelta(seconds=1)
        assert purge(site.clock()) == 1
        assert purge(site.clock()) == 0
    kept = by_address(site)
    assert "1234" not in f"{kept['anna@example.org'].subject} {kept['anna@example.org'].text}"
    assert "in_secret" not in str(kept["anna@example.org"].text)
    assert "Dora" in str(kept["ben@example.org"].text)
    assert "1234" not in str(kept["anna@example.org"].html)
    site.clock.advance(days=31)
    with site.app.app_context():
        purge(site.clock())
    assert "Dora" not in f"{only_letter(site).text} {only_letter(site).html}"
    site.clock.advance(days=102)
    with site.app.app_context():
        purge(site.clock())
    assert site.letters() == []


def test_the_mails_of_a_game_hang_together(posting: Site, mail_server: RecordingServer) -> None:
    anna, ben = posting.people("Anna", "Ben")
    game_id = posting.game_of(anna, ben, title="Evening round")
    mail_arrives(posting)
    posting.play_to_the_end(game_id, anna, ben)
    mail_arrives(posting)
    mails = [mail for mail in mail_server.mails if mail["To"] == "anna@example.org"]
    assert len(mails) == len(arrived(posting, anna)) == 2
    assert {mail["Subject"] for mail in mails} == {"Evening round"}
    assert {mail["References"] for mail in mails} == {f"<{game_id}.game@games.example>"}
    assert len({mail["Message-ID"] for mail in mails}) == 2
    for mail in mails:
        assert mail["List-Id"] == "Laguna <turns.games.example>"
        assert mail["List-Unsubscribe"].startswith("<http://localhost:8000/mail/off/")
        assert "mailbox" not in text_of(mail), "nobody reads replies there"


@pytest.mark.parametrize("text", ["x" * 3000, "a line\n.\n..\nand a dot", "été\n" * 300, "end  \n"])
def test_any_text_arrives_as_it_was_written(
    posting: Site, mail_server: RecordingServer, text: str
) -> None:
    with posting.app.app_context():
        transact(
            lambda: db.session.add(
                Letter(
                    kind="sign_in",
                    to="anna@example.org",
                    subject="Grüße",
                    text=f"{text}\n",
                    created_at=posting.clock(),
                    next_try_at=posting.clock(),
                )
            )
        )
    assert send(posting) == 1
    [mail] = mail_server.mails
    assert mail["Subject"] == "Grüße"
    assert mail.get_content().replace("\r\n", "\n") == f"{text}\n"


@pytest.mark.parametrize(
    "subject",
    [
        "Ж" * 80,
        "Grüße an alle, die heute mitspielen und gern noch länger blieben 🦁 " * 3,
        "x" * 200,
    ],
    ids=["one word", "many words", "plain"],
)
def test_words_of_any_script_are_encoded_in_pieces_that_are_allowed(
    sqlite_url: str, tmp_path: Path, port: int, subject: str
) -> None:
    """RFC 2047: none of them is longer than 75 characters."""
    name = "Die große Lagune der Spiele für Leute die sich gern Zeit lassen können"
    site = Site(
        settings_for(
            tmp_path,
            sqlite_url,
            smtp_url=f"smtp://127.0.0.1:{port}",
            mail_from=f"{name} <laguna@games.example>",
            public_url=f"https://{'long-' * 20}name.example",
        )
    )
    person = site.person("Anna").id()
    letter = Letter(
        kind="written",
        to="anna@example.org",
        person_id=person,
        subject=subject.strip(),
        text="Hello\n",
        created_at=site.clock(),
        next_try_at=site.clock(),
    )
    with site.app.app_context():
        wanted = letter.subject
        transact(lambda: db.session.add(letter))
    mail_server = RecordingServer()
    with run_server(mail_server, port):
        send(site)
    [mail] = [mail for mail in mail_server.mails if mail["Subject"] == wanted]
    for header, said in (("Subject", wanted), ("From", f"{name} <laguna@games.example>")):
        [raw] = [str(value) for key, value in mail.raw_items() if key == header]
        words = re.findall(r"=\?\S+\?=", raw)
        assert all(len(word) <= 75 for word in words), words
        assert str(make_header(decode_header(raw))) == said
    assert mail["List-Unsubscribe"].startswith(f"<{site.settings.public_url}/mail/off/")
    assert mail["List-Unsubscribe"].endswith(">")
    _close(site)


@pytest.mark.parametrize("international", [True, False])
def test_an_address_of_any_script_is_used_where_the_server_can(
    posting: Site, port: int, international: bool
) -> None:
    mail_server = RecordingServer()
    invite(posting, "änna@example.org", "ben@example.org")
    with run_server(mail_server, port, enable_SMTPUTF8=international):
        assert send(posting) == 1 + international
    state = by_address(posting)["änna@example.org"].state
    assert state == (LetterState.sent if international else LetterState.dead)
    assert "ben@example.org" in {mail["To"] for mail in mail_server.mails}


def test_a_line_end_in_an_address_writes_no_header(
    posting: Site, mail_server: RecordingServer
) -> None:
    invite(posting, "anna@example.org\nBcc: ben@example.org")
    assert send(posting) == 0
    assert mail_server.mails == []
    assert str(only_letter(posting).error).startswith("not written")


def test_without_a_server_letters_are_kept_to_be_read(site: Site) -> None:
    write(site, "anna@example.org")
    write(site, "ben@example.org")
    assert send(site) == 2
    with site.app.app_context():
        assert [letter.to for letter in letters_written("Anna@example.org", 5)] == [
            "anna@example.org"
        ]
    assert all(letter.sent_at is not None for letter in site.letters())


def test_logs_have_no_text_of_letters(posting: Site, mail_server: RecordingServer) -> None:
    write(posting, "anna@example.org")
    mail_server.to_recipient = "451 later"
    with capture_logs() as logs:
        send(posting)
        mail_server.to_recipient = None
        posting.clock.at += BACK_OFF[0]
        send(posting)
    assert [line["event"] for line in logs] == ["letter_failed", "letter_sent"]
    said = repr(logs)
    assert "in_secret" not in said
    assert "1234" not in said
    assert "anna@" not in said


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A server's own certificate, which nobody vouches for."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, file = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-keyout", key, "-out", file),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file, key)
    return context


def test_a_server_that_offers_encryption_gets_the_mail_encrypted(
    posting: Site, port: int, certificate: ssl.SSLContext
) -> None:
    mail_server = RecordingServer()
    write(posting, "anna@example.org")
    with run_server(mail_server, port, tls_context=certificate):
        assert send(posting) == 1
    assert mail_server.encrypted == [True]


def test_a_password_is_not_told_to_a_server_nobody_vouches_for(
    port: int, certificate: ssl.SSLContext
) -> None:
    asked: list[LoginPassword] = []
    with (
        run_server(RecordingServer(), port, tls_context=certificate, authenticator=_taking(asked)),
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        connect(smtp_server(f"smtp://anna:pass%40word@127.0.0.1:{port}"))
    assert asked == []


def test_name_and_password_are_taken_from_the_address(port: int) -> None:
    asked: list[LoginPassword] = []
    options = {"authenticator": _taking(asked), "auth_require_tls": False}
    with run_server(RecordingServer(), port, **options):
        connect(smtp_server(f"smtp://anna:pass%40word@127.0.0.1:{port}")).quit()
    assert asked == [LoginPassword(b"anna", b"pass@word")]


def test_a_server_that_will_not_let_us_sign_in_costs_no_letter(posting: Site, port: int) -> None:
    url = f"smtp://anna:pass%40word@127.0.0.1:{port}"
    site = Site(replace(posting.settings, smtp_url=url), posting.clock)
    invite(site, "anna@example.org")
    for options, why in (
        ({"authenticator": _refusing, "auth_require_tls": False}, "SMTPAuthenticationError 535"),
        ({"auth_exclude_mechanism": ["LOGIN", "PLAIN"]}, "NoSignIn"),
    ):
        with run_server(RecordingServer(), port, **options), capture_logs() as logs:
            assert send(site) == 0
        letter = only_letter(site)
        assert (letter.state, letter.attempts) == (LetterState.failed, 0)
        assert letter.error == f"no connection: {why}"
        assert "pass" not in repr(logs)
        posting.clock.at += BACK_OFF[0]
    _close(site)


def test_a_name_of_the_server_that_cannot_be_looked_up_costs_no_letter(posting: Site) -> None:
    site = Site(replace(posting.settings, smtp_url=f"smtp://{'m' * 70}.example"), posting.clock)
    invite(site, "anna@example.org")
    assert send(site) == 0
    letter = only_letter(site)
    assert (letter.state, letter.attempts) == (LetterState.failed, 0)
    assert letter.error == "no connection: UnicodeError"
    _close(site)


def _refusing(*_: Any) -> AuthResult:
    return AuthResult(success=False, handled=False)


def _taking(asked: list[LoginPassword]) -> Callable[..., AuthResult]:
    def authenticate(
        server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        asked.append(data)
        return AuthResult(success=True)

    return authenticate


# A mail server that is away


class Listener:
    """Accepts connections, counts them and hangs up: no mail server answers there."""

    def __init__(self, port: int) -> None:
        self.count = 0
        self.socket = socket.create_server(("127.0.0.1", port))
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while True:
            line, _ = self.socket.accept()
            with line:
                if self.closing:
                    return
                self.count += 1

    closing = False

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing = True
        socket.create_connection(self.socket.getsockname()).close()
        self.thread.join()
        self.socket.close()


def test_all_processes_together_try_to_connect_once_a_minute(any_site: Site, port: int) -> None:
    settings = replace(any_site.settings, smtp_url=f"smtp://127.0.0.1:{port}")
    sites = [Site(settings, any_site.clock) for _ in range(3)]
    with Listener(port) as listener:
        invite(any_site, "p@example.org")
        assert send(sites[0]) == 0
        assert listener.count == 1
        for minute in range(1, 4):
            for number in range(3):
                invite(any_site, f"p{minute}{number}@example.org")
                assert at_once([partial(send, site) for site in sites]) == [0, 0, 0]
            assert listener.count == minute, "within the minute nobody tries again"
            any_site.clock.at += BACK_OFF[0]
            assert at_once([partial(send, site) for site in sites]) == [0, 0, 0]
            assert listener.count == minute + 1
    mail_server = RecordingServer()
    with run_server(mail_server, port):
        assert send(sites[1]) == 0, "it is not known yet that the server is back"
        any_site.clock.at += BACK_OFF[0]
        assert send(sites[2]) == 10
        invite(any_site, "last@example.org")
        assert send(sites[0]) == 1, "from then on letters are sent at once"
    for site in sites:
        _close(site)


def test_an_operator_need_not_wait_for_the_next_attempt(posting: Site, port: int) -> None:
    invite(posting, "anna@example.org")
    assert send(posting) == 0
    with run_server(RecordingServer(), port):
        assert send(posting) == 0
        with posting.app.app_context():
            assert transact(lambda: retry([only_letter(posting).id], posting.clock())) == 1
        assert send(posting) == 1


# Letters that were handed over, and nobody knows what came of it


def refusing_connections(url: str, refused: bool) -> None:
    """Let a database of PostgreSQL take no connections, and end those it has; or take them."""
    with connection(f"{url.rpartition('/')[0]}/postgres") as server:
        allowed = sql.SQL("false" if refused else "true")
        server.execute(
            sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(database_of(url), allowed)
        )
        if refused:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (urlsplit(url).path.removeprefix("/"),),
            )


def players(site: Site) -> tuple[dict[str, Caller], str]:
    """Two people by their addresses, and their game."""
    anna, ben, game_id = pair(site)
    return {"anna@example.org": anna, "ben@example.org": ben}, game_id


def test_a_letter_that_was_delivered_is_not_skipped_if_the_database_went_before_the_result(
    postgresql_url: str, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.mail.outgoing.queue.RECORD_PATIENCE", 0.0)
    settings = settings_for(
        tmp_path, postgresql_url, smtp_url=f"smtp://127.0.0.1:{port}", mail_in=("lmtp://x",)
    )
    site = Site(settings)
    mail_server = RecordingServer()
    mail_server.before_data = lambda: refusing_connections(postgresql_url, True)
    people, game_id = players(site)
    with site.app.app_context():
        plan_letters(site.clock(), 50)
    site.clock.advance(seconds=60)
    with run_server(mail_server, port):
        with pytest.raises(OperationalError):
            send(site)
        refusing_connections(postgresql_url, False)
        mail_server.before_data = lambda: None
        [mail] = mail_server.mails
        [letter] = [one for one in site.letters() if f"<{one.id}.letter" in mail["Message-ID"]]
        assert (letter.kind, letter.to) == ("turn", mail["To"])
        assert (letter.state, letter.begun_at) == ("pending", site.clock())
        people[mail["To"]].plays(game_id)
        site.clock.at += LEASE
        send(site)
    letter = next(one for one in site.letters() if one.id == letter.id)
    assert (letter.state, letter.reason, letter.next_try_at) == ("sent", "unconfirmed", None)
    assert letter.sent_at == site.clock() - LEASE
    assert letter.subject == mail["Subject"]
    assert letter.facts["choices"], "a reply to it can be read"
    ids = [one["Message-ID"] for one in mail_server.mails]
    assert ids.count(mail["Message-ID"]) == 1
    _close(site)


def test_a_letter_whose_answer_was_not_heard_is_not_skipped(posting: Site, port: int) -> None:
    class Silent(RecordingServer):
        async def handle_DATA(  # noqa: N802
            self, server: SMTP, session: Session, envelope: Envelope
        ) -> str:
            await super().handle_DATA(server, session, envelope)
            assert server.transport is not None
            server.transport.close()
            return "250 never heard"

    people, game_id = players(posting)
    with posting.app.app_context():
        plan_letters(posting.clock(), 50)
    posting.clock.advance(seconds=60)
    mail_server = Silent()
    with run_server(mail_server, port):
        send(posting)
        [mail] = mail_server.mails
        people[mail["To"]].plays(game_id)
        posting.clock.at += BACK_OFF[0]
    with run_server(RecordingServer(), port):
        send(posting)
    [letter] = [one for one in posting.letters() if f"<{one.id}.letter" in mail["Message-ID"]]
    assert (letter.to, letter.state, letter.reason) == (mail["To"], "sent", "unconfirmed")


def test_a_letter_that_was_never_handed_over_is_skipped_when_it_is_no_longer_true(
    posting: Site, mail_server: RecordingServer
) -> None:
    anna, _, game_id = pair(posting)
    with posting.app.app_context():
        plan_letters(posting.clock(), 50)
    posting.clock.advance(seconds=60)
    mail_server.to_recipient = "451 later"
    send(posting)
    anna.plays(game_id)
    posting.clock.at += BACK_OFF[0]
    send(posting)
    turns = [one for one in posting.letters() if one.to == "anna@example.org"]
    assert {(one.state, one.begun_at) for one in turns if one.kind == "turn"} == {("skipped", None)}


def test_a_letter_that_another_process_has_claimed_is_not_handed_over(
    posting: Site, mail_server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(posting, "anna@example.org", "ben@example.org")
    rcpt = smtp._Connection.rcpt

    def claimed_meanwhile(self: Any, recipient: str) -> Any:
        if recipient.startswith("anna"):
            with posting.app.app_context():
                until = posting.clock() + 2 * LEASE
                change = update(Letter).where(Letter.to == recipient).values(next_try_at=until)
                transact(lambda: db.session.execute(change))
        return rcpt(self, recipient)

    monkeypatch.setattr(smtp._Connection, "rcpt", claimed_meanwhile)
    with capture_logs() as said:
        assert send(posting) == 1
    assert [mail["To"] for mail in mail_server.mails] == ["ben@example.org"]
    assert "lease_lost" in [line["event"] for line in said]
