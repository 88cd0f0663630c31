"""The languages people are spoken to in, and catalogues of what is said in them.

The text in the code is English; a catalogue (`<language>.po`, or several in a folder
`<language>/`) says it in another language. What is missing there is said in English. The tests
see to it that nothing is missing.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

ENGLISH = "en"
# By the name that speakers of a language have for it.
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "de": "Deutsch", "es": "Español"}

_AND: Mapping[str, str] = {ENGLISH: "and", "de": "und", "es": "y"}
_SOUNDS_LIKE_Y = re.compile("h?[ií](?![aeo])", re.IGNORECASE)


def known(language: str) -> str:
    """The nearest language that we speak to a tag such as `de-AT`."""
    primary = language.lower().replace("_", "-").split("-")[0]
    return primary if primary in LANGUAGES else ENGLISH


def listed(names: Sequence[str], language: str) -> str:
    """As `quartz-3, ash-1 and key-2`. Spanish says `Ana e Inés`."""
    if len(names) < 2:
        return "".join(names)
    *most, last = names
    between = "e" if language == "es" and _SOUNDS_LIKE_Y.match(last) else _AND[language]
    return f"{', '.join(most)} {between} {last}"


@cache
def words(folder: Path, language: str) -> NullTranslations:
    """What the catalogues in this folder say in a language; in English the text itself."""
    files = [folder / f"{language}.po", *sorted((folder / language).glob("*.po"))]
    return _compiled([path for path in files if path.exists()], language)


def _compiled(files: list[Path], language: str) -> NullTranslations:
    if not files:
        return NullTranslations()
    # Only here: who plays in English needs nothing but the standard library.
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    together = Catalog(locale=language)
    for path in files:
        with path.open("rb") as file:
            for message in read_po(file, locale=language):
                if message.id:
                    together.add(message.id, message.string, context=message.context)
    compiled = BytesIO()
    write_mo(compiled, together)
    compiled.seek(0)
    return GNUTranslations(compiled)


def translation_beside(module: str, language: str) -> NullTranslations:
    """What the folder `translations` beside a module (its `__file__`) says in a language."""
    return words(Path(module).with_name("translations"), language)
