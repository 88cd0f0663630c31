"""The catalogues say everything in every language, and nothing that nobody says."""

import ast
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
from engine.registry import GAME_TYPES
from service.core.errors import PROBLEM_TYPES

ROOT = Path(__file__).parents[1]
FOREIGN = [language for language in LANGUAGES if language != ENGLISH]
# What speaks: a folder of code and templates whose catalogues are in its folder `translations`, or
# in that of the folder which CATALOGUES names.
SPEAKERS = [
    *sorted(str(path.parent.relative_to(ROOT)) for path in ROOT.glob("engine/*/translations")),
    "service",
]
CATALOGUES = {"service": "service/core"}
SHARED = "engine/toolkit"  # texts of every game type
# `say` and `say_many` are the functions of the service that look a text up.
KEYWORDS = DEFAULT_KEYWORDS | {"say": None, "say_many": (1, 2)}
# Tables of texts that are looked up later, by module.
TABLES = {
    "service.api.errors": ("BY_STATUS",),
    "service.core.time_control": ("PRESET_TITLES",),
    "service.mail.inbound.reply_texts": ("REFUSALS", "COMMAND_WORDS", "MAIL_CHOICES", "RECEIPTS"),
    "service.core.http_client": ("NOWHERE",),
    "service.notify.preferences": ("TURNS", "REMINDER_WORDS"),
    "service.core.errors": ("PROBLEM_TYPES",),
    "service.access.scopes": ("SCOPES",),
    "service.notify.event_log": ("EVENT_TYPES",),
}
# Whose refusals only programs see, which read English.
FOR_PROGRAMS = re.compile(r"service/(api/(?!errors)|ops/|notify/waiting)")
# What our scripts mark, and the catalogue that a page hands on to them.
SCRIPT_KEYWORDS: dict[str, Any] = {"_": None, "pieces": None, "ngettext": (1, 2)}
SCRIPT_CALL = re.compile(r"""(?<![\w$.])(?:_|pieces|ngettext)\(\s*["'`]""")
SCRIPTS = "scripts.po"
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
        found |= {(text,): path.name for text in _refusals_in(path)}
    for path in sorted(path for path in sources.rglob("templates/**/*") if path.is_file()):
        with path.open("rb") as file:
            options: Any = {"silent": "false", "trimmed": "true"}
            for _, function, parts, _ in babel_extract(file, list(KEYWORDS), [], options):
                texts = _texts(parts or ())  # none: what is looked up stands in a table
                found.setdefault(texts[1:] if "pgettext" in function else texts, path.name)
    found.pop((), None)
    return found | texts_of_scripts(sources) | texts_of_game(sources.name)


def texts_of_game(key: str) -> dict[Said, str]:
    """What the game of this name says of itself before it is played."""
    found: list[str] = []
    for meta in (game.meta for game in GAME_TYPES if game.meta.key == key):
        meta.translated(lambda text: found.append(text) or text)  # type: ignore[func-returns-value]
    return {(text,): "meta" for text in found}


def texts_of_scripts(sources: Path) -> dict[Said, str]:
    """All that the scripts in a folder mark for translation, and where."""
    found: dict[Said, str] = {}
    for path in sorted(sources.rglob("static/*.js")):
        options = {"parse_template_string": True}
        texts = extract_from_file("javascript", path, keywords=SCRIPT_KEYWORDS, options=options)
        # In a template string it loses a call that has an object among its arguments.
        assert len(texts) == len(SCRIPT_CALL.findall(path.read_text())), f"not all of {path.name}"
        for _, text, _, _ in texts:
            found.setdefault(_texts(text), path.name)
    return found


def _refusals_in(path: Path) -> Iterator[str]:
    """The fixed sentences with which something is refused: pages look them up when they show
    them."""
    if FOR_PROGRAMS.match(path.as_posix().removeprefix(f"{ROOT.as_posix()}/")):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(
                ast.Name("Problem" | "invalid_field"), [_, ast.Constant(str(sentence)), *_]
            ):
                yield sentence
            case ast.Call(ast.Name("Unreachable" | "Forbidden"), [ast.Constant(str(sentence))]):
                yield sentence


def _texts(text: Any) -> Said:
    return (text,) if isinstance(text, str) else tuple(part for part in text if part)


def _texts_of_tables(path: Path) -> Iterator[str]:
    if path.is_relative_to(ROOT):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for table in TABLES.get(module, ()):
            texts = _strings(getattr(import_module(module), table))
            yield from (text for text in texts if text not in PROBLEM_TYPES)


def _strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif not isinstance(table, int):
        for item in table.values() if isinstance(table, Mapping) else table:
            yield from _strings(item)


def catalogue(speaker: str, language: str) -> Iterator[Entry]:
    folder = ROOT / CATALOGUES.get(speaker, speaker) / "translations"
    for path in [folder / f"{language}.po", *sorted((folder / language).glob("*.po"))]:
        if not path.exists():
            continue
        with path.open("rb") as file:
            for message in read_po(file, locale=language, abort_invalid=True):
                if message.id:
                    texts, where = _texts(message.id), f"{path.relative_to(ROOT)}: {message.id}"
                    strings = _texts(message.string or "")
                    yield Entry(texts, message.context or "", strings, message.fuzzy, where)


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("speaker", SPEAKERS)
def test_catalogues_have_every_text_and_no_other(speaker: str, language: str) -> None:
    marked = texts_in(ROOT / speaker)
    entries = list(catalogue(speaker, language))
    known = {entry.said for entry in entries}
    assert marked, "nothing is said at all"
    assert [f"{where}: {said[0]}" for said, where in marked.items() if said not in known] == []
    unused = [entry for entry in entries if entry.said not in marked]
    assert [entry.where for entry in unused if not overrides(entry, speaker, language)] == []


def overrides(entry: Entry, speaker: str, language: str) -> bool:
    """Whether a catalogue of a game type translates a shared text in a way of its own."""
    shared = {one.said: one.strings for one in catalogue(SHARED, language)}
    own = speaker.startswith("engine/") and speaker != SHARED
    return own and shared.get(entry.said, entry.strings) != entry.strings


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
def test_no_text_has_two_translations(speaker: str, language: str) -> None:
    seen: dict[tuple[str, Said], Entry] = {}
    for entry in catalogue(speaker, language):
        first = seen.setdefault((entry.context, entry.said), entry)
        assert first.strings == entry.strings, f"{first.where} and {entry.where}"


@pytest.mark.parametrize("language", FOREIGN)
def test_pages_embed_exactly_the_texts_of_their_scripts(language: str) -> None:
    marked = texts_of_scripts(ROOT / "service")
    assert marked, "no script says anything"
    own = {entry.said for entry in catalogue("service", language) if f"/{SCRIPTS}: " in entry.where}
    assert [f"{where}: {said[0]}" for said, where in marked.items() if said not in own] == []
    assert own - marked.keys() == set()


def test_a_marked_text_is_found_in_code_templates_and_scripts(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "page.js").write_text(
        'say(`${_("four")}`, _("five", { n }));\nngettext("%(n)d c", "%(n)d d", count, { n });\n'
    )
    (tmp_path / "code.py").write_text(
        'say("one")\nx.ngettext("%(n)d a", "%(n)d b", 2)\n'
        'Problem("not_found", "There " "is none.")\nProblem("not_found", f"{x} is none.")\n'
    )
    (tmp_path / "templates" / "page.html").write_text(
        "{{ _('two') }}{{ pgettext('here', 'three') }}"
        "{% trans name=x %}Hello\n  {{ name }}{% endtrans %}"
        "{% trans count=n %}{{ count }} day{% pluralize %}{{ count }} days{% endtrans %}"
    )
    assert set(texts_in(tmp_path)) == {
        ("one",),
        ("%(n)d a", "%(n)d b"),
        ("There is none.",),
        ("two",),
        ("three",),
        ("Hello %(name)s",),
        ("%(count)s day", "%(count)s days"),
        ("four",),
        ("five",),
        ("%(n)d c", "%(n)d d"),
    }
