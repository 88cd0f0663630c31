"""Languages: catalogues are found, and what they lack is said in English."""

from pathlib import Path

import pytest

from engine.languages import ENGLISH, LANGUAGES, load_translation, nearest_language

HEAD = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "one.po").write_text(HEAD + 'msgid "Board"\nmsgstr "Spielplan"\n')
    (tmp_path / "de" / "two.po").write_text(
        HEAD
        + 'msgid "%(n)d point"\nmsgid_plural "%(n)d points"\n'
        + 'msgstr[0] "%(n)d Punkt"\nmsgstr[1] "%(n)d Punkte"\n'
    )
    (tmp_path / "es.po").write_text(HEAD + 'msgid "Board"\nmsgstr "Tablero"\n')
    return tmp_path


def test_all_catalogues_of_a_language_are_one(folder: Path) -> None:
    german = load_translation(folder, "de")
    assert german.gettext("Board") == "Spielplan"
    assert german.ngettext("%(n)d point", "%(n)d points", 1) == "%(n)d Punkt"
    assert german.ngettext("%(n)d point", "%(n)d points", 7) == "%(n)d Punkte"
    assert load_translation(folder, "es").gettext("Board") == "Tablero"


def test_missing_translations_fall_back_to_english(folder: Path) -> None:
    assert load_translation(folder, ENGLISH).gettext("Board") == "Board"
    assert load_translation(folder, "es").gettext("Hand") == "Hand"
    assert (
        load_translation(folder, "es").ngettext("%(n)d point", "%(n)d points", 2) == "%(n)d points"
    )


@pytest.mark.parametrize(
    ("tag", "language"),
    [("de", "de"), ("de-AT", "de"), ("ES_mx", "es"), ("en-GB", "en"), ("fr", "en"), ("", "en")],
)
def test_a_language_tag_maps_to_the_nearest_language(tag: str, language: str) -> None:
    assert nearest_language(tag) == language
    assert language in LANGUAGES
