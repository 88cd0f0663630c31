"""Translations of the service, in the languages of `engine.languages`.

The English texts are in the code, the templates and the scripts; the catalogues are the files
`translations/<language>/*.po`, one for each part of the service.
"""

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations
from pathlib import Path

from babel.messages.pofile import read_po

from engine.languages import load_translation, nearest_language

CATALOGUES = Path(__file__).parent / "translations"
SCRIPTS = "scripts.po"  # texts of scripts in the browser


def translations_for(language: str) -> NullTranslations:
    """The translations of a language, or of the nearest available one."""
    return load_translation(CATALOGUES, nearest_language(language))


@cache
def script_words(language: str) -> Mapping[str, str | list[str]]:
    """Translations for scripts, by the English text or its singular; empty for English."""
    path = CATALOGUES / language / SCRIPTS
    if not path.exists():
        return {}
    with path.open("rb") as file:
        found = [message for message in read_po(file, locale=language) if message.id]
    return {
        message.id if isinstance(message.id, str) else message.id[0]: (
            message.string if isinstance(message.string, str) else list(message.string or ())
        )
        for message in found
    }
