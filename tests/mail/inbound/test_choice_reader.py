"""Plain sentences that name one choice, and all that must not be read as one."""

import re
from itertools import product

import pytest

from engine.registry import game_type_by_key
from service.mail.inbound import choice_words, number_words
from service.mail.inbound.choice_reader import read_choice
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Play, Unclear
from service.mail.inbound.move_parser import Asked
from tests.mail.position import CHOICES, GAME, TODAY

ASKED = Asked(GAME, CHOICES, TODAY)
SECOND = [
    *("two", "Two!", "number two", "2 please", "2, please.", "ok 2", "OK, 2 then", "2 thanks!"),
    *("2 - thanks", "Answer: 2", "My choice is 2.", "I'll take number 2", "I\u2019ll take 2"),
    *("I would like 2", "Hi! 2", "Hello, I choose 2", "the second", "I take the second one"),
    *("the second one please", "2nd", "the 2nd one", "Good morning, 2 please. Best regards"),
    *("zwei", "Ich nehme die 2.", "2 bitte", "2 danke!", "Antwort: 2", "die zweite bitte"),
    *("Ich möchte Nummer 2", "Hallo, ich nehme die zwei, vielen Dank", "Dann nehme ich die 2"),
    *("Guten Morgen\n\nich nehme 2\n\nGrüße", "2 bitte, LG", "Nr. 2 bitte", "ja, die 2"),
    *("dos", "la dos", "2 por favor", "2 gracias", "la segunda", "Elijo la 2"),
    *("Quiero la opción 2", "voy con la 2", "me quedo con la 2", "me gustaría la 2", "ponme la 2"),
    *("2 it is", "definitely 2", "2 for me please", "let's go with 2", "Let's go for 2", "play 2"),
    *("2, yes 2", "two (2)", "2 - second", "second", "zweite", "Zug 2"),
    *("jugada 2", "2\ufe0f\u20e3"),
    *("Ich hätte gerne die 2", "Ich entscheide mich für die 2"),
    *("Bitte Nummer 2 spielen", "die 2te"),
    *("sí, la 2", "si, la 2", "Que sea la 2", "Pues la 2", "la 2a", "I'm going with 2", "2 👍"),
    *("Hola, tomo la 2. Muchas gracias", "vale, la 2", "Buenos días,\n2 por favor\nSaludos"),
]
WITH_DIGITS = [text for text in SECOND if "2" in text and not re.search("two|second", text)]
NOT_CLEAR = [
    *("not two", "not the second", "no 2 please", "2 or 3 please", "2 please, or 3", "2 maybe"),
    *("two?", "should I take 2?", "I took 2", "you take 2", "Anna takes 2", "if possible 2"),
    *("anything but 2", "2 is bad", "I don't like 2", "I think 2", "2 and three", "two three"),
    *("first thanks", "the one", "this one", "2 days please", "2:30 please"),
    *("2.5 please", "+2 please", "-2 please", "> 2 please", "see you at 2", "room 2 please"),
    *("nicht die 2", "keine 2 bitte", "vielleicht die 2", "2 oder 3 bitte", "lieber nicht 2"),
    *("außer 2", "die 2 nehme ich nicht", "zwei Mal", "erst danke", "2 bitte nicht"),
    *("no la 2", "la 2 no", "quizás la 2", "2 o 3 por favor", "¿la 2", "menos la 2"),
    *("please", "thank you", "bitte", "Anna", "por favor"),
]


def read(text: str) -> list[Command]:
    return read_commands(text, GAME, CHOICES, TODAY)


@pytest.mark.parametrize("text", SECOND)
def test_a_sentence_that_names_one_choice_plays_it(text: str) -> None:
    assert read(text) == [Play(((CHOICES[1],),))]


@pytest.mark.parametrize("text", NOT_CLEAR)
def test_a_sentence_that_may_mean_something_else_is_asked_back(text: str) -> None:
    with pytest.raises(Unclear):
        read(text)


@pytest.mark.parametrize("text", WITH_DIGITS)
def test_another_number_is_another_choice(text: str) -> None:
    other = text.replace("2nd", "3rd").replace("2", "3")
    assert read(other) == [Play(((CHOICES[2],),))]


def test_politeness_around_a_number_changes_nothing() -> None:
    greetings = ("", "Hi,\n\n", "Guten Tag! ", "Hola. ")
    closings = ("", " Thanks!", "\n\nVielen Dank\nLG", "\nSaludos", " :)")
    for number, greeting, closing in product(range(1, len(CHOICES) + 1), greetings, closings):
        assert read(f"{greeting}{number}{closing}") == [Play(((CHOICES[number - 1],),))]


def test_a_number_without_a_choice_is_said() -> None:
    with pytest.raises(Unclear) as caught:
        read("99 please")
    assert caught.value.code == "no_such_number"
    assert read_choice("2 please", Asked(GAME, (), TODAY)) is None


SUGGESTED = [
    *("2 sounds good", "I think 2", "I took 2", "Anna takes 2", "2 is bad"),
    *("dice 2", "Lieber die 2"),
    *("not 3 but 2", "nicht 3 sondern 2", "no 3, 2", "3. no wait, 2", "3, nein 2", "3\nno, 2"),
]
NOT_SUGGESTED = [
    *("not 2", "nicht 2", "2 or 3", "2 und 3", "2?", "if Anna passes, 2", "2 unless Ben takes it"),
    *("2 days", "2 Tage", "2 Uhr", "2. Juli", "2x", "2/3", "+2", "-2", "2.5", "2 👎"),
    *("quizás la 2", "la 2 no", "give me a second", "a second please", "das erste Mal", "3 then 2"),
]


@pytest.mark.parametrize("text", SUGGESTED)
def test_one_choice_beside_other_words_is_suggested(text: str) -> None:
    with pytest.raises(Unclear) as caught:
        read(text)
    assert caught.value.suggestion == Play(((CHOICES[1],),))


@pytest.mark.parametrize("text", NOT_SUGGESTED)
def test_what_speaks_against_a_choice_leaves_no_suggestion(text: str) -> None:
    with pytest.raises(Unclear) as caught:
        read(text)
    assert caught.value.suggestion is None


def test_the_last_is_a_position_and_the_best_a_judgement() -> None:
    for text in ("the last one", "die letzte bitte", "la última"):
        assert read(text) == [Play(((CHOICES[-1],),))]
        many = [*CHOICES, *CHOICES]
        with pytest.raises(Unclear):
            read_commands(text, GAME, many, TODAY)
    with pytest.raises(Unclear) as caught:
        read("the best one")
    assert caught.value.suggestion == Play(((CHOICES[0],),))


@pytest.mark.parametrize("text", SECOND)
@pytest.mark.parametrize(
    "against", ["{} not", "not {}", "{}?", "{} or 3", "{}, 3 and 4", "nicht {}"]
)
def test_a_denial_a_question_or_a_second_number_is_never_played(text: str, against: str) -> None:
    with pytest.raises(Unclear):
        read(against.format(text))


def test_a_verb_that_could_be_a_move_is_asked_back() -> None:
    game, choices = game_type_by_key("murano"), ("take 2", "take 3", "take 1")
    for text in ("I take 3", "Ich nehme die 3", "I'll take 3 please"):
        with pytest.raises(Unclear) as caught:
            read_commands(text, game, choices, TODAY)
        assert caught.value.code == "ambiguous"
        assert (caught.value.facts["first"], caught.value.facts["second"]) == ("take 1", "take 3")
    assert read_commands("3 please", game, choices, TODAY) == [Play((("take 1",),))]


def test_no_word_that_says_nothing_denies_or_asks() -> None:
    known = choice_words.FILLERS | choice_words.CHOOSING | number_words.ARTICLES
    against = {
        *("not", "no", "don't", "never", "or", "but", "if", "maybe", "except", "without"),
        *("nicht", "kein", "keine", "nein", "oder", "aber", "wenn", "falls", "vielleicht", "ohne"),
        *("o", "pero", "si", "quizas", "nunca", "menos", "sin", "excepto", "ninguna"),
    }
    assert not known & (against | choice_words.DENIALS | choice_words.DOUBTS)
