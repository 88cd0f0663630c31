"""What is said in every language, whatever the game."""

import pytest

from engine.languages import LANGUAGES, join_words, nearest_language


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_of_fewer_than_two_names_need_no_conjunction(language: str) -> None:
    assert join_words([], language) == ""
    assert join_words(["Anna"], language) == "Anna"


@pytest.mark.parametrize(
    ("language", "names", "together"),
    [
        ("en", ["Anna", "Ben"], "Anna and Ben"),
        ("en", ["Anna", "Ben", "Inés"], "Anna, Ben and Inés"),
        ("de", ["Anna", "Ben", "Inés"], "Anna, Ben und Inés"),
        ("es", ["Anna", "Ben"], "Anna y Ben"),
        ("es", ["Anna", "Inés"], "Anna e Inés"),
        ("es", ["Anna", "Hilario"], "Anna e Hilario"),
        ("es", ["cobre", "hierro"], "cobre y hierro"),
        ("es", ["Anna", "Yolanda"], "Anna y Yolanda"),
        ("es", ["Anna", "Iago"], "Anna y Iago"),
    ],
)
def test_names_are_listed_with_a_conjunction(
    language: str, names: list[str], together: str
) -> None:
    assert join_words(names, language) == together


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [("de-AT", "de"), ("ES_mx", "es"), ("en", "en"), ("fr", "en"), ("", "en")],
)
def test_a_language_tag_maps_to_the_nearest_language(asked: str, spoken: str) -> None:
    assert nearest_language(asked) == spoken
