"""Politeness around an answer is taken off, and never changes what is played."""

from itertools import product

import pytest

from service.mail.inbound.command_parser import explain_commands, read_commands
from service.mail.inbound.command_types import Command, Play, StageNote, Unclear
from service.mail.inbound.politeness import polished
from tests.mail.position import CHOICES, GAME, TODAY

POLITE = [
    *("Hi!", "Hello there,", "Hi Laguna team,", "Dear all,", "Good morning everyone", "Hi Anna,"),
    *("Hallo zusammen", "Guten Morgen!", "Liebe Laguna,", "Moin", "Servus Ben,", "Hi ihr,"),
    *("Hola a todos:", "Buenos días a todos", "Estimados:", "Buenas tardes,"),
    *("Thanks!", "Thanks Anna", "Thank you very much for the reminder", "Danke euch allen"),
    *("Danke fürs Warten!", "Vielen Dank", "Muchas gracias", "Gracias por la paciencia"),
    *("Have a nice day!", "Good game so far!", "Sorry for the delay", "Hope you are all well."),
    *("Schönes Wochenende", "Entschuldige die späte Antwort", "Einen schönen Abend noch!"),
    *("¡Que tengas buen día!", "Perdón por la demora", "Bien jugado", "Buena suerte a todos"),
    *("Best regards", "LG Klaus", "Lieben Gruß, Eva", "Un saludo, José Luis", ":-)", "👍", "👍🏻"),
]
NOT_POLITE = [
    *("2", "Anna", "no", "not today", "wait", "Anna takes it", "the best", "Best 3", "Dear 2"),
    *(
        "Falsch",
        "vielleicht",
        "perhaps",
        "yes",
        "Hi 2",
        "2 please",
        "👎",
        "❌",
        "🤔",
        "-- W8",
        "- ",
    ),
]
ASKED_BACK = [
    *("2\nFalsch", "2\nWait", "2\nNur Spaß", "2\nJuli", "2, Juli", "2. Juli", "2\nMaybe", "2 👎"),
    *("2\nKeine Ahnung", "2\nLG Anna\nPS: doch lieber 3", "No problem! 2", "How are you? 2"),
    *("2, thanks, 3", "thanks for nothing, 2", "2 greetings from 3", "Best 3", "Dear 2"),
]


def read(text: str) -> list[Command]:
    return read_commands(text, GAME, CHOICES, TODAY)


def read_or_none(text: str) -> list[Command] | None:
    try:
        return read(text)
    except Unclear:
        return None


def play(number: int) -> list[Command]:
    return [Play(((CHOICES[number - 1],),))]


@pytest.mark.parametrize("text", POLITE)
def test_a_polite_line_is_taken_off_as_a_whole(text: str) -> None:
    line = polished(text)
    assert line.text == ""
    assert line.taken
    with pytest.raises(Unclear) as caught:
        read(text)
    assert caught.value.code == "nothing"


@pytest.mark.parametrize("text", NOT_POLITE)
def test_what_says_something_is_not_taken_off(text: str) -> None:
    assert polished(text).text != ""


@pytest.mark.parametrize("text", POLITE)
def test_a_polite_line_before_or_after_an_answer_changes_nothing(text: str) -> None:
    for number in range(1, len(CHOICES) + 1):
        assert read(f"{text}\n\n{number}") == play(number)
        assert read(f"{number}\n\n{text}") == play(number)


def test_no_politeness_around_a_number_plays_anything_else() -> None:
    greetings = ("", "Hi, ", "Guten Morgen!\n", "Hola a todos: ", "Hi Anna,\n\n")
    answers = ("{}", "number {} please", "Ich nehme die {}.", "voy con la {}")
    closings = (
        "",
        " Thanks!",
        ", danke",
        "\n\nLG\nEva",
        ". Saludos, José",
        " :-)",
        "\n\nAnna Berg",
    )
    for number in (1, 2, 3, 8):
        for greeting, answer, closing in product(greetings, answers, closings):
            text = f"{greeting}{answer.format(number)}{closing}"
            assert read(text) == play(number), text


@pytest.mark.parametrize(
    "text", ["2\nAnna", "2\n\nTom Smith", "2, Klaus", "2 - Klaus", "2\n- Klaus", "2\n\nAnna-Lena"]
)
def test_a_name_at_the_end_is_a_signature(text: str) -> None:
    assert read(text) == play(2)


@pytest.mark.parametrize("text", ASKED_BACK)
def test_what_is_no_name_and_no_small_talk_is_asked_back(text: str) -> None:
    assert read_or_none(text) is None


def test_small_talk_that_denies_or_asks_leaves_a_suggestion() -> None:
    for text in ("No problem! 2", "How are you? 2", "2. Kein Problem!"):
        with pytest.raises(Unclear) as caught:
            read(text)
        assert [caught.value.suggestion] == play(2)


def test_an_explanation_lists_what_every_stage_did() -> None:
    notes = explain_commands("Hi!\nI'll take 2\nKlaus", GAME, CHOICES, TODAY)
    assert notes[:2] == [
        StageNote("politeness", "Hi!", "greeting"),
        StageNote("politeness", "Klaus", "name"),
    ]
    assert [note.stage for note in notes[2:]] == ["sentence", "result"]
    stages = [note.stage for note in explain_commands("2 sounds good", GAME, CHOICES, TODAY)]
    assert stages == ["asked back", "suggestion"]
