"""Quotes of older mails, told from text of the writer."""

import pytest

from service.mail.inbound.own_words import LONGEST_QUOTE, own_words
from service.mail.inbound.quote_stripper import split_quotes

LONG = "> 3. quartz-1 to W13: 2 points, fills the symbol: extra card and so on"
LONG_SENTENCE = "> You have until Thursday 6 November, 20:15 (2 days and 3 hours)."


@pytest.mark.parametrize("above", [LONG, LONG_SENTENCE])
@pytest.mark.parametrize("answer", ["2", "2.", "#2", "Nr. 2", "2 please", "Die 2", "quartz-1 W8"])
def test_an_answer_right_below_a_long_quoted_line_is_read(above: str, answer: str) -> None:
    expected = "" if above == LONG and answer[0].islower() else answer
    assert own_words(f"{above}\n{answer}\n").text == expected
    assert own_words(f"{above}\n{answer}\n\n> more").text == expected


def test_the_rest_of_a_quoted_line_is_no_answer() -> None:
    assert own_words(f"{LONG}\nwhich brings 4\n\n2").text == "2"
    assert own_words(f"{LONG}\n4\n> more\n\n2").text == "2"
    assert own_words(f"{LONG}\n[quartz-1 W13]\n\n2").text == "2"
    assert own_words(f"{LONG} [quartz-1\nW13]\n\n2").text == "2"


def test_quotes_are_kept_without_their_signs_in_order() -> None:
    split = split_quotes(["2", "> x 3. a", "> > 4. b", "", "5", "|c", "##- d", "e"])
    assert split.pieces == [["2"], ["", "5"], []]
    assert split.quote == ["x 3. a", "4. b", "c", "##- d", "e"]
    assert [(record.why, record.text) for record in split.taken] == [
        ("quote_signs", "> x 3. a\n> > 4. b"),
        ("quote_signs", "|c"),
        ("marker", "##- d\ne"),
    ]


def test_a_line_that_was_changed_without_a_sign_is_own_text() -> None:
    assert own_words("> 1. a\nX 2. b\n> 3. c").text == "X 2. b"


def test_a_long_quote_is_cut() -> None:
    own = own_words("2\n" + "> abcdefghi\n" * 3000)
    assert (own.text, len(own.quote)) == ("2", LONGEST_QUOTE - 1)
