"""Commands as sentences, yes and no, chat and notes, and questions to us."""

from datetime import date

import pytest

from engine.registry import game_type_by_key
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import (
    Away,
    Back,
    Command,
    MailChoice,
    No,
    Note,
    Play,
    Resign,
    Say,
    Show,
    Unclear,
    Undo,
    Yes,
)
from tests.mail.position import CHOICES, GAME

TODAY = date(2025, 11, 4)  # a Tuesday


def read(text: str) -> list[Command]:
    return read_commands(text, GAME, CHOICES, TODAY)


def asked_back(text: str) -> Unclear:
    with pytest.raises(Unclear) as caught:
        read(text)
    return caught.value


@pytest.mark.parametrize(
    ("command", "texts"),
    [
        (Show("help"), ("help?", "Help please", "can you help me", "Ich brauche Hilfe", "Ayúdame")),
        (Show("board"), ("show me the board", "Can I see the board?", "zeig mir das Brett")),
        (Show("board"), ("Hi,\n\nmuéstrame el tablero, por favor\n\nGracias", "the board please")),
        (
            Show("rules"),
            ("what are the rules", "Wie lauten die Regeln?", "¿Cuáles son las reglas?"),
        ),
        (Show("log"), ("show the log", "what happened?", "Was ist bisher passiert?")),
        (Back(), ("I am back", "I'm back again!", "Bin wieder zurück", "Ya estoy de vuelta")),
        (Resign(False), ("I want to resign", "Ich möchte aufgeben", "Quiero abandonar")),
        (Undo(), ("undo", "take that back please", "Zug zurücknehmen", "rückgängig machen")),
        (Undo(), ("Ich möchte meinen Zug zurücknehmen", "deshacer la última jugada")),
        (MailChoice("daily"), ("please send me one mail a day", "bitte nur eine Mail am Tag")),
        (MailChoice("off"), ("unsubscribe", "Abmelden", "stop", "baja", "no more mails please")),
        (MailChoice("off"), ("keine Mails mehr", "Please unsubscribe me", "No quiero más correos")),
        (
            Yes(),
            ("yes", "Yes please!", "ja", "jo", "Genau.", "sí", "Si", "vale", "ok", "ja, gerne"),
        ),
        (Yes(), ("Hi, yes\n\nThanks, Anna", "ja bitte")),
        (No(), ("no", "Nein", "nope", "lieber nicht", "No thanks", "nein danke", "mejor no")),
    ],
)
def test_sentences_are_commands(command: Command, texts: tuple[str, ...]) -> None:
    for text in texts:
        assert read(text) == [command], text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I am away until Friday", (2025, 11, 4), (2025, 11, 7)),
        ("Hi,\n\nI'm away until 2 January.\n\nBest, Anna", (2025, 11, 4), (2026, 1, 2)),
        ("Bin bis Freitag weg", (2025, 11, 4), (2025, 11, 7)),
        ("Ich bin vom 24.12. bis 2.1. im Urlaub", (2025, 12, 24), (2026, 1, 2)),
        ("estoy fuera hasta el lunes", (2025, 11, 4), (2025, 11, 10)),
        ("I'm on holiday from 3 to 10 August", (2026, 8, 3), (2026, 8, 10)),
        ("I am away from Monday to Friday", (2025, 11, 10), (2025, 11, 14)),
        ("away tomorrow", (2025, 11, 5), (2025, 11, 5)),
        ("away for a week", (2025, 11, 4), (2025, 11, 10)),
        ("I am away for 3 days", (2025, 11, 4), (2025, 11, 6)),
        ("away next week", (2025, 11, 10), (2025, 11, 16)),
        ("weg am Wochenende", (2025, 11, 8), (2025, 11, 9)),
    ],
)
def test_an_absence_as_a_sentence(
    text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert read(text) == [Away(date(*first), date(*last))]


@pytest.mark.parametrize(
    "text",
    [
        *("I am away until next week", "I am away until next Friday", "away until Tuesday"),
        *("I am out of the office until Friday", "I am away until Friday. Please contact Ben."),
        *("2\n\nI am away until Friday", "I am away for 0 days", "less mails please", "undo?"),
        *("resign?", "stop\n2", "unsubscribe\nboard"),
    ],
)
def test_what_may_mean_something_else_is_asked_back(text: str) -> None:
    asked_back(text)


def test_next_friday_could_be_two_days() -> None:
    unclear = asked_back("I am away until next Friday")
    assert unclear.code == "ambiguous"
    assert (unclear.facts["first"], unclear.facts["second"]) == ("2025-11-07", "2025-11-14")


@pytest.mark.parametrize(
    "text",
    [
        *("what does number 3 do?", "how do I resign?", "Sag mal, was macht die 3?"),
        *("wie lange habe ich noch", "Wann bin ich dran?", "¿Qué hace el 3?", "should I take 2?"),
        *("2\n\nWhat does 3 do?", "say what does 3 do?", "Can I have 2?"),
    ],
)
def test_a_question_is_for_us(text: str) -> None:
    unclear = asked_back(text)
    assert (unclear.code, unclear.suggestion) == ("question", None)


@pytest.mark.parametrize(
    "text",
    [
        *("say: hi", "to all: hi", "tell everyone: hi", "an alle: hi", "Sag allen: hi", "say hi"),
        *("a todos: hi", "di: hi", "sag hi", "decir: hi"),
    ],
)
def test_chat_begins_with_an_unmistakable_verb(text: str) -> None:
    assert read(text) == [Say("hi")]


@pytest.mark.parametrize(
    "text",
    [
        *("Di hola", "Di 2", "Di, 3", "dice 3", "Say, nice game", "Sag Anna, dass ich komme"),
        *("say 2", "say that I like it", "NOTE: This e-mail is confidential."),
        *("Nota: este correo es confidencial", "Note that I am away", "note " + "x" * 500),
    ],
)
def test_what_is_no_chat_and_no_note_is_asked_back(text: str) -> None:
    asked_back(text)
    assert read("note watch the harbor") == [Note("watch the harbor")]


@pytest.mark.parametrize(
    "text",
    [
        *("3, else 1", "3, if not possible 1", "3, falls nicht möglich 1", "3 o si no 1"),
        *("3, otherwise 1", "I take 3, if not possible then 1 please", "la 3, si no la 1"),
        *("Ich nehme die 3, falls das nicht geht die 1.", "3, or 1 if that's not possible"),
    ],
)
def test_alternatives_as_sentences(text: str) -> None:
    assert read(text) == [Play(((CHOICES[2], CHOICES[0]),))]


def test_several_moves_with_a_semicolon_after_a_keep() -> None:
    choices = ["keep crab-3"]
    steps = read_commands("keep crab-3; crab-3 route", GAME, choices, TODAY)
    assert steps == [Play((("keep crab-3",), ("crab-3 route",)))]
    assert read_commands("keep crab-3; keep crab-3", GAME, choices, TODAY) == [
        Play((("keep crab-3",),))
    ]


def test_a_verb_that_is_no_offered_move_chooses() -> None:
    game, choices = game_type_by_key("murano"), ("sail A2 A3", "sail A4 A5")
    assert read_commands("I'll take number 2", game, choices, TODAY) == [Play((("sail A4 A5",),))]
