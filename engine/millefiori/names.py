"""Catalogue, and the names of cards, areas and symbols in a language."""

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations

from engine.languages import ENGLISH
from engine.millefiori.cards import NAME, NUMBER, SYMBOL
from engine.toolkit.translation import game_translation


@cache
def translation(language: str) -> NullTranslations:
    """The catalogue of a language."""
    return game_translation(__file__, language)


@cache
def symbol_names(language: str) -> Mapping[str, str]:
    """The symbols of the cards by key, as `quartz`."""
    _ = translation(language).gettext
    return {
        "quartz": _("quartz"),
        "ash": _("ash"),
        "lime": _("lime"),
        "pigments": _("pigments"),
        "key": _("key"),
        "coin": _("coin"),
        "lion": _("lion"),
        "cross": _("cross"),
        "fish": _("fish"),
        "shell": _("shell"),
        "crab": _("crab"),
        "glasses": _("glasses"),
        "carafes": _("carafes"),
        "jewelry": _("jewelry"),
        "swans": _("swans"),
        "ship": _("ship"),
    }


@cache
def area_names(language: str) -> Mapping[str, str]:
    """The areas, the route and the bonus: all causes of points."""
    _ = translation(language).gettext
    return {
        "workshops": _("workshops"),
        "residences": _("residences"),
        "nobili": _("nobili"),
        "populi": _("populi"),
        "trade": _("trade"),
        "harbor": _("harbor"),
        "route": _("route"),
        "bonus": _("bonus"),
    }


@cache
def card_names(language: str) -> tuple[str, ...]:
    """The name of each card, as `quartz-3`, by card."""
    symbols = symbol_names(language)
    return tuple(f"{symbols[symbol]}-{number}" for symbol, number in zip(SYMBOL, NUMBER))


@cache
def _by_notation(language: str) -> Mapping[str, str]:
    return dict(zip(NAME, card_names(language)))


def card_name(notation: str, language: str) -> str:
    """The name of a card of the notation."""
    return _by_notation(language)[notation]


def place_name(place: str, language: str) -> str:
    """The name of a place: spaces have a code in every language, the route has a name."""
    return area_names(language)["route"] if place == "route" else place


def cause(cause: str, language: str = ENGLISH) -> str:
    """The cause of points in a word."""
    return area_names(language)[cause]
