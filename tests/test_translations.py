"""The catalogues say everything in every language, and nothing that nobody says."""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_file
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from engine.languages import ENGLISH, LANGUAGES

HOUSE = Path(__file__).parents[1]
FOREIGN = [language for language in LANGUAGES if language != ENGLISH]
# What speaks: a folder of code and templates whose catalogues are in its folder `translations`.
SPEAKERS = [
    *sorted(str(path.parent.relative_to(HOUSE)) for path in HOUSE.glob("engine/*/translations")),
    "service",
]
# `say` is what the service calls the function that looks a text up.
KEYWORDS = DEFAULT_KEYWORDS | {"say": None}
# Tables of texts that are looked up later, by module.
TABLES = {"service.inbound.wording": ("REFUSALS", "COMMAND_WORDS", "MAIL_CHOICES")}
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[a-z%]")

# A text to translate: one, or its singular and plural.
Said = tuple[str, ...]


class Entry(NamedTuple):
    """What a catalogue says for a text."""

    said: Said
    context: str
    strings: tuple[str, ...]
    fuzzy: bool
    where: str


def texts_in(sources: Path) -> dict[Said, str]:
    """All that the code and the templates in a folder mark for translation, and where."""
    found: dict[Said, str] = {}
    for path in sorted(sources.rglob("*.py")):
        for _, text, _, _ in extract_from_file("python", path, keywords=KEYWORDS):
            found.setdefault(_texts(text), path.name)
        found |= {(text,): path.name for text in _texts_of_tables(path)}
    for path in sorted(path for path in sources.rglob("templates/**/*") if path.is_file()):
        with path.open("rb") as file:
            options: Any = {"silent": "false", "trimmed": "true"}
            for _, function, parts, _ in babel_extract(file, list(KEYWORDS), [], options):
                texts = _texts(parts)
                found.setdefault(texts[1:] if "pgettext" in function else texts, path.name)
    return found


def _texts(text: Any) -> Said:
    return (text,) if isinstance(text, str) else tuple(part for part in text if part)


def _texts_of_tables(path: Path) -> Iterator[str]:
    if path.is_relative_to(HOUSE):
        module = ".".join(path.relative_to(HOUSE).with_suffix("").parts)
        for table in TABLES.get(module, ()):
            yield from _strings(getattr(import_module(module), table))


def _strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    else:
        for item in table.values() if isinstance(table, Mapping) else table:
            yield from _strings(item)


def catalogue(speaker: str, language: str) -> Iterator[Entry]:
    folder = HOUSE / speaker / "translations"
    for path in [folder / f"{language}.po", *sorted((folder / language).glob("*.po"))]:
        if not path.exists():
            continue
        with path.open("rb") as file:
            for message in read_po(file, locale=language, abort_invalid=True):
                if message.id:
                    texts, where = _texts(message.id), f"{path.relative_to(HOUSE)}: {message.id}"
                    strings = _texts(message.string or "")
                    yield Entry(texts, message.context or "", strings, message.fuzzy, where)


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("speaker", SPEAKERS)
def test_everything_is_said_in_every_language_and_nothing_else(speaker: str, language: str) -> None:
    marked = texts_in(HOUSE / speaker)
    entries = list(catalogue(speaker, language))
    known = {entry.said for entry in entries}
    assert marked, "nothing is said at all"
    assert [f"{where}: {said[0]}" for said, where in marked.items() if said not in known] == []
    assert [entry.where for entry in entries if entry.said not in marked] == []


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("speaker", SPEAKERS)
def test_a_translation_is_there_and_keeps_the_facts(speaker: str, language: str) -> None:
    for entry in catalogue(speaker, language):
        assert not entry.fuzzy, entry.where
        assert len(entry.strings) == len(entry.said), entry.where
        for text, string in zip(entry.said, entry.strings):
            assert string.strip(), entry.where
            assert placeholders(string) == placeholders(text), entry.where
            assert string[:1].isspace() == text[:1].isspace(), entry.where
            assert string[-1:].isspace() == text[-1:].isspace(), entry.where


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("speaker", SPEAKERS)
def test_no_text_is_said_in_two_ways(speaker: str, language: str) -> None:
    seen: dict[tuple[str, Said], Entry] = {}
    for entry in catalogue(speaker, language):
        first = seen.setdefault((entry.context, entry.said), entry)
        assert first.strings == entry.strings, f"{first.where} and {entry.where}"


def test_a_marked_text_is_found_in_code_and_in_templates(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "code.py").write_text('say("one")\nx.ngettext("%(n)d a", "%(n)d b", 2)\n')
    (tmp_path / "templates" / "page.html").write_text(
        "{{ _('two') }}{{ pgettext('here', 'three') }}"
        "{% trans name=x %}Hello\n  {{ name }}{% endtrans %}"
        "{% trans count=n %}{{ count }} day{% pluralize %}{{ count }} days{% endtrans %}"
    )
    assert set(texts_in(tmp_path)) == {
        ("one",),
        ("%(n)d a", "%(n)d b"),
        ("two",),
        ("three",),
        ("Hello %(name)s",),
        ("%(count)s day", "%(count)s days"),
    }
