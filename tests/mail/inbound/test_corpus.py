"""Mails as programs and people really write them, each with what must be read in it.

Beside every `.eml` of the corpus is a `.json`: kind and text of the reading, and what the grammar
makes of it as an answer to the question of `position`. `quoted` and `signature` name places in it
below which whatever is written belongs to a quote or a signature.
"""

import base64
import json
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import compat32
from pathlib import Path
from typing import Any

import pytest

from service.mail.inbound.charsets import decoded
from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Unclear
from tests.mail.position import CHOICES, GAME, OWN_DOMAIN, TODAY

CORPUS = Path(__file__).parent / "corpus"
MAILS = sorted(CORPUS.glob("*.eml"))
# Two that the question offers, and a number.
PLANTED = (CHOICES[5], CHOICES[0], "5")


def expected_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return found


def read(raw: bytes) -> Reading:
    return read_mail(raw, OWN_DOMAIN)


def commands(text: str) -> list[str] | str:
    try:
        return [repr(command) for command in read_commands(text, GAME, CHOICES, TODAY)]
    except Unclear as unclear:
        return unclear.code


def test_the_corpus_is_large_and_complete() -> None:
    assert len(MAILS) >= 70
    assert {path.stem for path in MAILS} == {path.stem for path in CORPUS.glob("*.json")}


def test_the_question_is_the_one_that_the_mails_answer() -> None:
    places = ("W8", "W10", "W13", "W15", "W18", "W21", "W24", "route")
    assert [f"quartz-1 {place}" for place in places] == CHOICES


@pytest.mark.parametrize("path", MAILS, ids=lambda path: str(path.stem))
def test_a_mail_is_read_as_it_should_be(path: Path) -> None:
    expected, reading = expected_of(path), read(path.read_bytes())
    assert (reading.kind, reading.reason) == (expected["kind"], expected.get("reason", ""))
    assert reading.text == expected["text"]
    if reading.kind == "reply":
        assert commands(reading.text) == expected.get("reads", expected.get("unclear"))
    if "report" in expected:
        assert reading.report is not None
        assert reading.report._asdict() == expected["report"]
    else:
        assert reading.report is None
    assert reading.sender == expected.get("sender", reading.sender)
    assert reading.subject == expected.get("subject", reading.subject)
    assert reading.message_id


def leaves(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if part.get_content_maintype() == "text")


def planted(raw: bytes, anchor: str, move: str) -> bytes | None:
    """The mail with a move written below the line with the anchor, in the same way as that line;
    None if the anchor is nowhere."""
    message = message_from_bytes(raw, policy=compat32)
    found = False
    for part in leaves(message):
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        text = decoded(data, str(part.get_param("charset", "")))
        if anchor not in text:
            continue
        found = True
        _rewrite(part, _with_move(text, anchor, move, part.get_content_subtype() == "html"))
    return message.as_bytes() if found else None


def _with_move(text: str, anchor: str, move: str, is_html: bool) -> str:
    if is_html:
        return text.replace(anchor, f"{anchor}<br>{move}<br>")
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if anchor in line:
            signs = line[: len(line) - len(line.lstrip("> |"))]
            lines.append(f"{signs}{move}")
    return "\n".join(lines)


def _rewrite(part: Message, text: str) -> None:
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "base64"
    part.set_param("charset", "utf-8")
    part.set_payload(base64.encodebytes(text.encode()).decode())


@pytest.mark.parametrize("path", MAILS, ids=lambda path: str(path.stem))
def test_nothing_in_a_quote_or_signature_changes_what_is_read(path: Path) -> None:
    raw, expected = path.read_bytes(), expected_of(path)
    unchanged = read(raw)
    for anchor in (*expected.get("quoted", ()), *expected.get("signature", ())):
        for move in PLANTED:
            mail = planted(raw, anchor, move)
            assert mail is not None, anchor
            reading = read(mail)
            assert (reading.kind, reading.text) == (unchanged.kind, unchanged.text)
            if reading.kind == "reply":
                assert commands(reading.text) == commands(unchanged.text)


def test_most_mails_have_a_quote_and_many_a_signature_to_plant_something_in() -> None:
    kinds = [expected_of(path) for path in MAILS]
    assert sum("quoted" in expected for expected in kinds) > 60
    assert sum("signature" in expected for expected in kinds) > 20


def test_planting_something_above_the_quote_would_be_seen() -> None:
    """Or the test above would prove nothing."""
    raw = (CORPUS / "only-marker-no-quote-signs.eml").read_bytes()
    mail = planted(raw, "3", CHOICES[0])
    assert mail is not None
    assert read(mail).text == f"3\n{CHOICES[0]}"
