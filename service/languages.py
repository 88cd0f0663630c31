"""What the service says to people, in the languages of `engine.languages`.

The English text stands in the code and the templates; the catalogues are the files
`translations/<language>/*.po`, one for each part of the service.
"""

from gettext import NullTranslations
from pathlib import Path

from engine.languages import known, words

CATALOGUES = Path(__file__).parent / "translations"


def tongue(language: str) -> NullTranslations:
    """What speaks a language, or the nearest that we have: `gettext`, `ngettext` and so on."""
    return words(CATALOGUES, known(language))
