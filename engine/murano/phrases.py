"""Phrases of sentences, labels and boards."""

from collections.abc import Mapping
from functools import cache, lru_cache

from engine.languages import join_words
from engine.murano.moves import BEADS, BOUGHT
from engine.murano.names import stack_names, tile_names, translation
from engine.toolkit.texts import count_points


@lru_cache(maxsize=1000)
def points_words(points: int, language: str) -> str:
    """A number of points, as `6 points` or `minus 4 points`."""
    return count_points(translation(language), points)


@lru_cache(maxsize=1000)
def gold_words(gold: int, language: str) -> str:
    """An amount of gold, as `6 gold`."""
    return translation(language).gettext("%(gold)d gold") % {"gold": gold}


@lru_cache(maxsize=1000)
def counted(what: str, count: int, language: str) -> str:
    """A number of things as the object of a sentence: `2 red customers`. Keys are the names of
    buildings and crests, the colours of customers, and `red bead`."""
    catalogue = translation(language)
    texts = {
        "shop": catalogue.ngettext("%(count)d shop", "%(count)d shops", count),
        "palace": catalogue.ngettext("%(count)d palace", "%(count)d palaces", count),
        "glassworks": catalogue.ngettext("%(count)d glassworks", "%(count)d glassworks", count),
        "special": catalogue.ngettext(
            "%(count)d special building", "%(count)d special buildings", count
        ),
        "crest": catalogue.ngettext("%(count)d crest", "%(count)d crests", count),
        "red": catalogue.ngettext("%(count)d red customer", "%(count)d red customers", count),
        "blue": catalogue.ngettext("%(count)d blue customer", "%(count)d blue customers", count),
        "grey": catalogue.ngettext("%(count)d grey customer", "%(count)d grey customers", count),
        "bead": catalogue.ngettext("%(count)d bead", "%(count)d beads", count),
        "red bead": catalogue.ngettext("%(count)d red bead", "%(count)d red beads", count),
        "blue bead": catalogue.ngettext("%(count)d blue bead", "%(count)d blue beads", count),
        "green bead": catalogue.ngettext("%(count)d green bead", "%(count)d green beads", count),
    }
    return texts[what] % {"count": count}


def bead_words(beads: Mapping[str, int], language: str) -> str:
    """Beads as `1 red bead and 2 green beads`; empty without any."""
    parts = [counted(f"{name} bead", beads[name], language) for name in BEADS if beads.get(name)]
    return join_words(parts, language)


@cache
def several(language: str) -> Mapping[str, str]:
    """Plurals of the things that characters count, without a number."""
    _ = translation(language).gettext
    return {
        **{tile: stack_names(language)[tile] for tile in BOUGHT},
        "crest": _("crests"),
        "red": _("red customers"),
        "blue": _("blue customers"),
        "grey": _("grey customers"),
    }


def tile_words(tile: str, kind: str, language: str) -> str:
    """A tile as the object of a sentence: `a red shop`, or `a shop` if its kind is not said."""
    return _tiles(language)[tile, kind]


@cache
def _tiles(language: str) -> Mapping[tuple[str, str], str]:
    _ = translation(language).gettext
    return {
        ("shop", ""): _("a shop"),
        ("shop", "red"): _("a red shop"),
        ("shop", "blue"): _("a blue shop"),
        ("shop", "grey"): _("a grey shop"),
        ("palace", ""): _("a palace"),
        ("palace", "1"): _("a palace with 1 crest"),
        ("palace", "2"): _("a palace with 2 crests"),
        ("palace", "3"): _("a palace with 3 crests"),
        ("glassworks", ""): _("a glassworks"),
        ("special", ""): _("a special building"),
    }


def short_tile_words(tile: str, kind: str, language: str) -> str:
    """A tile as it stands on a button: `red shop`."""
    return _short_tiles(language)[tile, kind]


@cache
def _short_tiles(language: str) -> Mapping[tuple[str, str], str]:
    _ = translation(language).gettext
    return {
        ("shop", "red"): _("red shop"),
        ("shop", "blue"): _("blue shop"),
        ("shop", "grey"): _("grey shop"),
        ("palace", "1"): _("palace, 1 crest"),
        ("palace", "2"): _("palace, 2 crests"),
        ("palace", "3"): _("palace, 3 crests"),
        ("glassworks", ""): tile_names(language)["glassworks"],
        ("special", ""): tile_names(language)["special"],
    }


@cache
def street_words(language: str) -> Mapping[str, str]:
    """The attribute of a street by its kind, as `with a red customer`."""
    _ = translation(language).gettext
    return {
        "blank": _("without customers"),
        "red": _("with a red customer"),
        "blue": _("with a blue customer"),
        "grey": _("with a grey customer"),
        "red+red": _("with two red customers"),
        "blue+blue": _("with two blue customers"),
        "grey+grey": _("with two grey customers"),
        "red+blue": _("with a red and a blue customer"),
        "red+grey": _("with a red and a grey customer"),
        "blue+grey": _("with a blue and a grey customer"),
    }
