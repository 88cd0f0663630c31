"""Commands about tables and accounts are read from plain sentences, in three languages."""

import pytest

from service.mail.inbound.account_command_types import (
    AccountCommand,
    ChooseGame,
    DeleteAccount,
    JoinTable,
    SetLanguage,
    SetName,
    SetQuietHours,
    SetTimeZone,
    ShowTables,
    StartGame,
    StopMails,
    command_from,
    command_json,
)
from service.mail.inbound.account_commands import (
    first_command,
    language_of,
    read_account_command,
)
from service.mail.inbound.attachments import MOST_STORED, without_attachments
from service.mail.inbound.classify import read_mail
from service.mail.inbound.consent import consents
from service.mail.inbound.places import zones_of
from tests.mail.correspondent import plain_reply

BEN, ANNA = "ben@example.org", "anna@example.org"
COMMANDS: list[tuple[str, AccountCommand]] = [
    ("play mille fiori", StartGame("millefiori")),
    ("PLAY MURANO WITH 2 BOTS!", StartGame("murano", 2)),
    (f"play murano with {BEN} and {ANNA}", StartGame("murano", None, (BEN, ANNA))),
    (f"play with {BEN}", StartGame(None, None, (BEN,))),
    ("play", StartGame(None)),
    ("I'd like to play Mille-Fiori with two bots please", StartGame("millefiori", 2)),
    ("spiele murano gegen 2 bots", StartGame("murano", 2)),
    ("Ich möchte bitte Murano gegen einen Bot spielen.", StartGame("murano", 1)),
    ("jugar murano con 2 bots", StartGame("murano", 2)),
    ("Murano", ChooseGame("murano")),
    ("tables", ShowTables()),
    ("Offene Tische", ShowTables()),
    ("join 3", JoinTable(3)),
    ("Tisch 3", JoinTable(3)),
    ("unirme a la mesa 3", JoinTable(3)),
    ("STOP", StopMails()),
    ("keine Mails mehr", StopMails()),
    ("name Anna Maria", SetName("Anna Maria")),
    ("ich heiße Jörg", SetName("Jörg")),
    ("me llamo Inés", SetName("Inés")),
    ("Deutsch bitte", SetLanguage("de")),
    ("language german", SetLanguage("de")),
    ("idioma español", SetLanguage("es")),
    ("I live in Lisbon", SetTimeZone("Lisbon")),
    ("time zone Europe/Lisbon", SetTimeZone("Europe/Lisbon")),
    ("ich schlafe von 23 bis 7 Uhr", SetQuietHours("23:00", "07:00")),
    ("quiet hours 10:30 pm - 7 am", SetQuietHours("22:30", "07:00")),
    ("quiet hours off", SetQuietHours(None, None)),
    ("konto löschen", DeleteAccount()),
    ("eliminar mi cuenta", DeleteAccount()),
]


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_a_command_is_read_with_and_without_politeness(text: str, command: AccountCommand) -> None:
    for written in (text, f"Hello,\n\n{text}\n\nThanks!\nBest regards\nAnna"):
        assert read_account_command(written) == command
    assert command_from(command_json(command)) == command


@pytest.mark.parametrize(
    "text",
    [
        *("2", "play 3", "take 2", "play murano?", "please play something else than murano"),
        *("the table is nice", "join us", "I do not want to play murano", "name", "buy murano"),
        "play murano\ndelete my account",
    ],
)
def test_anything_else_is_no_command_of_a_reply(text: str) -> None:
    assert read_account_command(text) is None


def test_the_first_command_of_a_mail_counts_and_then_its_subject() -> None:
    text = "Hi!\nI found your server.\nplay murano\ntables"
    assert first_command(text, "play mille fiori") == StartGame("murano")
    assert first_command("I found your server.", "Can I play Mille Fiori?") == StartGame(
        "millefiori"
    )


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes please!", "Ja gerne!", "sí, encantado", "ok", "I'm in", "Claro\nBen", "join"],
)
def test_consent_is_read(text: str) -> None:
    assert consents(text) is True


@pytest.mark.parametrize(
    "text", ["no", "Nein danke", "No thanks!", "Gerne, aber leider keine Zeit"]
)
def test_a_refusal_is_read(text: str) -> None:
    assert consents(text) is False


@pytest.mark.parametrize(
    "text", ["", "yes?", "not sure", "why not", "yes no", "yes, but who are you", "1", "Ben"]
)
def test_anything_else_is_no_consent(text: str) -> None:
    assert consents(text) is None


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        *(("Lisbon", "Europe/Lisbon"), ("Lissabon", "Europe/Lisbon"), ("wien", "Europe/Vienna")),
        *(("München", "Europe/Berlin"), ("Muenchen", "Europe/Berlin"), ("España", "Europe/Madrid")),
        *(("Zürich", "Europe/Zurich"), ("Nueva York", "America/New_York")),
        *(("Lisbon, Portugal", "Europe/Lisbon"), ("europe/lisbon", "Europe/Lisbon")),
    ],
)
def test_a_place_has_a_time_zone_in_every_language(place: str, zone: str) -> None:
    assert zones_of(place) == [zone]


def test_unknown_places_have_none_and_large_countries_several() -> None:
    assert zones_of("Atlantis") == []
    assert len(zones_of("Canada")) > 1


def test_the_language_is_guessed_from_typical_words() -> None:
    texts = ("play murano", "spiele murano", "quiero jugar")
    assert [language_of(text) for text in texts] == [None, "de", "es"]


def test_a_large_mail_is_stored_without_attachments_and_reads_the_same() -> None:
    message = plain_reply("2 please", ANNA, "turn+x@localhost", "1 or 2")
    message.add_alternative("<p>2 please</p>", subtype="html")
    message.add_attachment(b"\xff" * 3_000_000, "image", "jpeg", filename="photo.jpg")
    message.add_attachment("long " * 100_000, filename="notes.txt")
    raw = message.as_bytes()
    stored = without_attachments(raw)
    assert len(stored) < 10_000
    assert read_mail(stored).text == "2 please"
    assert without_attachments(stored) == stored


def test_the_stored_part_of_any_mail_is_bounded() -> None:
    for raw in (b"x" * 5_000_000, b"A: b\n" * 1_000_000, b"--\n" * 1_000_000, b"\n" * 2_000_000):
        assert len(without_attachments(raw)) <= 2 * MOST_STORED
