"""Own words of a reply with any addition of programs and companies."""

from itertools import product

import pytest

from service.mail.inbound.contact_lines import is_contact_line
from service.mail.inbound.footers import is_device_line, is_legal_text, without_footers
from service.mail.inbound.own_words import own_words
from tests.mail.inbound.additions import (
    BANNERS,
    DEVICE_LINES,
    FOOTERS,
    LEGAL_TEXTS,
    QUOTES,
    SIGNATURES,
)

WRITTEN = (
    "2",
    "3, else 1",
    "quartz-1 W8",
    "Ich nehme die 2, danke!",
    "2\nsay hello everybody",
    "away 24 Dec - 2 Jan",
    "note watch the harbor",
    "I take the second one please",
    "Hi,\n\n2",
)
PLANTED = ("5", "quartz-1 W24", "say lost")
BELOW = (*DEVICE_LINES, *FOOTERS, *LEGAL_TEXTS, *SIGNATURES)


def read(text: str) -> str:
    return own_words(text, "Bela Kovacs", ["Laguna"]).text


@pytest.mark.parametrize("addition", BELOW)
def test_an_addition_below_is_no_text_of_the_writer(addition: str) -> None:
    for written, planted in product(WRITTEN, PLANTED):
        below = addition.format(planted=planted)
        assert read(f"{written}\n\n{below}") == written
        assert read(f"{written}\n\n{below}\n\n{QUOTES[1].format(planted=planted)}") == written


@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_above_is_no_text_of_the_writer(banner: str) -> None:
    for written in WRITTEN:
        assert read(f"{banner}\n\n{written}") == written
        assert read(f"{banner}\n{written}\n\n> 4") == written


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize("below", ["", *BELOW[::7]])
@pytest.mark.parametrize("above", ["", *BANNERS[::4]])
def test_additions_together_change_nothing(quote: str, below: str, above: str) -> None:
    for written, planted in product(WRITTEN, PLANTED):
        parts = (above, written, below.format(planted=planted), quote.format(planted=planted))
        assert read("\n\n".join(filter(None, parts))) == written


def test_nothing_is_taken_off_without_a_record() -> None:
    own = own_words(
        "EXTERNAL EMAIL\n2\n\nSent from my iPhone\n\n> 3\n\nThis e-mail is confidential"
    )
    assert [(record.stage, record.why, record.text) for record in own.taken_off] == [
        ("quote", "quote_signs", "> 3"),
        ("footer", "banner", "EXTERNAL EMAIL"),
        ("footer", "device", "Sent from my iPhone"),
        ("footer", "legal", "This e-mail is confidential"),
    ]
    assert (own.text, own.quote) == ("2", "3")


@pytest.mark.parametrize(
    "text",
    [
        "2",
        "say my iPhone died, I am sorry",
        "2\nsay call me at +49 170 1234567",
        "2\n\nsay see https://example.org",
        "note: Ben is in Outlook hell",
        "2 sent from my iPhone",
        "I sent 2 from my iPhone",
        "https://laguna.example/answer/x",
        "bela@example.net",
        "spam",
        "external",
        "unsubscribe",
        "note delete this message",
        "Achtung, 3",
        "Caution: 2",
        "Important: 2",
    ],
)
def test_text_that_may_be_an_answer_stays(text: str) -> None:
    assert read(text) == text


def test_an_answer_below_an_addition_stays() -> None:
    assert read("Sent from my iPhone\n\n2") == "2"
    assert read("This e-mail is confidential.\n\n2") == "2"
    assert read("----------\n2") == "2"
    assert read("Hi,\nwww.acme.example\n2") == "Hi,\nwww.acme.example\n2"


def test_lines_are_known_each_alone() -> None:
    assert all(is_device_line(line) for line in DEVICE_LINES[:20])
    assert not is_device_line("2")
    assert is_contact_line("Tel. +36 30 123 4567")
    assert not is_contact_line("quartz-1 W8")
    assert is_legal_text("This e-mail is confidential")
    assert not is_legal_text("say this e-mail is confidential")


def test_a_signature_ends_at_the_next_quote() -> None:
    own, taken = without_footers([["2", "-- ".strip(), "Bela", "3"], ["4"]])
    assert own == [["2"], ["4"]]
    assert [record.text for record in taken] == ["--\nBela\n3"]
