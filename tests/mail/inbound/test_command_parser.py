"""What replies mean: numbers, moves, commands and dates, and everything that is asked back."""

from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import pytest

from engine.contract import GameType
from engine.errors import Unreadable
from engine.registry import game_type_by_key
from service.games.moves import MOST_MOVES_AT_ONCE
from service.mail.inbound import politeness_words, vocabulary
from service.mail.inbound.command_parser import LONGEST_REPLY, read_commands
from service.mail.inbound.command_types import (
    Away,
    Back,
    Command,
    DropPlan,
    MailChoice,
    Note,
    Play,
    Resign,
    Say,
    Show,
    ShowPlan,
    Unclear,
    Undo,
    Wish,
)
from service.mail.inbound.move_parser import MOST_STEPS
from service.mail.inbound.own_lines import MOST_LINES
from service.mail.inbound.plain_text import folded
from tests.mail import position

TODAY = date(2025, 11, 3)
CHOICES = ("put a1", "put b2", "keep red", "pass, twice")


@dataclass
class Toy:
    """A game of a few words: "put a1", "keep red", and a move with a comma in it."""

    def parse(self, text: str) -> str:
        words = text.lower().replace("lege", "put").split()
        match words:
            case ["put", place] if place in ("a1", "b2", "c3"):
                return f"put {place}"
            case ["keep" | "behalte", colour] if colour in ("red", "blue"):
                return f"keep {colour}"
            case ["pass,", "twice"] | ["log"]:
                return " ".join(words)
        raise Unreadable("No move.")

    def format(self, move: str) -> str:
        return move

    def read_preferences(self, wishes: object) -> tuple[str, ...]:
        words = str(wishes).lower().replace(",", " ").split()
        if not words or not {*words} <= {"red", "blue", "high", "else", "sonst"}:
            raise Unreadable("No list.")
        return tuple(words)


TOY = cast(GameType, Toy())


def read(text: str, choices: tuple[str, ...] = CHOICES) -> list[Command]:
    return read_commands(text, TOY, choices, TODAY)


def asked_back(text: str) -> tuple[str, dict[str, Any]]:
    with pytest.raises(Unclear) as caught:
        read(text)
    return caught.value.code, caught.value.facts


def play(*steps: tuple[str, ...] | str) -> list[Command]:
    return [Play(tuple((step,) if isinstance(step, str) else step for step in steps))]


# Moves


@pytest.mark.parametrize(
    "text",
    [
        *("2", "#2", "2.", "2)", "(2)", "[2]", "02", " 2 ", "2!", "'2'", "*2*", "- 2"),
        *("* 2", "• 2"),
        *("nr 2", "Nr. 2", "number 2", "Nummer 2", "número 2", "choice 2", "Option 2", "opción 2"),
        *("nº 2", "N.º 2", "n\u00b0 2", "\uff12", "②", "2\u200b"),
        *("put b2", "PUT B2", "put  b2.", '"put b2"', "lege b2", "2. put b2"),
        *("2 put b2", "2: put b2", "b2", "b2 please"),
        *("2\n2", "2\n\nput b2", "put b2; put b2", "2, 2", "Hi,\n\n2\n\nthanks", "2\nLG Anna\n3"),
        *("2\nAnna", "2 put", "2, Anna", "2\n\nAnna-Lena Berg", "2 :-)"),
        *("Hola\n2\nGracias\n\nSaludos cordiales\nAna\n3", "2\n\nMit freundlichen Grüßen\n\n1"),
    ],
)
def test_many_ways_to_say_the_second_choice(text: str) -> None:
    assert read(text) == play("put b2")


@pytest.mark.parametrize(
    "text",
    [
        *("2, else 1", "2 else 1", "2 ELSE 1", "2, or else 1", "2 otherwise 1", "2, 1", "2,1"),
        *("2, sonst 1", "2 ansonsten 1", "2, si no 1", "2 sino 1", "put b2 else put a1"),
        *("2, else put a1", "#2 else #1", "2. else 1.", "put b2, put a1", "2 else 1 else 2"),
    ],
)
def test_alternatives_are_in_order_of_preference(text: str) -> None:
    assert read(text) == play(("put b2", "put a1"))


def test_steps_are_lines_of_a_paragraph_or_parted_by_semicolons() -> None:
    assert read("2\nput c3") == play("put b2", "put c3")
    assert read("2; put c3") == play("put b2", "put c3")
    assert read("2 else 1\nput c3 else put a1") == play(("put b2", "put a1"), ("put c3", "put a1"))


def test_a_move_may_have_a_comma_in_it() -> None:
    assert read("pass, twice") == play("pass, twice")
    assert read("4") == play("pass, twice")
    assert read("pass, twice, else 1") == play(("pass, twice", "put a1"))


def test_one_verb_may_stand_for_several_things_to_keep() -> None:
    assert read("keep red else blue") == play(("keep red", "keep blue"))
    assert read("keep red, blue") == play(("keep red", "keep blue"))


@pytest.mark.parametrize(
    "text",
    [
        *("2?", "2 or 3?", "not 2", "no 2", "2 1", "2/1", "-2", "+2", "+ 2", "> 2"),
        *("2 and 3", "2 then 3"),
        *("put", "2 else", "else 2", "2,,1", "1\u200b2", "\u202e21"),
        *("٢", "2\ufffd", "~2~ 1", "2.5", "Anna", "Best 3", "2\nWait", "2\nNur Spaß"),
        *("2\n\nno, wait", "say", "note", "mail", "mail sometimes"),
    ],
)
def test_what_could_mean_something_else_is_asked_back(text: str) -> None:
    code, facts = asked_back(text)
    assert code == "not_understood"
    assert facts["line"]


@pytest.mark.parametrize(
    ("text", "code", "facts"),
    [
        ("", "empty", {}),
        ("\n \n", "empty", {}),
        ("Hello!", "nothing", {}),
        ("Thanks Anna", "nothing", {}),
        ("9", "no_such_number", {"number": 9, "most": 4}),
        ("0", "no_such_number", {"number": 0, "most": 4}),
        ("1, else 9", "no_such_number", {"number": 9, "most": 4}),
        ("put a1\n2", "number_in_later_step", {"line": "2"}),
        ("put a1; put b2 else 3", "number_in_later_step", {"line": "put b2 else 3"}),
        ("2\n3", "contradicting", {"first": "2", "second": "3"}),
        ("2\n\n3", "contradicting", {"first": "put b2", "second": "keep red"}),
        ("put a1\n\nput b2", "contradicting", {"first": "put a1", "second": "put b2"}),
        ("1. put b2", "contradicting", {"first": "1", "second": "put b2"}),
        ("2\nresign", "contradicting", {"first": "put b2", "second": "resign"}),
        ("mail off\nmail daily", "contradicting", {"first": "mail off", "second": "mail daily"}),
        ("plan red\nplan none", "contradicting", {"first": "red", "second": "plan none"}),
        ("plan green", "unreadable_wishes", {"text": "green"}),
        ("zurück", "ambiguous", {"line": "zurück", "first": "takeback", "second": "back"}),
        ("log", "ambiguous", {"line": "log", "first": "log", "second": "log"}),
        ("say hi\n3", "part_of_talk", {"line": "3", "word": "say"}),
        ("note x\nsay y", "part_of_talk", {"line": "say y", "word": "note"}),
    ],
)
def test_every_refusal_says_what_it_is_about(text: str, code: str, facts: dict[str, Any]) -> None:
    assert asked_back(text) == (code, facts)


def test_a_verb_and_a_number_that_could_be_a_move_or_a_choice_is_asked_back() -> None:
    game, choices = game_type_by_key("murano"), ("take 2", "take 3", "take 1")
    for text in ("nimm 3", "Tomo 3", "take 3"):
        with pytest.raises(Unclear) as caught:
            read_commands(text, game, choices, TODAY)
        assert caught.value.code == "ambiguous"
        assert caught.value.facts == {"line": text, "first": "take 1", "second": "take 3"}
    for text in ("2", "2. nimm 3", "2. take 3", "nimm Palast 3"):
        assert read_commands(text, game, choices, TODAY) == play("take 3")


@pytest.mark.parametrize("text", ["STOP", "stop.", "Stop!"])
def test_stop_is_asked_back_where_it_is_a_move_too(text: str) -> None:
    game = game_type_by_key("murano")
    with pytest.raises(Unclear) as caught:
        read_commands(text, game, ("done",), TODAY)
    assert caught.value.code == "ambiguous"
    assert (caught.value.facts["first"], caught.value.facts["second"]) == ("mail off", "done")
    assert read_commands("fertig", game, ("done",), TODAY) == play("done")


@pytest.mark.parametrize(
    "text",
    [
        "Say, what does number 3 do?",
        "Say what does number 3 do?",
        "Sag mal, was macht die 3?",
        "Di, ¿qué hace el 3?",
        "dice 3",
        "say\nwhat is 3?",
    ],
)
def test_a_question_to_us_is_not_posted_to_the_table(text: str) -> None:
    assert asked_back(text)[0] == ("not_understood" if text == "dice 3" else "question")
    assert read("say: what is your favourite?") == [Say("what is your favourite?")]


@pytest.mark.parametrize("sign", [">", ":", "»", "}", "%", "=", "~", "-", "--"])
def test_a_move_behind_a_sign_that_may_be_that_of_a_quote_is_asked_back(sign: str) -> None:
    for game, move in (
        (position.GAME, position.CHOICES[0]),
        (game_type_by_key("murano"), "sail A5 A6"),
    ):
        for text in (f"{sign}{move}", f"{sign} {move}"):
            if text.startswith("- "):  # a bullet
                continue
            with pytest.raises(Unclear) as caught:
                read_commands(text, game, (move,), TODAY)
            assert caught.value.code == "not_understood"


def test_without_choices_there_are_no_numbers_but_moves() -> None:
    with pytest.raises(Unclear) as caught:
        read("1", ())
    assert (caught.value.code, caught.value.facts["most"]) == ("no_such_number", 0)
    assert read("put a1", ()) == play("put a1")


def test_a_reply_has_a_length() -> None:
    assert asked_back("2 " * LONGEST_REPLY) == ("too_long", {"most": LONGEST_REPLY})
    many = "\n".join(["put a1", "put b2"] * MOST_LINES)
    assert asked_back(many) == ("too_many_lines", {"most": MOST_LINES})
    in_one_line = "put a1; put b2;" * MOST_STEPS
    assert asked_back(in_one_line) == ("too_many_lines", {"most": MOST_MOVES_AT_ONCE})
    assert asked_back("x" * 500)[1]["line"].endswith("...")


# Commands


@pytest.mark.parametrize(
    ("text", "command"),
    [
        *((word, Show("help")) for word in ("help", "Hilfe", "¡ayuda!", "HELP.", "help?")),
        *((word, Show("board")) for word in ("board", "Brett", "Spielplan", "tablero")),
        *((word, Show("log")) for word in ("history", "Verlauf", "Protokoll", "registro")),
        *((word, Show("rules")) for word in ("rules", "Regeln", "reglas")),
        *((word, Show("games")) for word in ("games", "Spiele", "Partien", "partidas")),
        *((word, Resign(False)) for word in ("resign", "aufgeben", "abandonar", "me rindo")),
        *((word, Resign(True)) for word in ("resign yes", "Aufgeben, ja!", "abandonar sí")),
        *((word, Undo()) for word in ("takeback", "take back", "zurücknehmen", "deshacer")),
        *((word, Undo()) for word in ("zuruecknehmen", "ZURÜCKNEHMEN", "zurucknehmen")),
        *((word, Back()) for word in ("back", "wieder da", "Bin wieder da.", "volver")),
        *((word, ShowPlan()) for word in ("plan", "mein Plan", "mi plan")),
        *((word, DropPlan()) for word in ("plan none", "plan löschen", "sin plan")),
        *((word, MailChoice("daily")) for word in ("mail daily", "Mail täglich", "correo diario")),
        *((word, MailChoice("every")) for word in ("mail every turn", "mail jeder Zug")),
        *((word, MailChoice("every")) for word in ("mails bei jedem Zug", "correo cada turno")),
        *((word, MailChoice("batched")) for word in ("mail batched", "mail gebündelt")),
        *((word, MailChoice("urgent")) for word in ("mail urgent", "mail dringend")),
        *((word, MailChoice("urgent")) for word in ("correo urgente", "mail nur dringend")),
        *((word, MailChoice("off")) for word in ("mail off", "mail aus", "correo nunca")),
        *((word, Wish("red else high")) for word in ("plan red else high", "plan: red else high")),
        ("keep high else red", Wish("high else red")),
        ("behalte high sonst red", Wish("high sonst red")),
        ("say Hello, all!", Say("Hello, all!")),
        ("Sag: Grüß dich.", Say("Grüß dich.")),
        ("di ¡hola!", Say("¡hola!")),
        ("say first\nsecond\nthanks", Say("first\nsecond\nthanks")),
        ("say gg\nplan better next time", Say("gg\nplan better next time")),
        ("say\nhello", Say("hello")),
        ("note: mind the red ones", Note("mind the red ones")),
        ("Notiz 3 ist gut", Note("3 ist gut")),
    ],
)
def test_commands_in_three_languages(text: str, command: Command) -> None:
    assert read(text) == [command]


def test_several_commands_are_done_in_their_order() -> None:
    text = "board\n2, else 1\nsay gg!\n\nmail daily\nBOARD"
    steps = play(("put b2", "put a1"))
    assert read(text) == [Show("board"), *steps, Say("gg!"), MailChoice("daily")]


def test_no_word_is_two_commands() -> None:
    words = [
        *vocabulary.COMMANDS,
        *vocabulary.TWO_MEANINGS,
        *(vocabulary.SAY | vocabulary.NOTE | vocabulary.AWAY | vocabulary.KEEP),
        *(politeness_words.GREETINGS | politeness_words.THANKS | politeness_words.CLOSINGS),
    ]
    assert len(words) == len(set(words))
    assert all(word == folded(word) for word in words)


def test_no_command_is_a_move_of_a_game_we_have() -> None:
    for word in vocabulary.COMMANDS:
        with pytest.raises(Unreadable):
            position.GAME.parse(word)


# Dates


@pytest.mark.parametrize(
    "text",
    [
        *("away 24 Dec - 2 Jan", "away 24 Dec-2 Jan"),
        *("AWAY 24 DEC \u2013 2 JAN", "away: 24 Dec to 2 Jan"),
        *("away from 24th December until 2nd January", "away Dec 24 - Jan 2", "away 24.12. - 2.1."),
        *("away 24.12.2025 - 02.01.2026", "away 24.12.25-2.1.26", "away 24/12 - 2/1"),
        *("away 12/24 - 1/2", "away 24/12/2025 - 2/1/2026", "away 2025-12-24 - 2026-01-02"),
        *("away 2025-12-24 to 2026-1-2", "abwesend 24. Dezember bis 2. Januar"),
        *("weg vom 24.12. bis zum 2.1.",),
        *("Abwesend: 24. Dez. - 2. Jän.", "away 24 Dec - 2 Jan 2026"),
        *("ausente 24 de diciembre a 2 de enero", "ausente del 24 de diciembre al 2 de enero"),
        *("ausente desde el 24 de diciembre de 2025 hasta el 2 de enero de 2026",),
    ],
)
def test_an_absence_over_new_year(text: str) -> None:
    assert read(text) == [Away(date(2025, 12, 24), date(2026, 1, 2))]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("away 24 Dec", (2025, 12, 24), (2025, 12, 24)),
        ("away 24 - 28 Dec", (2025, 12, 24), (2025, 12, 28)),
        ("away 24.-28.12.", (2025, 12, 24), (2025, 12, 28)),
        ("away Dec 24 - 28", (2025, 12, 24), (2025, 12, 28)),
        ("ausente del 24 al 28 de diciembre", (2025, 12, 24), (2025, 12, 28)),
        ("away until 5 Nov", (2025, 11, 3), (2025, 11, 5)),
        ("weg bis 5.11.", (2025, 11, 3), (2025, 11, 5)),
        ("away today", (2025, 11, 3), (2025, 11, 3)),
        ("away tomorrow - 9 Nov", (2025, 11, 4), (2025, 11, 9)),
        ("away 1 Nov - 9 Nov", (2025, 11, 1), (2025, 11, 9)),
        ("away 2 Nov", (2026, 11, 2), (2026, 11, 2)),
        ("away 29 Feb", (2028, 2, 29), (2028, 2, 29)),
        ("away 5/5", (2026, 5, 5), (2026, 5, 5)),
        ("abwesend 3. März", (2026, 3, 3), (2026, 3, 3)),
        ("abwesend 3. Maerz", (2026, 3, 3), (2026, 3, 3)),
    ],
)
def test_days_and_how_they_are_completed(
    text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert read(text) == [Away(date(*first), date(*last))]


@pytest.mark.parametrize(
    "text",
    [
        "away from 24 Dec",
        "abwesend ab morgen",
        "ausente desde el 24 de diciembre",
        *("away", "away soon", "away 31.2.", "away 24 Foo", "away 32 Dec", "away 24", "away 24-28"),
        *("away 2 Jan 2024", "away 5.1.2026 - 2.1.2026", "away 24 Dec - ", "away 24 Dec 2 Jan"),
        *("away " + "1.1. - " * 30, "away 2025-13-01", "away 0/0"),
    ],
)
def test_what_is_no_date_is_asked_back(text: str) -> None:
    assert asked_back(text)[0] == "bad_dates"


def test_a_date_that_could_be_two_is_asked_back() -> None:
    code, facts = asked_back("away 2/1")
    assert code == "ambiguous"
    assert {facts["first"][:10], facts["second"][:10]} == {"2026-01-02", "2026-02-01"}
