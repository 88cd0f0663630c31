"""`laguna mail-in`: real servers hand mails in, by SMTP, LMTP and IMAP."""

import random
import smtplib
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.accounts.sign_in import ask_to_sign_in
from service.core.config import Limits, mail_source
from service.db.models import Heartbeat, Incoming, Person
from service.db.session import db, transact
from service.mail.inbound import imap_poller, intake, smtp_server
from service.mail.inbound.imap_poller import MOST_ATTEMPTS, Failures, Poller, connected, poll
from service.mail.inbound.intake import (
    MOST_RECIPIENTS,
    receive_or_set_aside,
)
from service.mail.inbound.smtp_server import Listeners
from service.mail.outgoing.reply_address import BOUNCE, GOOD_FOR
from service.mail.outgoing.sender import send_letters
from tests.servers.imap import PASSWORD, ImapServer
from tests.servers.ports import free_port
from tests.servers.tree import until
from tests.support.incoming import ANN, incoming, mail, our_address, returned, sent_letter
from tests.support.site import Site
from tests.worker.running_site import RunningSite
from tests.worker.sink import Sink

LARGEST = 10_000_000  # bytes, by default
MOST_PER_ADDRESS = Limits().mails_per_address_and_hour
PATIENCE = 30.0  # seconds for an answer


class Ports:
    """A site that receives mail by SMTP and LMTP."""

    def __init__(self, site: Site, smtp: int, lmtp: int) -> None:
        self.site, self.ports = site, {"smtp": smtp, "lmtp": lmtp}

    def smtp(self) -> smtplib.SMTP:
        return smtplib.SMTP("127.0.0.1", self.ports["smtp"], "mx.example.org", PATIENCE)

    def lmtp(self) -> smtplib.LMTP:
        return smtplib.LMTP("127.0.0.1", self.ports["lmtp"], "mx.example.org", timeout=PATIENCE)

    def by(self, kind: str) -> smtplib.SMTP:
        return self.smtp() if kind == "smtp" else self.lmtp()

    def address(self, purpose: str = "turn") -> str:
        return our_address(self.site, sent_letter(self.site), purpose)


@contextmanager
def listening_house(site: Site) -> Iterator[Ports]:
    with ExitStack() as opened:
        sockets = [
            (kind, opened.enter_context(socket.create_server(("127.0.0.1", 0))))
            for kind in ("smtp", "lmtp")
        ]
        smtp, lmtp = (sock.getsockname()[1] for _, sock in sockets)
        opened.enter_context(Listeners(site.app, sockets))
        yield Ports(site, smtp, lmtp)


@pytest.fixture
def ports(site: Site) -> Iterator[Ports]:
    with listening_house(site) as found:
        yield found


def begun(client: smtplib.SMTP, sender: str = ANN) -> smtplib.SMTP:
    client.ehlo_or_helo_if_needed()
    assert client.mail(sender)[0] == 250
    return client


def answers(client: smtplib.SMTP, raw: bytes, recipients: int) -> list[int]:
    """What is said at the end of a mail: by LMTP once for each recipient."""
    assert client.docmd("DATA")[0] == 354
    client.send(smtplib._quote_periods(raw) + b"\r\n.\r\n")  # type: ignore[attr-defined]
    return [client.getreply()[0] for _ in range(recipients)]


def counted(outcome: str, via: str) -> float:
    labels = {"via": via, "outcome": outcome}
    return REGISTRY.get_sample_value("laguna_incoming_total", labels) or 0.0


KINDS = pytest.mark.parametrize("kind", ["smtp", "lmtp"])


# Taking


@KINDS
def test_a_mail_is_stored_when_the_other_server_hears_that_it_is(ports: Ports, kind: str) -> None:
    to = ports.address()
    raw = mail(to, "1\n.\n..\nümlaut\n")
    with ports.by(kind) as client:
        assert client.sendmail(ANN, to, raw) == {}
        [stored] = incoming(ports.site)
    assert stored.raw is not None
    assert stored.raw.rstrip() == raw.rstrip()
    assert (stored.sender, stored.via) == (ANN, kind)


@KINDS
def test_mails_that_come_back_have_no_sender(ports: Ports, kind: str) -> None:
    to = ports.address(BOUNCE)
    with ports.by(kind) as client:
        client.sendmail("", to, returned(to))
    [stored] = incoming(ports.site)
    assert (stored.sender, stored.purpose) == ("", BOUNCE)


def test_a_mail_to_several_of_our_addresses_is_stored_for_each(ports: Ports) -> None:
    addresses = [ports.address() for _ in range(3)]
    with ports.smtp() as client:
        assert client.sendmail(ANN, addresses, mail(addresses[0])) == {}
    assert len({one.letter_id for one in incoming(ports.site)}) == 3


def test_the_same_mail_twice_is_taken_once_and_acknowledged_twice(ports: Ports) -> None:
    to = ports.address()
    raw = mail(to)
    for kind in ("smtp", "lmtp", "smtp"):
        with ports.by(kind) as client:
            assert client.sendmail(ANN, to, raw) == {}
    assert len(incoming(ports.site)) == 1


def test_lines_may_be_as_long_as_the_mail(ports: Ports) -> None:
    to = ports.address()
    raw = b"From: ann@example.org\r\n\r\n" + b"x" * 150_000 + b"\r\n"
    with ports.smtp() as client:
        client.sendmail(ANN, to, raw)
    assert incoming(ports.site)[0].raw == raw


# Refusing


@KINDS
def test_an_address_that_is_none_is_refused_before_the_mail(ports: Ports, kind: str) -> None:
    site = ports.site
    good = ports.address()
    local, _, domain = good.partition("@")
    gone = our_address(site, "a" * 16)
    old = our_address(site, sent_letter(site), at=site.clock() - 2 * GOOD_FOR)
    changed = f"{local[:-1]}{'a' if local[-1] != 'a' else 'b'}@{domain}"
    with ports.by(kind) as client:
        begun(client)
        for address in (gone, old, changed, f"nobody@{domain}", "turn+@", f"{local}@other.example"):
            code, said = client.rcpt(address)
            assert (code, said[:5]) in ((550, b"5.1.1"), (553, b"5.1.3")), address
        assert client.docmd("DATA")[0] == 503
        assert client.rcpt(good)[0] == 250
    assert incoming(site) == []


def test_nothing_is_passed_on(ports: Ports) -> None:
    with ports.smtp() as client:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refusal:
            client.sendmail(ANN, "somebody@elsewhere.example", b"x")
        [(code, _)] = refusal.value.recipients.values()
    assert code == 550


@KINDS
def test_a_mail_that_is_too_large_is_refused_as_soon_as_that_is_known(
    ports: Ports, kind: str
) -> None:
    addresses = [ports.address(), ports.address()]
    expected = 2 if kind == "lmtp" else 1
    before = counted("too_large", kind)
    with ports.by(kind) as client:
        client.ehlo_or_helo_if_needed()
        assert int(client.esmtp_features["size"]) == LARGEST
        assert client.docmd(f"MAIL FROM:<{ANN}> SIZE={LARGEST + 1}")[0] == 552
        begun(client)
        assert [client.rcpt(to)[0] for to in addresses] == [250, 250]
        lines = b"x" * 998 + b"\r\n"
        assert answers(client, lines * (LARGEST // 1000 + 1), expected) == [552] * expected
        assert client.noop()[0] == 250, "and the conversation goes on"
    assert incoming(ports.site) == []
    assert counted("too_large", kind) == before + 2


def test_a_flood_is_put_off_for_whom_it_is_and_taken_for_the_others(ports: Ports) -> None:
    flooded, other = ports.address(), ports.address()
    with ports.lmtp() as client:
        for _ in range(MOST_PER_ADDRESS):
            client.sendmail(ANN, flooded, mail(flooded))
        begun(client)
        assert [client.rcpt(to)[0] for to in (flooded, other)] == [250, 250]
        assert answers(client, mail(other), 2) == [451, 250]
    with ports.smtp() as client:
        begun(client)
        assert [client.rcpt(to)[0] for to in (flooded, other)] == [250, 250]
        assert answers(client, mail(other), 1) == [451], "one answer: it has to come again"


def test_a_mail_has_only_so_many_recipients(ports: Ports) -> None:
    with ports.smtp() as client:
        begun(client)
        codes = [client.rcpt(ports.address())[0] for _ in range(MOST_RECIPIENTS + 1)]
    assert codes == [250] * MOST_RECIPIENTS + [452]


def test_only_so_many_talk_at_once(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp_server, "MOST_CONNECTIONS", 2)
    with ports.smtp(), ports.lmtp():
        with pytest.raises(smtplib.SMTPConnectError) as refusal:
            ports.smtp()
        assert refusal.value.smtp_code == 421
    until(lambda: _connects(ports), "there is room again")


def _connects(ports: Ports) -> bool:
    try:
        with ports.smtp():
            return True
    except smtplib.SMTPConnectError:
        return False


@KINDS
def test_it_tells_nobody_what_it_is_and_lets_nobody_sign_in(ports: Ports, kind: str) -> None:
    with socket.create_connection(("127.0.0.1", ports.ports[kind]), PATIENCE) as line:
        assert line.recv(100) == b"220 localhost Laguna\r\n"
    with ports.by(kind) as client:
        client.ehlo_or_helo_if_needed()
        assert "auth" not in client.esmtp_features
        assert client.docmd("AUTH PLAIN AGEAYg==")[0] >= 500
        assert client.docmd("EXPN all")[0] == 502
        assert client.docmd(f"VRFY {ports.address()}")[0] == 252


# Trouble of our own


@KINDS
@pytest.mark.parametrize(
    "trouble", [OperationalError("SELECT", {}, Exception("gone")), ValueError("a mistake")]
)
def test_what_cannot_be_stored_now_is_kept_by_the_other_server(
    ports: Ports, kind: str, trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = ports.address()

    def away(*_: object) -> None:
        raise trouble

    with ports.by(kind) as client:
        begun(client)
        monkeypatch.setattr(intake, "_owner_of", away)
        assert client.rcpt(to)[0] == 451, "nobody knows whether there is such an address"
        monkeypatch.undo()
        assert client.rcpt(to)[0] == 250
        monkeypatch.setattr(intake, "transact", away)
        raw = mail(to)
        assert answers(client, raw, 1) == [451]
        monkeypatch.undo()
        assert client.sendmail(ANN, to, raw) == {}
    assert len(incoming(ports.site)) == 1


@KINDS
def test_a_mail_that_cannot_be_stored_is_set_aside_and_the_next_one_taken(
    ports: Ports, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    to = ports.address()
    with ports.by(kind) as client:
        with monkeypatch.context() as broken:
            broken.setattr(intake, "_store", fail)
            assert client.sendmail(ANN, to, mail(to)) == {}
        assert client.sendmail(ANN, to, mail(to)) == {}
    assert sorted(one.state for one in incoming(ports.site)) == ["dead", "pending"]


@KINDS
def test_hostile_commands_end_at_most_their_own_conversation(ports: Ports, kind: str) -> None:
    hello = b"EHLO x\r\n" if kind == "smtp" else b"LHLO x\r\n"
    for command in (
        b"MAIL FROM:<" + b"(" * 490 + b">",
        b"MAIL FROM:" + b"(" * 490,
        b"RCPT TO:<" + b"\xff" * 400 + b"@localhost>",
        b"MAIL FROM:<a@b> SMTPUTF8 " + b"X=" * 200,
        b"\x00\xff\xfe",
        b"(" * 100_000,
    ):
        with socket.create_connection(("127.0.0.1", ports.ports[kind]), PATIENCE) as line:
            line.sendall(hello + command + b"\r\nQUIT\r\n")
            answers = line.makefile("rb").read()
        assert answers.startswith(b"220 localhost Laguna\r\n")
    to = ports.address()
    with ports.by(kind) as client:
        assert client.sendmail(ANN, to, mail(to)) == {}
    assert len(incoming(ports.site)) == 1


def test_the_server_finishes_storing_before_it_stops(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing, go_on = threading.Event(), threading.Event()

    def slowly(*args: Any) -> Any:
        storing.set()
        go_on.wait(PATIENCE)
        return receive_or_set_aside(*args)

    monkeypatch.setattr(smtp_server, "receive_or_set_aside", slowly)
    heard: list[int] = []
    with ExitStack() as opened:
        ports = opened.enter_context(listening_house(site))
        to = ports.address()
        client = begun(ports.smtp())
        client.rcpt(to)
        thread = threading.Thread(target=lambda: heard.extend(answers(client, mail(to), 1)))
        thread.start()
        assert storing.wait(PATIENCE)
        ending = threading.Thread(target=opened.close)
        ending.start()
        go_on.set()
        ending.join(PATIENCE)
        thread.join(PATIENCE)
    assert heard == [250]
    assert len(incoming(site)) == 1
    client.close()


# Mails that nobody took


def test_a_server_that_knows_nobody_of_that_name_ends_mails_to_them(site: Site) -> None:
    site.person("Ann")
    with Sink() as sink, site.app.app_context():
        site.app.config["LAGUNA"] = replace(site.settings, smtp_url=sink.url)
        sink.answers = ["550 5.7.1 spam", "550 5.1.1 nobody", "550 5.1.1 nobody"]
        for expected in (False, False, True):
            transact(lambda: ask_to_sign_in(ANN, site.clock()))
            send_letters()
            since = select(Person.unreachable_since).where(Person.email == ANN)
            assert (db.session.scalar(since) is not None) == expected
            db.session.remove()
        transact(lambda: ask_to_sign_in(ANN, site.clock()))
        assert send_letters() == 1, "a code to sign in is how one proves the address"


# Mailboxes


@pytest.fixture(params=[True, False], ids=["told", "looking"])
def imap(request: pytest.FixtureRequest) -> Iterator[ImapServer]:
    """A server that tells of new mails by itself, and one that does not."""
    with ImapServer(idle=request.param) as server:
        yield server


class Asking:
    """Asks to stop."""

    def __init__(self) -> None:
        self.event = threading.Event()

    @property
    def asked(self) -> bool:
        return self.event.is_set()

    def wait(self, seconds: float) -> bool:
        return self.event.wait(seconds)


@contextmanager
def polled(site: Site, imap: ImapServer) -> Iterator[Poller]:
    stop_signal = Asking()
    poller = Poller(site.app, mail_source(imap.url), stop_signal, every=0.2)
    thread = threading.Thread(target=poller.run)
    thread.start()
    try:
        yield poller
    finally:
        stop_signal.event.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


def delivered(raw: bytes, **headers: str) -> bytes:
    """What the last server adds on top."""
    top = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return top.encode() + raw


def test_a_mail_is_taken_from_its_folder_once_it_is_stored(site: Site, imap: ImapServer) -> None:
    first = our_address(site, sent_letter(site))
    raw = delivered(mail(first), Return_Path="<Ann@Example.org>", Delivered_To=first)
    imap.deliver(raw)
    with polled(site, imap) as poller:
        until(lambda: len(incoming(site)) == 1, "the first mail")
        until(lambda: poller.healthy, "the end of the first poll")
        second = our_address(site, sent_letter(site))
        imap.deliver(mail(f"Laguna <{second.upper()}>"))
        until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
    stored = incoming(site)
    assert len(stored) == 2
    by_raw = {one.raw: one for one in stored}
    assert (by_raw[raw].sender, by_raw[raw].via) == (ANN, "imap")
    assert imap.heard[-1] == "LOGOUT"


def test_what_is_not_for_us_is_moved_aside_and_looked_at_once(site: Site, imap: ImapServer) -> None:
    good = our_address(site, sent_letter(site))
    refused = [
        mail("somebody@localhost"),
        mail(our_address(site, "a" * 16)),
        mail(good) + b"x" * LARGEST,
        b"\xff\x00 no mail at all",
    ]
    for raw in [*refused, mail(good)]:
        imap.deliver(raw)
    with polled(site, imap):
        until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
    assert imap.raw_in(imap_poller.REFUSED) == refused
    assert len(incoming(site)) == 1


def test_a_full_mailbox_is_emptied_without_a_rest(
    site: Site, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_poller, "BATCH_SIZE", 2)
    for _ in range(5):
        imap.deliver(mail(our_address(site, sent_letter(site))))
    with connected(mail_source(imap.url)) as mailbox:
        polls = [poll(site.app, mailbox, Failures()) for _ in range(4)]
    assert polls == [True, True, False, False]
    assert len(incoming(site)) == 5


def test_a_mail_that_somebody_else_took_meanwhile_is_left_alone(
    site: Site, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    imap.deliver(mail(our_address(site, sent_letter(site))))
    with connected(mail_source(imap.url)) as mailbox:
        monkeypatch.setattr(mailbox, "uids", lambda *_, **__: ["77"])
        with capture_logs() as said:
            assert not poll(site.app, mailbox, Failures())
    assert said == []
    assert imap_poller.REFUSED not in imap.folders
    assert len(imap.raw_in("INBOX")) == 1


def test_where_nothing_can_be_moved_it_is_flagged(site: Site, imap: ImapServer) -> None:
    imap.refuse = {"CREATE", "UID MOVE"}
    imap.deliver(mail("somebody@localhost"))
    with polled(site, imap):
        until(lambda: bool(imap.folders["INBOX"][0].flags), "a flag")
        fetched = imap.times("UID FETCH")
        searched = imap.times("UID SEARCH")
        until(lambda: imap.times("UID SEARCH") > searched + 1, "two more polls")
    assert imap.times("UID FETCH") == fetched


@pytest.mark.parametrize("command", ["LOGIN", "SELECT", "UID SEARCH", "UID FETCH", "UID STORE"])
def test_a_connection_that_is_lost_is_made_anew_and_nothing_is_taken_twice(
    site: Site, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_poller, "FIRST_REST", 0.01)
    with ImapServer() as imap:
        imap.lose = [command, "EXPUNGE"]
        for _ in range(2):
            imap.deliver(mail(our_address(site, sent_letter(site))))
        with polled(site, imap):
            until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
        assert imap.lose == []
    assert len(incoming(site)) == 2


def test_a_server_that_hangs_up_while_we_wait_is_called_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_poller, "FIRST_REST", 0.01)
    with ImapServer() as imap:
        imap.lose = ["IDLE"]
        with polled(site, imap):
            until(lambda: imap.times("LOGIN") > 1, "another connection")
            imap.deliver(mail(our_address(site, sent_letter(site))))
            until(lambda: imap.raw_in("INBOX") == [], "an empty folder")


def test_what_cannot_be_stored_now_stays_in_its_folder(
    site: Site, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_poller, "FIRST_REST", 0.01)
    to = our_address(site, sent_letter(site))
    imap.deliver(mail(to))

    def away(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("gone"))

    with monkeypatch.context() as broken:
        broken.setattr(imap_poller, "receive_or_set_aside", away)
        with (
            connected(mail_source(imap.url)) as mailbox,
            pytest.raises(OperationalError),
        ):
            poll(site.app, mailbox, Failures())
    assert len(imap.raw_in("INBOX")) == 1
    with polled(site, imap):
        until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
    assert len(incoming(site)) == 1


def good_mail(site: Site) -> bytes:
    return mail(our_address(site, sent_letter(site)))


@pytest.mark.parametrize(
    "command", ["UID FETCH 1", "UID STORE 1"], ids=["not handed out", "not deleted"]
)
def test_a_mail_that_the_server_refuses_is_set_aside_and_the_others_are_taken(
    site: Site, command: str
) -> None:
    with ImapServer() as imap:
        imap.refuse = {command}
        raw = [good_mail(site), good_mail(site)]
        for one in raw:
            imap.deliver(one)
        with polled(site, imap):
            until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
        assert imap.raw_in(imap_poller.REFUSED) == raw[:1]
    dead = [one for one in incoming(site) if one.state == "dead"]
    assert [(one.raw, one.via, one.letter_id) for one in dead] == [(None, "imap", None)]
    assert dead[0].error == "the IMAP server failed at UID 1 of INBOX"
    assert raw[1] in [one.raw for one in incoming(site)]


def test_a_mail_at_which_the_connection_always_ends_is_set_aside(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_poller, "FIRST_REST", 0.01)
    with ImapServer() as imap:
        imap.drop = {1}
        raw = [good_mail(site), good_mail(site)]
        for one in raw:
            imap.deliver(one)
        with polled(site, imap):
            until(lambda: imap.raw_in("INBOX") == [], "an empty folder")
        assert imap.raw_in(imap_poller.REFUSED) == raw[:1]
    assert sorted(one.state for one in incoming(site)) == ["dead", "pending"]


def test_a_mail_that_can_be_neither_taken_nor_moved_nor_flagged_keeps_none_waiting(
    site: Site, imap: ImapServer
) -> None:
    imap.refuse = {"UID FETCH 1", "UID STORE 1", "UID MOVE 1"}
    imap.deliver(good_mail(site))
    with polled(site, imap):
        until(lambda: imap.times("UID MOVE") > 1, "it was to be moved, twice")
        last = good_mail(site)
        imap.deliver(last)
        until(lambda: len(imap.raw_in("INBOX")) == 1, "the other one was taken")
    assert sorted(one.state for one in incoming(site)) == ["dead", "pending"]


def test_a_mail_at_which_the_intake_fails_is_kept_for_the_operator(
    site: Site, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recurse(*_: object) -> None:
        recurse()

    raw = good_mail(site)
    imap.deliver(raw)
    with (
        monkeypatch.context() as broken,
        capture_logs() as said,
        connected(mail_source(imap.url)) as mailbox,
    ):
        broken.setattr(imap_poller, "recipients_of", recurse)
        poll(site.app, mailbox, Failures())
    assert imap.raw_in(imap_poller.REFUSED) == [raw]
    [kept] = incoming(site)
    assert (kept.state, kept.raw, kept.letter_id) == ("dead", raw, None)
    assert str(kept.error).startswith("RecursionError at service.mail.inbound.imap_poller:")
    assert [line["event"] for line in said] == ["mail_set_aside", "mail_moved_aside"]
    assert len(str(said)) < 1000


def test_a_mail_of_a_flood_waits_in_its_folder_and_is_moved_in_the_end(
    site: Site, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(site.settings.limits, mails_per_address_and_hour=1)
    site.app.config["LAGUNA"] = replace(site.settings, limits=limits)
    monkeypatch.setattr(imap_poller, "FLOOD_REST", 0.0)
    to = our_address(site, sent_letter(site))
    for _ in range(2):
        imap.deliver(mail(to))
    failures = Failures()
    with connected(mail_source(imap.url)) as mailbox:
        for _ in range(MOST_ATTEMPTS):
            poll(site.app, mailbox, failures)
            assert len(imap.raw_in("INBOX")) == 1
        poll(site.app, mailbox, failures)
    assert imap.raw_in("INBOX") == []
    assert len(imap.raw_in(imap_poller.REFUSED)) == 1
    assert len(incoming(site)) == 1


def test_hostile_headers_are_read_or_refused_and_stop_nothing(site: Site) -> None:
    """Some hundred of them; whatever comes of each, the honest mail behind them is taken."""
    good = our_address(site, sent_letter(site))
    with ImapServer() as imap:
        hostile = list(hostile_mails(good, random.Random(5)))
        assert len(hostile) > 300
        for raw in [*hostile, mail(good, Message_ID="<honest@example.org>")]:
            imap.deliver(raw)
        with capture_logs() as said, connected(mail_source(imap.url)) as mailbox:
            failures = Failures()
            while poll(site.app, mailbox, failures):
                pass
        assert imap.raw_in("INBOX") == []
    assert b"<honest@example.org>" in b"".join(one.raw or b"" for one in incoming(site))
    assert "mail_set_aside" not in [line["event"] for line in said], "none of them fails"


def hostile_mails(good: str, chance: random.Random) -> Iterator[bytes]:
    """Headers that programs do not write; half of the mails name an address of nobody."""
    pieces = (
        *(b"(" * 2000, b")" * 2000, b"<" * 500, b">" * 500, b'"' * 501, b"\\" * 300, b"," * 3000),
        *(b"=?utf-8?q?" * 200, b"=?x?b?////?=", b"=?utf-8?b?" + b"A" * 5000 + b"?="),
        *(b"\xff\xfe\x00\x80", b"\x00" * 50, b"@" * 4000, b"a@" * 2000, b"[" * 900, b"\xc3"),
        *(b"x" * 60_000, b"(\r\n " * 900, b";" * 2000, b":" * 500, b"group: a@b, " * 300),
        *(b"\r\n\t\r\n ", "\u202e\ud83d".encode("utf-8", "surrogatepass"), b"", b" " * 9000),
    )
    names = (b"To", b"Cc", b"Delivered-To", b"From", b"Return-Path", b"Message-ID", b"Envelope-To")
    for number in range(320):
        lines = [
            chance.choice(names) + b": " + b"".join(chance.choices(pieces, k=chance.randint(1, 4)))
            for _ in range(chance.randint(1, 6))
        ]
        to = good.encode() if number < MOST_PER_ADDRESS - 2 else b"nobody@localhost"
        raw = b"\r\n".join([*lines, b"To: " + to, b"", b"1\r\n"])
        yield raw[:LARGEST]


# The command


def listening_town(running_site: RunningSite, *others: str) -> int:
    """Let the processes receive mail, by IMAP too; returns the port."""
    port = free_port()
    places = (f"lmtp://127.0.0.1:{port}", *others)
    running_site.site.settings = replace(running_site.site.settings, mail_in=places)
    return port


def reachable(port: int) -> bool:
    try:
        with smtplib.LMTP("127.0.0.1", port, timeout=PATIENCE):
            return True
    except OSError:
        return False


def test_what_was_taken_survives_the_death_of_whoever_took_it(
    tmp_path: Path, sqlite_url: str
) -> None:
    with RunningSite(tmp_path, sqlite_url, None) as running_site:
        port = listening_town(running_site)
        process = running_site.start("mail-in")
        until(lambda: reachable(port), "somebody listens")
        running_site.site.person("Ann")
        to = our_address(running_site.site, sent_letter(running_site.site))
        with smtplib.LMTP("127.0.0.1", port, timeout=PATIENCE) as client:
            client.sendmail(ANN, to, mail(to, "help"))
            process.kill()
            client.close()
        assert running_site.count(Incoming.state == "pending") == 1
        worker = running_site.start("work")
        until(lambda: running_site.count(Incoming.state == "done") == 1, "it is read")
        assert worker.stop() == 0
        [[attempts]] = running_site.query(select(func.sum(Incoming.attempts)))
        assert attempts == 1


def test_it_leaves_signs_of_life_and_ends_when_asked(tmp_path: Path, sqlite_url: str) -> None:
    with RunningSite(tmp_path, sqlite_url, None) as running_site, ImapServer() as imap:
        listening_town(running_site, imap.url)
        process = running_site.start("mail-in")
        until(lambda: running_site.count(Heartbeat.job == "mail-in") == 1, "a sign of life")
        assert process.stop() == 0
        assert [line["event"] for line in process.said()] == ["mail_in_started", "mail_in_stopped"]
        assert PASSWORD not in process.log.read_text()


def test_one_hostile_mail_does_not_stop_the_intake_by_imap(tmp_path: Path, sqlite_url: str) -> None:
    with RunningSite(tmp_path, sqlite_url, None) as running_site, ImapServer() as imap:
        hostile = b"To: " + b"(" * 1000 + b")" * 1000 + b" anything@localhost\r\n\r\nx\r\n"
        good = mail(our_address(running_site.site, sent_letter(running_site.site)))
        imap.deliver(hostile)
        imap.deliver(good)
        running_site.site.settings = replace(running_site.site.settings, mail_in=(imap.url,))
        process = running_site.start("mail-in")
        until(lambda: imap.raw_in("INBOX") == [], "both mails were handled")
        assert process.stop() == 0
        assert running_site.query(select(Incoming.raw, Incoming.state)) == [(good, "pending")]
        assert imap.raw_in(imap_poller.REFUSED) == [hostile]
        assert max(map(len, process.log.read_text().splitlines())) < 1000


def checked(tmp_path: Path, database: str, mail_in: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "mail-in", "--check"],
        env={
            "LAGUNA_DATA": str(tmp_path),
            "LAGUNA_DATABASE_URL": database,
            "LAGUNA_MAIL_IN": mail_in,
            "LAGUNA_MAIL_FROM": "Laguna <play@games.example>",
        },
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_configuration_can_be_tried(tmp_path: Path, sqlite_url: str) -> None:
    with ImapServer() as imap, socket.create_server(("127.0.0.1", 0)) as taken:
        imap.deliver(b"x")
        code, said = checked(tmp_path, sqlite_url, f"smtp://127.0.0.1:{free_port()},{imap.url}")
        assert code == 0
        assert "games.example" in said
        assert "is free" in said
        assert "INBOX has 1 mail to read" in said
        busy = f"lmtp://127.0.0.1:{taken.getsockname()[1]}"
        wrong = imap.url.replace("s3cret", "wrong")
        code, said = checked(tmp_path, sqlite_url, f"{busy},{wrong}")
        assert code == 1
        assert said.count("!") == 2
        assert "wrong" not in said
        assert imap.raw_in("INBOX") == [b"x"]


def test_it_can_be_tried_while_it_runs_and_is_counted_with_all_others(
    tmp_path: Path, sqlite_url: str
) -> None:
    with RunningSite(tmp_path, sqlite_url, None) as running_site:
        port = listening_town(running_site)
        running_site.web()
        metrics = free_port()
        running_site.start("mail-in", LAGUNA_METRICS_PORT=str(metrics))
        until(lambda: reachable(port), "somebody listens")
        code, said = checked(tmp_path, sqlite_url, f"lmtp://127.0.0.1:{port}")
        assert (code, said.count("!")) == (0, 0)
        assert "is in use by `laguna mail-in`" in said
        with smtplib.LMTP("127.0.0.1", port, timeout=PATIENCE) as client:
            begun(client)
            assert client.rcpt("turn+aaaa@localhost")[0] == 550
        with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/metrics") as answer:
            assert 'laguna_incoming_total{outcome="unreadable",via="lmtp"} 1.0' in (
                answer.read().decode().splitlines()
            )
