"""Seals and the addresses that carry them: nobody makes one, changes one, or uses an old one."""

import logging
import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from service.core.config import Settings
from service.core.ids import new_id
from service.core.signing import LENGTH, BadSignature, read_signed_id, sign_id, without_signed_ids
from service.mail.outgoing.reply_address import (
    BOUNCE,
    GOOD_FOR,
    PURPOSES,
    REPLY,
    Address,
    NoSuchAddress,
    address,
    read_address,
)
from service.ops.server import StructuredHandler
from tests.support.site import settings_for

AT = datetime(2026, 11, 16, 12, tzinfo=UTC)
LETTER = "abcdefghij234567"
SMALL = set(string.ascii_lowercase + string.digits)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path, "sqlite://", mail_domain="laguna.example")


def test_a_signed_address_has_its_purpose_and_letter(settings: Settings) -> None:
    for purpose in PURPOSES:
        for letter in (LETTER, new_id()):
            written = address(settings, purpose, letter, AT)
            assert read_address(settings, written, AT) == Address(purpose, letter)


def test_servers_may_change_the_case_and_the_local_part_is_short(settings: Settings) -> None:
    written = address(settings, BOUNCE, LETTER, AT)
    local, _, domain = written.partition("@")
    assert len(local) <= 64
    assert set(local) <= SMALL | {"+"}
    assert domain == "laguna.example"
    assert read_address(settings, f"<{written.upper()}>", AT) == Address(BOUNCE, LETTER)


def test_every_changed_character_invalidates_the_signature(settings: Settings) -> None:
    sealed = sign_id(settings, REPLY, LETTER, AT)
    for place in range(LENGTH):
        for other in "a7":
            changed = sealed[:place] + other + sealed[place + 1 :]
            if changed != sealed:
                with pytest.raises(BadSignature, match="changed"):
                    read_signed_id(settings, REPLY, changed, AT)


def test_a_signature_is_valid_for_one_purpose(settings: Settings) -> None:
    with pytest.raises(BadSignature, match="changed"):
        read_signed_id(settings, BOUNCE, sign_id(settings, REPLY, LETTER, AT), AT)


def test_a_signature_expires(settings: Settings) -> None:
    written = address(settings, REPLY, LETTER, AT)
    assert read_address(settings, written, AT + GOOD_FOR).letter_id == LETTER
    with pytest.raises(NoSuchAddress, match="expired"):
        read_address(settings, written, AT + GOOD_FOR + timedelta(days=1))


def test_the_secret_key_can_be_changed_without_losing_what_was_sent(settings: Settings) -> None:
    sealed = sign_id(settings, REPLY, LETTER, AT)
    changed = replace(settings, secret_key="n" * 40)
    with pytest.raises(BadSignature, match="changed"):
        read_signed_id(changed, REPLY, sealed, AT)
    kept = replace(changed, old_secret_keys=("o" * 40, settings.secret_key))
    assert read_signed_id(kept, REPLY, sealed, AT) == LETTER
    assert sign_id(kept, REPLY, LETTER, AT) == sign_id(changed, REPLY, LETTER, AT)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "other_domain"),
        ("laguna@laguna.example", "unknown"),
        ("turn@laguna.example", "unreadable"),
        ("turn+@laguna.example", "unreadable"),
        ("turn+abc@laguna.example", "unreadable"),
        (f"turn+{'1' * LENGTH}@laguna.example", "unreadable"),
        (f"turn+{'é' * LENGTH}@laguna.example", "unreadable"),
        (f"turn+{'a' * LENGTH}@laguna.example", "changed"),
        (f"turn+{'a' * LENGTH}@other.example", "other_domain"),
        (f"turn+{'a' * LENGTH}@@", "other_domain"),
    ],
)
def test_other_addresses_take_no_mail(settings: Settings, text: str, reason: str) -> None:
    with pytest.raises(NoSuchAddress) as refused:
        read_address(settings, text, AT)
    assert refused.value.reason == reason


def test_signed_ids_are_removed_from_logged_text(settings: Settings) -> None:
    one = sign_id(settings, REPLY, LETTER, AT)
    for said in (f"/answer/{one}/3 ", f"mailto:turn%2B{one}%40x", f"<turn+{one.upper()}@x>", one):
        told = without_signed_ids(said)
        assert "***" in told
        assert one not in told.lower()
    for said in (one + "a", "a" * (LENGTH - 1), f"cid:{'0af' * 22}@laguna", f"letter {LETTER}"):
        assert without_signed_ids(said) == said


def test_logged_urls_have_no_secrets(settings: Settings) -> None:
    sealed = sign_id(settings, "answer", LETTER, AT)
    with capture_logs() as logs:
        for path in (f"/answer/{sealed}/3", f"/calendar/{sealed}.ics", f"/sign-in/in_{sealed}"):
            record = logging.LogRecord(
                "uvicorn.error", logging.ERROR, "", 0, "At %s", (path,), None
            )
            StructuredHandler().emit(record)
    assert [entry["message"].rpartition(" ")[2] for entry in logs] == [
        "/answer/***/3",
        "/calendar/***.ics",
        "/sign-in/in_***",
    ]
