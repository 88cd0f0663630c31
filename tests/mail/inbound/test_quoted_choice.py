"""Copied lines of the list, and choices that are marked in the quote."""

import pytest

from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Play, Unclear
from service.mail.inbound.copied_choice import copied_choices
from tests.mail.position import CHOICES, GAME, TODAY

PLACES = [choice.split()[1] for choice in CHOICES]
ENGLISH = [f"quartz-1 to {place}: {len(place)} points" for place in PLACES]
GERMAN = [f"Quarz-1 auf {place}: {len(place)} Punkte" for place in PLACES]
LINES = [f"{n}. {label} [{c}]" for n, (label, c) in enumerate(zip(ENGLISH, CHOICES), start=1)]
HEAD, END = ["Laguna wrote:", "Your choices, the best first"], ["Anna has 3 points."]


def read(text: str, quote: str = "", labels: list[str] = ENGLISH) -> list[Command]:
    return read_commands(text, GAME, CHOICES, TODAY, labels, quote)


def quoted(lines: list[str]) -> str:
    return "\n".join(f"> {line}" for line in [*HEAD, *lines, *END])


def asked_back(text: str, quote: str = "") -> Unclear:
    with pytest.raises(Unclear) as caught:
        read(text, quote)
    return caught.value


def second() -> list[Command]:
    return [Play(((CHOICES[1],),))]


@pytest.mark.parametrize(
    "text",
    [
        *(LINES[1], f"> {LINES[1]}"[2:], ENGLISH[1], "quartz-1 to W10", "QUARTZ-1 to w10."),
        *("2) quartz-1 to W10", "2 quartz-1 to W10: 3 points", f"Hi!\n{ENGLISH[1]}\nThanks, Anna"),
        *("Number 2 (W10)", "quartz-1 to W10:\n3 points"),
    ],
)
def test_a_copied_line_plays_its_choice(text: str) -> None:
    assert read(text) == second()


def test_a_line_is_copied_in_the_language_of_the_mail() -> None:
    assert read("2. Quarz-1 auf W10: 3 Punkte", labels=GERMAN) == second()
    assert read("Quarz-1 auf W10", labels=GERMAN) == second()


@pytest.mark.parametrize("text", ["quartz-1 to", "3. quartz-1 to W10", "not quartz-1 to W10"])
def test_a_line_that_is_not_clear_is_asked_back(text: str) -> None:
    asked_back(text)


def test_the_beginning_of_two_lines_is_no_choice() -> None:
    assert copied_choices("quartz-1 to", CHOICES, ENGLISH) == list(range(len(CHOICES)))
    assert copied_choices("quartz-1", CHOICES, ENGLISH) == []
    labels = ["Take red: 2 points", "Take red and blue: 3 points"]
    assert copied_choices("Take red", ["a", "b"], labels) == [0, 1]
    assert copied_choices("Take red and", ["a", "b"], labels) == [1]


@pytest.mark.parametrize("mark", ["X ", "x ", "✓ ", "✔ ", "-> ", "--> ", "* ", "[x] ", "→ "])
@pytest.mark.parametrize("text", ["", "Hi!", "see below", "siehe unten"])
def test_a_mark_at_one_line_of_the_quote_is_an_answer(mark: str, text: str) -> None:
    lines = [LINES[0], mark + LINES[1], *LINES[2:]]
    assert read(text, quoted(lines)) == second()
    assert read(text, "\n".join(lines)) == second()


@pytest.mark.parametrize(
    "lines",
    [
        LINES,
        [f"x {LINES[0]}", f"x {LINES[1]}", *LINES[2:]],
        [f"* {line}" for line in LINES],
        [f"*{LINES[0]}*", *LINES[1:]],
    ],
)
def test_no_mark_or_several_marks_are_no_answer(lines: list[str]) -> None:
    assert asked_back("", quoted(lines)).code == "empty"


def test_the_only_line_that_is_left_of_the_list_is_an_answer() -> None:
    assert read("", quoted([LINES[1]])) == second()
    assert asked_back("", quoted([LINES[1], "3. something else"])).suggestion is None
    for quote in (LINES[1], "\n".join([*HEAD, LINES[1]]), "\n".join([LINES[1], *END])):
        assert [asked_back("", quote).suggestion] == second()


def test_the_quote_is_not_read_beside_words_of_the_writer() -> None:
    marked = quoted([LINES[0], f"X {LINES[1]}", *LINES[2:]])
    assert read("3", marked) == [Play(((CHOICES[2],),))]
    assert asked_back("not sure yet", marked).suggestion is None
