"""Catalogues of a game type: its own texts first, then the texts that game types share."""

from functools import cache
from gettext import NullTranslations

from engine.languages import ENGLISH, translation_beside


@cache
def game_translation(module: str, language: str) -> NullTranslations:
    """The catalogue beside a module of a game type (its `__file__`).

    It looks up a text that it lacks in the catalogue of this package: a game type repeats a
    shared text only to translate it differently.
    """
    own = translation_beside(module, language)
    if language != ENGLISH:
        own.add_fallback(translation_beside(__file__, language))
    return own
