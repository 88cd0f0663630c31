"""Mails out: through a real mail server, once each, and what happens if it will not have them."""

import email
import email.policy
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from structlog.testing import capture_logs

from service.database import transact
from service.letters import write_letter
from service.mailing import BACK_OFF, connect, letters_written, send_letters
from service.models import Letter
from tests.servers.ports import free_port
from tests.service.support.house import House, settings_for


class PostOffice:
    """Takes mails, unless a test says what it answers instead."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.senders: list[str | None] = []
        self.sessions: set[int] = set()
        self.encrypted: list[bool] = []
        self.to_recipient: str | None = None
        self.to_data: str | None = None

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.to_recipient is not None:
            return self.to_recipient
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
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
def open_office(office: PostOffice, port: int, **options: Any) -> Iterator[None]:
    controller = Controller(office, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield
    finally:
        controller.stop()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def office(port: int) -> Iterator[PostOffice]:
    office = PostOffice()
    with open_office(office, port):
        yield office


@pytest.fixture
def posting(sqlite_url: str, tmp_path: Path, port: int) -> House:
    """A house with a mail server."""
    return House(
        settings_for(
            tmp_path,
            sqlite_url,
            smtp_url=f"smtp://127.0.0.1:{port}",
            mail_from="Laguna <laguna@games.example>",
        )
    )


def write(house: House, *to: str, code: str = "1234 5678") -> None:
    def work() -> None:
        for address in to:
            write_letter(
                "sign_in",
                address,
                house.clock(),
                code=code,
                link="http://localhost:8000/sign-in/in_secret",
                until="12:15 UTC",
            )

    with house.app.app_context():
        transact(work)


def send(house: House) -> int:
    with house.app.app_context():
        return send_letters()


def only_letter(house: House) -> Letter:
    [letter] = house.letters()
    return letter


def test_a_letter_arrives_once_with_the_headers_of_an_automatic_mail(
    posting: House, office: PostOffice
) -> None:
    write(posting, "anna@example.org")
    assert send(posting) == 1
    assert send(posting) == 0
    [mail] = office.mails
    letter = only_letter(posting)
    assert letter.sent_at == posting.clock()
    assert mail["From"] == "Laguna <laguna@games.example>"
    assert mail["To"] == "anna@example.org"
    assert mail["Subject"] == letter.subject
    assert mail["Date"].datetime == posting.clock()
    assert mail["Message-ID"] == f"<{letter.id}.letter@games.example>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail.get_content().replace("\r\n", "\n") == letter.text
    assert office.senders == ["laguna@games.example"]


def test_letters_of_all_languages_arrive_as_they_were_written(
    posting: House, office: PostOffice
) -> None:
    write(posting, "anna@example.org", code="für Ánna 🦁")
    send(posting)
    [mail] = office.mails
    assert "für Ánna 🦁" in mail.get_content()
    assert "für Ánna 🦁" in mail["Subject"]


def test_one_connection_carries_all_letters_of_a_round(posting: House, office: PostOffice) -> None:
    write(posting, *(f"p{number}@example.org" for number in range(5)))
    assert send(posting) == 5
    assert len(office.mails) == 5
    assert len(office.sessions) == 1


def test_an_address_that_does_not_exist_is_given_up_at_once(
    posting: House, office: PostOffice
) -> None:
    office.to_recipient = "550 5.1.1 no such person"
    write(posting, "nobody@example.org")
    assert send(posting) == 0
    letter = only_letter(posting)
    assert letter.next_try_at is None
    assert letter.sent_at is None
    assert letter.error == "550 5.1.1 no such person"


def test_a_mail_that_is_refused_as_such_is_given_up_at_once(
    posting: House, office: PostOffice
) -> None:
    office.to_data = "554 5.7.1 we do not like it"
    write(posting, "anna@example.org")
    send(posting)
    assert only_letter(posting).next_try_at is None


def test_a_busy_server_is_tried_again_ever_more_rarely_and_then_no_more(
    posting: House, office: PostOffice
) -> None:
    office.to_recipient = "451 4.7.1 come back later"
    write(posting, "anna@example.org")
    for pause in BACK_OFF:
        send(posting)
        assert only_letter(posting).next_try_at == posting.clock() + pause
        posting.clock.at += pause - BACK_OFF[0] / 2
        send(posting)
        assert only_letter(posting).next_try_at is not None
        posting.clock.at += BACK_OFF[0] / 2
    send(posting)
    letter = only_letter(posting)
    assert letter.next_try_at is None
    assert letter.attempts == len(BACK_OFF) + 1
    assert letter.error == "451 4.7.1 come back later"
    assert office.mails == []


def test_while_the_server_is_away_letters_wait(posting: House, port: int) -> None:
    write(posting, "anna@example.org", "ben@example.org")
    assert send(posting) == 0
    assert sorted(letter.attempts for letter in posting.letters()) == [0, 1]
    office = PostOffice()
    posting.clock.at += BACK_OFF[0]
    with open_office(office, port):
        assert send(posting) == 2
    assert {mail["To"] for mail in office.mails} == {"anna@example.org", "ben@example.org"}


def test_a_server_that_closes_the_connection_gets_the_rest_by_a_new_one(
    posting: House, office: PostOffice, port: int
) -> None:
    """Servers take only so many mails in a row."""

    class Short(PostOffice):
        async def handle_RSET(  # noqa: N802
            self, server: SMTP, session: Session, envelope: Envelope
        ) -> str:
            assert server.transport is not None
            server.transport.close()
            return "221 enough"

    short, other = Short(), free_port()
    house = House(
        settings_for(
            posting.settings.data,
            posting.settings.database_url,
            smtp_url=f"smtp://127.0.0.1:{other}",
        )
    )
    write(house, "anna@example.org", "ben@example.org")
    with open_office(short, other):
        assert send(house) == 2
    assert len(short.mails) == 2


def test_two_workers_send_every_letter_once(any_house: House, port: int) -> None:
    office = PostOffice()
    settings = settings_for(
        any_house.settings.data,
        any_house.settings.database_url,
        smtp_url=f"smtp://127.0.0.1:{port}",
    )
    houses = [House(settings), House(settings)]
    write(any_house, *(f"p{number}@example.org" for number in range(20)))
    together = threading.Barrier(2)
    sent: list[int] = []

    def work(house: House) -> None:
        together.wait()
        sent.append(send(house))

    with open_office(office, port):
        threads = [threading.Thread(target=work, args=(house,)) for house in houses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(sent) == 20
    assert len({mail["To"] for mail in office.mails}) == len(office.mails) == 20
    for house in houses:
        _close(house)


def _close(house: House) -> None:
    from service.database import db

    with house.app.app_context():
        db.engine.dispose()


def test_without_a_server_letters_are_kept_to_be_read(house: House) -> None:
    write(house, "anna@example.org")
    write(house, "ben@example.org")
    assert send(house) == 2
    with house.app.app_context():
        assert [letter.to for letter in letters_written("Anna@example.org", 5)] == [
            "anna@example.org"
        ]
    assert all(letter.sent_at is not None for letter in house.letters())


def test_no_log_says_what_a_letter_says(posting: House, office: PostOffice) -> None:
    write(posting, "anna@example.org")
    office.to_recipient = "451 later"
    with capture_logs() as logs:
        send(posting)
        office.to_recipient = None
        posting.clock.at += BACK_OFF[0]
        send(posting)
    assert [line["event"] for line in logs] == ["letter_not_sent", "letter_sent"]
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
    posting: House, port: int, certificate: ssl.SSLContext
) -> None:
    office = PostOffice()
    write(posting, "anna@example.org")
    with open_office(office, port, tls_context=certificate):
        assert send(posting) == 1
    assert office.encrypted == [True]


def test_a_password_is_not_told_to_a_server_nobody_vouches_for(
    port: int, certificate: ssl.SSLContext
) -> None:
    asked: list[LoginPassword] = []
    with (
        open_office(PostOffice(), port, tls_context=certificate, authenticator=_taking(asked)),
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        connect(f"smtp://anna:pass%40word@127.0.0.1:{port}")
    assert asked == []


def test_name_and_password_are_taken_from_the_address(port: int) -> None:
    asked: list[LoginPassword] = []
    options = {"authenticator": _taking(asked), "auth_require_tls": False}
    with open_office(PostOffice(), port, **options):
        connect(f"smtp://anna:pass%40word@127.0.0.1:{port}").quit()
    assert asked == [LoginPassword(b"anna", b"pass@word")]


def _taking(asked: list[LoginPassword]) -> Callable[..., AuthResult]:
    def authenticate(
        server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        asked.append(data)
        return AuthResult(success=True)

    return authenticate
