"""Mails are stored before anybody hears that they are taken, each once, and only what is wanted."""

import base64
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import delete
from sqlalchemy.exc import OperationalError
from standardwebhooks import Webhook
from structlog.testing import capture_logs
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from service.core.clock import wall_clock
from service.core.config import Limits
from service.core.worker_signal import set_waker
from service.db.models import Letter
from service.db.session import db, transact
from service.mail.inbound import intake
from service.mail.inbound.classify import read_mail
from service.mail.inbound.intake import (
    NotTaken,
    check_recipient,
    fingerprint,
    receive_or_set_aside,
    set_aside,
)
from service.mail.outgoing.reply_address import BOUNCE, GOOD_FOR, OFF, REPLY
from tests.servers.guarded import ROOT
from tests.servers.ports import free_port
from tests.support.incoming import ANN, arrives, incoming, mail, our_address, sent_letter
from tests.support.site import SECRET_KEY, Site, settings_for
from tests.support.together import at_once

LARGEST = 10_000_000  # bytes, by default
MOST_PER_ADDRESS, MOST_PER_SENDER = (
    Limits().mails_per_address_and_hour,
    Limits().mails_per_sender_and_hour,
)
SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def refused(site: Site, to: str, raw: bytes = b"x", **kwargs: str) -> str:
    """Why this mail is not taken."""
    with pytest.raises(NotTaken) as refusal:
        arrives(site, raw, to, **kwargs)
    return refusal.value.reason


def counted(outcome: str, via: str = "lmtp") -> float:
    labels = {"via": via, "outcome": outcome}
    return REGISTRY.get_sample_value("laguna_incoming_total", labels) or 0.0


# What is taken


def test_a_mail_is_stored_as_it_came(any_site: Site) -> None:
    letter = sent_letter(any_site)
    raw = b"From: ann@example.org\r\nMessage-ID: <a@b>\r\n\r\n\xff\x00\xfe quartz-3\r\n"
    receipt = arrives(any_site, raw, our_address(any_site, letter), sender="<Ann@Example.org>")
    assert receipt.new
    [stored] = incoming(any_site)
    assert (stored.id, stored.letter_id, stored.purpose) == (receipt.id, letter, REPLY)
    assert stored.raw == raw
    assert (stored.sender, stored.via, stored.state) == (ANN, "lmtp", "pending")
    assert stored.received_at == stored.next_try_at == any_site.clock()


def test_whatever_a_stranger_calls_himself_can_be_stored(any_site: Site) -> None:
    to = our_address(any_site, sent_letter(any_site))
    for sender in ("a\0b@c", "\udcff@c", "ü" * 400, "<>"):
        arrives(any_site, mail(to), to, sender=sender)
    senders = {one.sender for one in incoming(any_site)}
    assert len(senders) == 4
    assert {"ab@c", "", "ü" * 254} < senders


def test_the_worker_is_woken_when_there_is_something_to_read(site: Site) -> None:
    heard: list[str] = []

    def waker(queues: Collection[str]) -> None:
        heard.extend(queues)

    set_waker(site.app, waker)
    to = our_address(site, sent_letter(site))
    arrives(site, mail(to), to)
    assert heard == ["mail"]


# The same mail again


def test_the_same_mail_again_is_acknowledged_and_stored_once(any_site: Site) -> None:
    to = our_address(any_site, sent_letter(any_site))
    raw = mail(to)
    first, again = arrives(any_site, raw, to), arrives(any_site, raw, to)
    assert (first.new, again.new) == (True, False)
    assert first.id == again.id
    assert len(incoming(any_site)) == 1


def test_a_mail_is_known_by_its_id_and_without_one_by_all_of_it() -> None:
    told = b"Received: by x\r\nMessage-ID: <Same@id>\r\n\r\n"
    assert fingerprint(told + b"1") == fingerprint(b"message-id:\r\n <Same@id>\r\n" + told + b"2")
    assert fingerprint(told) != fingerprint(told.replace(b"Same", b"Other"))
    assert fingerprint(b"From: a\r\n\r\n1") != fingerprint(b"From: a\r\n\r\n2")
    in_text = b"From: a\r\n\r\nMessage-ID: <Same@id>\r\n"
    assert fingerprint(in_text) != fingerprint(told), "what stands in the text is no header"


def test_the_same_mail_to_another_of_our_addresses_is_another(site: Site) -> None:
    one, other = sent_letter(site), sent_letter(site)
    addresses = [our_address(site, one), our_address(site, other), our_address(site, one, OFF)]
    raw = mail(addresses[0])
    assert all(arrives(site, raw, to).new for to in addresses)


def test_the_same_mail_by_several_doors_at_once_is_stored_once(any_site: Site) -> None:
    to = our_address(any_site, sent_letter(any_site))
    raw = mail(to)
    found = at_once([partial(arrives, any_site, raw, to)] * 4)
    assert sorted(receipt.new for receipt in found) == [False, False, False, True]
    assert len({receipt.id for receipt in found}) == len(incoming(any_site)) == 1


# What is not taken


def test_only_addresses_of_ours_take_mails(site: Site) -> None:
    letter = sent_letter(site)
    to = our_address(site, letter)
    local, _, domain = to.partition("@")
    wrong = "a" if local[-5] != "a" else "b"
    changed = f"{local[:-5]}{wrong}{local[-4:]}@{domain}"
    assert refused(site, changed) == "changed"
    assert refused(site, to.replace("turn+", "bounce+")) == "changed", "each is for one purpose"
    assert refused(site, f"{local}@elsewhere.example") == "other_domain"
    assert refused(site, f"nobody@{domain}") == "unknown"
    assert refused(site, f"turn+@{domain}") == "unreadable"
    assert refused(site, "") == "other_domain"
    other_key = replace(site.settings, secret_key="z" * 40)
    site.app.config["LAGUNA"] = other_key
    assert refused(site, to) == "changed"
    site.app.config["LAGUNA"] = replace(other_key, old_secret_keys=(SECRET_KEY,))
    assert arrives(site, mail(to), to).new, "keys may be changed"
    assert len(incoming(site)) == 1


def test_an_address_is_good_for_a_while_whatever_its_case(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    site.clock.advance(seconds=GOOD_FOR.total_seconds())
    assert arrives(site, mail(to), to.upper()).new
    site.clock.advance(days=1)
    assert refused(site, to) == "expired"


def test_a_letter_that_is_gone_takes_no_mails(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    with site.app.app_context():
        transact(lambda: db.session.execute(delete(Letter)))
        with pytest.raises(NotTaken):
            check_recipient(to, "smtp", site.clock())
    assert refused(site, to) == "unknown"


def test_a_mail_that_is_too_large_is_not_stored(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    before = counted("too_large")
    assert refused(site, to, b"x" * (LARGEST + 1)) == "too_large"
    assert counted("too_large") == before + 1
    assert arrives(site, b"x" * LARGEST, to).new
    assert len(incoming(site)) == 1


def test_mails_to_one_address_are_limited(site: Site) -> None:
    letter = sent_letter(site)
    to = our_address(site, letter)
    first = mail(to)
    arrives(site, first, to)
    for number in range(MOST_PER_ADDRESS - 1):
        arrives(site, mail(to), to, sender=f"{number}@example.org")
    with capture_logs() as said:
        assert refused(site, to, mail(to)) == "flood"
    assert [(line["event"], line["log_level"]) for line in said] == [("mail_not_taken", "warning")]
    assert letter not in str(said)
    assert not arrives(site, first, to).new, "what we have is acknowledged all the same"
    assert arrives(site, mail(to), our_address(site, letter, BOUNCE), sender="").new
    site.clock.advance(hours=1)
    assert arrives(site, mail(to), to).new


def test_mails_from_one_sender_are_limited_except_bounces(site: Site) -> None:
    def another(sender: str) -> Callable[[], bool]:
        to = our_address(site, sent_letter(site), BOUNCE if not sender else REPLY)
        return lambda: arrives(site, mail(to), to, sender=sender).new

    for _ in range(MOST_PER_SENDER):
        assert another("Flood@example.org")()
        assert another("")()
    with pytest.raises(NotTaken, match="flood"):
        another("flood@example.org")()
    assert another("")()
    assert another(ANN)()


def test_forged_senders_block_nobody_else(site: Site) -> None:
    """The owner of letters may send anything to their addresses, under any name."""
    alice, carol = "alice@example.org", "carol@example.org"
    for _ in range(MOST_PER_SENDER):
        to = our_address(site, sent_letter(site, alice))
        arrives(site, mail(to), to, sender=carol)
    to = our_address(site, sent_letter(site, alice))
    assert refused(site, to, mail(to), sender=carol) == "flood"
    to = our_address(site, sent_letter(site, carol))
    assert arrives(site, mail(to), to, sender=carol).new


def test_the_time_of_acceptance_is_kept(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    raw, accepted = mail(to), site.clock()
    arrives(site, raw, to)
    site.clock.advance(hours=1)
    arrives(site, raw, to)
    assert [one.received_at for one in incoming(site)] == [accepted]


# Quotas of one person


@pytest.fixture
def limited(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    limits = Limits(mails_per_person_and_day=3, mail_megabytes_per_person_and_day=1)
    site = Site(settings_for(tmp_path, sqlite_url, limits=limits))
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_only_so_many_mails_a_day_are_stored_for_one_person_bounces_too(limited: Site) -> None:
    for purpose, sender in ((REPLY, ANN), (OFF, "other@example.org"), (BOUNCE, "")):
        to = our_address(limited, sent_letter(limited), purpose)
        assert arrives(limited, mail(to), to, sender=sender).new
    to = our_address(limited, sent_letter(limited), BOUNCE)
    assert refused(limited, to, mail(to), sender="") == "quota"
    other = our_address(limited, sent_letter(limited, "ben@example.org"))
    assert arrives(limited, mail(other), other).new
    limited.clock.advance(days=1)
    assert arrives(limited, mail(to), to, sender="").new


def test_only_so_many_bytes_a_day_are_stored_for_one_person(any_site: Site) -> None:
    limits = Limits(mail_megabytes_per_person_and_day=1)
    any_site.app.config["LAGUNA"] = replace(any_site.settings, limits=limits)
    large = b"x" * 199_000
    for _ in range(5):
        to = our_address(any_site, sent_letter(any_site), BOUNCE)
        arrives(any_site, mail(to) + large, to, sender="")
    to = our_address(any_site, sent_letter(any_site), BOUNCE)
    assert refused(any_site, to, mail(to) + large, sender="") == "quota"
    assert arrives(any_site, mail(to), to, sender="").new, "there is room for a small one"


# Mails at which the intake fails


def broken(*_: object) -> None:
    raise ValueError("something in this mail")


def aside(site: Site, raw: bytes, to: str, sender: str = ANN) -> str:
    with site.app.app_context():
        return receive_or_set_aside(raw, to, sender, "lmtp", site.clock()).id


def test_a_mail_that_cannot_be_stored_is_set_aside_once(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter = sent_letter(any_site)
    to = our_address(any_site, letter)
    raw, before = mail(to), counted("set_aside")
    monkeypatch.setattr(intake, "_store", broken)
    with capture_logs() as said:
        number = aside(any_site, raw, to)
        assert aside(any_site, raw, to) == number, "the same mail again"
    [kept] = incoming(any_site)
    assert (kept.id, kept.letter_id, kept.raw) == (number, letter, raw)
    assert (kept.state, kept.reason, kept.next_try_at) == ("dead", "failed", None)
    assert kept.error is not None
    assert kept.error.startswith("ValueError at service.mail.inbound.intake:")
    assert counted("set_aside") == before + 1
    assert [line["event"] for line in said] == ["mail_set_aside"]
    assert "exc_info" not in said[0]


def test_a_mail_is_not_set_aside_for_a_passing_failure(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("INSERT", {}, Exception("gone"))

    to = our_address(site, sent_letter(site))
    monkeypatch.setattr(intake, "_store", away)
    with pytest.raises(OperationalError):
        aside(site, mail(to), to)
    assert incoming(site) == []


def test_mails_of_strangers_that_fail_are_kept_in_small_numbers(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MOST_UNASSIGNED", 2)
    with any_site.app.app_context():
        kept = [
            set_aside(raw, None, "", "imap", any_site.clock(), "RecursionError")
            for raw in (b"one", b"two", b"one")
        ]
        assert kept[0] == kept[2]
        with pytest.raises(NotTaken, match="quota"):
            set_aside(b"three", None, "", "imap", any_site.clock(), "RecursionError")
    assert [one.raw for one in sorted(incoming(any_site), key=lambda one: one.raw or b"")] == [
        b"one",
        b"two",
    ]


# The hook for mail providers


@pytest.fixture
def hooked(sqlite_url: str, tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for(tmp_path, sqlite_url, mail_hook_secret=SECRET))
    yield site
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def hand_in(
    site: Site,
    raw: bytes,
    recipient: str,
    at: datetime | None = None,
    secret: str = SECRET,
    kind: str = "application/json",
    signed: str | None = None,
) -> TestResponse:
    """Hand a mail in as a provider does; `signed` is another body, with whose signature."""
    moment = at or site.clock()
    body = enveloped(raw, recipient)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": "v1,AAAA " + Webhook(secret).sign("msg_1", moment, signed or body),
        "Content-Type": kind,
    }
    return site.client.post("/hooks/mail", data=body, headers=headers)


def enveloped(raw: bytes, recipient: str, sender: str = ANN) -> str:
    mail = base64.b64encode(raw).decode()
    return json.dumps({"recipient": recipient, "sender": sender, "mail": mail})


def test_a_provider_hands_mails_in_and_may_do_so_again(hooked: Site) -> None:
    to = our_address(hooked, sent_letter(hooked))
    raw = mail(to)
    first, again = hand_in(hooked, raw, to), hand_in(hooked, raw, to)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json is not None
    assert again.json == first.json | {"new": False}
    [stored] = incoming(hooked)
    assert (stored.id, stored.raw, stored.via, stored.sender) == (
        first.json["id"],
        raw,
        "hook",
        ANN,
    )


def test_a_mail_of_ten_megabytes_is_taken_by_the_hook_and_stored_without_its_photo(
    hooked: Site,
) -> None:
    to = our_address(hooked, sent_letter(hooked))
    message = message_from_bytes(mail(to, "2 please\n"), policy=SMTP)
    assert isinstance(message, EmailMessage)
    message.add_attachment(b"\xff" * 7_200_000, "image", "jpeg", filename="photo.jpg")
    assert hand_in(hooked, message.as_bytes(), to).status_code == 202
    [stored] = incoming(hooked)
    assert stored.raw is not None
    assert stored.size > 9_700_000 > 10_000 > len(stored.raw)
    assert read_mail(stored.raw, "localhost").text.strip() == "2 please"


def test_without_a_secret_there_is_no_hook(site: Site) -> None:
    to = our_address(site, sent_letter(site))
    assert hand_in(site, mail(to), to).status_code == 404
    assert incoming(site) == []


def test_what_is_not_signed_now_with_the_secret_is_refused(hooked: Site) -> None:
    to = our_address(hooked, sent_letter(hooked))
    raw, at = mail(to), hooked.clock()
    late = timedelta(minutes=5, seconds=1)
    wrong = [
        hand_in(hooked, raw, to, secret="whsec_" + "A" * 32),
        hand_in(hooked, raw, to, signed=enveloped(mail(to), to)),
        hand_in(hooked, raw, to, at=at - late),
        hand_in(hooked, raw, to, at=at + late),
        hooked.client.post("/hooks/mail", data=enveloped(raw, to)),
    ]
    assert {answer.status_code for answer in wrong} == {401}
    assert {answer.mimetype for answer in wrong} == {"application/problem+json"}
    assert incoming(hooked) == []
    assert hand_in(hooked, raw, to, at=at - timedelta(minutes=5)).status_code == 202


def test_a_captured_request_is_good_for_no_other_envelope(hooked: Site) -> None:
    letter = sent_letter(hooked)
    to, other = our_address(hooked, letter), our_address(hooked, letter, OFF)
    raw = mail(to)
    captured = enveloped(raw, to)
    assert hand_in(hooked, raw, other, signed=captured).status_code == 401
    forged = enveloped(raw, to, sender="mallory@example.org")
    assert hand_in(hooked, raw, to, signed=forged).status_code == 401
    assert incoming(hooked) == []


def test_a_mail_of_any_bytes_can_be_handed_in(hooked: Site) -> None:
    to = our_address(hooked, sent_letter(hooked))
    raw = mail(to) + b"\xff\xfe\x00"
    assert hand_in(hooked, raw, to).status_code == 202
    assert incoming(hooked)[0].raw == raw


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        "1",
        "{}",
        '{"recipient": "a", "sender": "", "mail": 1}',
        '{"recipient": "a", "sender": null, "mail": ""}',
        '{"recipient": "a", "sender": "", "mail": "%"}',
        '{"recipient": "a", "sender": "", "mail": "ü"}',
    ],
)
def test_a_signed_body_that_is_no_envelope_is_refused(hooked: Site, body: str) -> None:
    moment = hooked.clock()
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("msg_1", moment, body),
        "Content-Type": "application/json",
    }
    answer = hooked.client.post("/hooks/mail", data=body.encode(), headers=headers)
    assert answer.status_code == 422
    assert answer.mimetype == "application/problem+json"


def test_a_mail_that_fails_by_the_hook_is_set_aside(
    hooked: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = our_address(hooked, sent_letter(hooked))
    raw = mail(to)
    monkeypatch.setattr(intake, "_store", broken)
    assert hand_in(hooked, raw, to).status_code == 202
    [kept] = incoming(hooked)
    assert (kept.state, kept.raw, kept.via) == ("dead", raw, "hook")


def test_a_provider_hears_what_to_do_with_what_is_not_taken(hooked: Site) -> None:
    letter = sent_letter(hooked)
    to = our_address(hooked, letter)
    assert hand_in(hooked, mail(to), "nobody@localhost").status_code == 404
    assert hand_in(hooked, b"x" * (LARGEST + 1), to).status_code == 413
    assert hand_in(hooked, mail(to), to, kind="text/plain").status_code == 415
    assert hand_in(hooked, mail(to), "").status_code == 422
    for _ in range(MOST_PER_ADDRESS):
        assert hand_in(hooked, mail(to), to).status_code == 202
    flooded = hand_in(hooked, mail(to), to)
    assert flooded.status_code == 429
    assert flooded.headers["Retry-After"] == "3600"


# The script in docs/operations.md


@pytest.fixture
def served(sqlite_url: str, tmp_path: Path) -> Iterator[tuple[Site, str]]:
    """A service with the hook, and its address."""
    site = Site(settings_for(tmp_path, sqlite_url, mail_hook_secret=SECRET), wall_clock)
    site.clock = wall_clock  # type: ignore[assignment]
    server = make_server("127.0.0.1", 0, site.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield site, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    with site.app.app_context():
        db.session.remove()
        db.engine.dispose()


def run_script(url: str, raw: bytes, *arguments: str, secret: str = SECRET) -> int:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    [script] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=raw,
        env={"LAGUNA_PUBLIC_URL": url, "LAGUNA_MAIL_HOOK_SECRET": secret},
        capture_output=True,
        timeout=60,
    )
    assert b"Traceback" not in done.stderr
    return done.returncode


def test_the_script_of_the_documents_hands_mails_in(served: tuple[Site, str]) -> None:
    site, url = served
    letter = sent_letter(site)
    to, back = our_address(site, letter), our_address(site, letter, BOUNCE)
    raw = mail(to) + b"\xff\x00"
    assert run_script(url, raw, to, ANN) == 0
    assert run_script(url, raw, back) == 0
    assert {(one.raw, one.sender, one.purpose) for one in incoming(site)} == {
        (raw, ANN, REPLY),
        (raw, "", BOUNCE),
    }
    assert run_script(url, raw, "nobody@localhost", ANN) == 67
    assert run_script(url, raw, to, ANN, secret="whsec_" + "A" * 32) == 75
    assert run_script(f"http://127.0.0.1:{free_port()}", raw, to, ANN) == 75
