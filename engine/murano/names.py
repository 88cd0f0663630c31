"""Catalogue, and the names of things in a language.

Islands and people keep their own names, places their codes.
"""

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations

from engine.languages import ENGLISH
from engine.murano.board import Board, board_cache, boards
from engine.toolkit.translation import game_translation


@cache
def translation(language: str) -> NullTranslations:
    """The catalogue of a language."""
    return game_translation(__file__, language)


@cache
def tile_names(language: str) -> Mapping[str, str]:
    """The sorts of tiles by key, as `shop`."""
    _ = translation(language).gettext
    return {
        "street": _("street"),
        "shop": _("shop"),
        "palace": _("palace"),
        "glassworks": _("glassworks"),
        "special": _("special building"),
    }


@cache
def stack_names(language: str) -> Mapping[str, str]:
    """The names of the stacks by sort, as `shops`."""
    catalogue = translation(language)
    _ = catalogue.gettext
    return {
        "street": _("streets"),
        "shop": _("shops"),
        "palace": _("palaces"),
        "glassworks": catalogue.pgettext("several", "glassworks"),
        "special": _("special buildings"),
        "characters": _("characters"),
        "special_cards": _("special cards"),
    }


@cache
def action_names(language: str) -> Mapping[str, str]:
    """The actions of the ring."""
    _ = translation(language).gettext
    return {
        "gold": _("take gold"),
        "glassworks": _("buy a glassworks"),
        "shop": _("buy a shop"),
        "palace": _("buy a palace"),
        "special": _("buy a special building"),
        "recruit": _("recruit a character"),
        "gondolier": _("place a gondolier"),
        "build": _("build"),
        "income": _("income"),
        "production": _("production"),
        "crew": _("hire or dismiss"),
    }


@cache
def card_names(language: str) -> Mapping[str, str]:
    """The special cards."""
    _ = translation(language).gettext
    return {
        "bank": _("bank"),
        "inn": _("inn"),
        "harbour-tavern": _("harbour tavern"),
        "crane-noble": _("crane for palaces"),
        "crane-trade": _("crane for shops"),
        "harbour": _("harbour"),
        "guild-hall": _("guild hall"),
        "hostel": _("hostel"),
        "basilica": _("basilica"),
        "studio-red-green": _("red-green studio"),
        "studio-blue-green": _("blue-green studio"),
        "studio-red-blue": _("red-blue studio"),
        "counting-house": _("counting house"),
        "lighthouse": _("lighthouse"),
        "assembly-hall": _("assembly hall"),
    }


@cache
def colour_names(language: str) -> Mapping[str, str]:
    """Colours of customers, shops, beads, players and docks."""
    _ = translation(language).gettext
    return {
        "red": _("red"),
        "blue": _("blue"),
        "grey": _("grey"),
        "green": _("green"),
        "white": _("white"),
        "brown": _("brown"),
        "orange": _("orange"),
    }


def colour_name(colour: str, language: str) -> str:
    """The name of a colour; a board may have player colours without a translation."""
    return colour_names(language).get(colour, colour)


def island_name(code: str, board: Board | None = None) -> str:
    """The name of an island; without a board its code if boards differ."""
    if board is not None:
        return next(island.name for island in board.islands if island.code == code)
    return _island_names().get(code, code)


@board_cache
def _island_names() -> Mapping[str, str]:
    """Names by code that all boards share."""
    found: dict[str, set[str]] = {}
    for board in boards().values():
        for island in board.islands:
            found.setdefault(island.code, set()).add(island.name)
    return {code: names.pop() for code, names in found.items() if len(names) == 1}


@cache
def cause_names(language: str) -> Mapping[str, str]:
    """All causes of points."""
    _ = translation(language).gettext
    return {
        "build": _("building"),
        "production": _("production"),
        "special": _("special card"),
        "character": _("character"),
        "gondolier": _("unused gondoliers"),
    }


def cause(cause: str, language: str = ENGLISH) -> str:
    """The cause of points in a word or two."""
    return cause_names(language)[cause]
