"""Supported languages, and gettext catalogues.

Texts in the code are English. A catalogue (`<language>.po`, or several in a folder `<language>/`)
has their translations; gettext falls back to English. Tests keep the catalogues complete.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

ENGLISH = "en"
# By code, with the language's own name.
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "de": "Deutsch", "es": "Español"}

_AND: Mapping[str, str] = {ENGLISH: "and", "de": "und", "es": "y"}
_SOUNDS_LIKE_Y = re.compile("h?[ií](?![aeo])", re.IGNORECASE)


def nearest_language(language: str) -> str:
    """The supported language for a tag such as `de-AT`; English for any other."""
    primary = language.lower().replace("_", "-").split("-")[0]
    return primary if primary in LANGUAGES else ENGLISH


def join_words(names: Sequence[str], language: str) -> str:
    """A list as `quartz-3, ash-1 and key-2`; in Spanish `Ana e Inés`."""
    if len(names) < 2:
        return "".join(names)
    *most, last = names
    between = "e" if language == "es" and _SOUNDS_LIKE_Y.match(last) else _AND[language]
    return f"{', '.join(most)} {between} {last}"


@cache
def load_translation(folder: Path, language: str) -> NullTranslations:
    """The catalogues of this folder in a language, merged and compiled on first use."""
    files = [folder / f"{language}.po", *sorted((folder / language).glob("*.po"))]
    return _compiled([path for path in files if path.exists()], language)


def _compiled(files: list[Path], language: str) -> NullTranslations:
    if not files:
        return NullTranslations()
    # Imported here: English needs only the standard library.
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
    """The catalogues in the folder `translations` beside a module (its `__file__`)."""
    return load_translation(Path(module).with_name("translations"), language)
