"""What the service says to people, in the languages of `engine.languages`.

The English text stands in the code, the templates and the scripts; the catalogues are the files
`translations/<language>/*.po`, one for each part of the service.
"""

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations
from pathlib import Path

from babel.messages.pofile import read_po

from engine.languages import load_translation, nearest_language

CATALOGUES = Path(__file__).parent / "translations"
SCRIPTS = "scripts.po"  # what our scripts say


def translations_for(language: str) -> NullTranslations:
    """What speaks a language, or the nearest that we have: `gettext`, `ngettext` and so on."""
    return load_translation(CATALOGUES, nearest_language(language))


@cache
def script_words(language: str) -> Mapping[str, str | list[str]]:
    """What browsers need to say the texts of our scripts in a language: by the English text its
    translation, or by its singular both forms. Nothing for English."""
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
