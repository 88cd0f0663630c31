"""Vocabulary: words of written answers in all languages, with their meaning in the notation.

Answers may mix languages: a word has the same meaning in all of them. Case, accents and spaces do
not matter, and umlauts may be spelled out: `Glashütte`, `glashutte` and `glashuette` are one thing.
`in_order` puts the words of a move into the order of the notation.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.murano.board import board_cache, boards
from engine.murano.board_checks import ACTIONS, BEADS, CARDS, CUSTOMERS
from engine.toolkit.spelling import replace_phrases, spellings, split_words

# Words of the notation with their spellings.
_SPELLINGS = {
    # Verbs
    "sail": (
        "sail sails sailing segle segeln segel segelt fahre fahren fahr "
        "navega navegar navego zarpa zarpar zarpo"
    ),
    "pass": "pass passing passe passen passt pasa pasar paso",
    "buy": "buy buying kaufe kaufen kauf compra comprar compro",
    "search": "search durchsuche durchsuchen suche suchen busca buscar busco",
    "take": "take nimm nehme nehmen toma tomar tomo coge coger cojo",
    "recruit": "recruit recruiting anwerben werbe anwerbe recluta reclutar recluto",
    "choose": "choose wähle wählen elige elegir elijo escoge escoger escojo",
    "decline": (
        "decline ablehnen verzichte verzichten rechaza rechazar rechazo renuncia renunciar renuncio"
    ),
    "lay": "lay lege legen extiende extender extiendo tiende tender",
    "build": "build baue bauen bau construye construir construyo edifica edificar",
    "done": "done stop fertig aufhören listo terminado hecho",
    "produce": "produce produziere produzieren produce producir produzco",
    "sell": "sell verkaufe verkaufen vende vender vendo",
    "keep": "keep behalte behalten conserva conservar conservo guarda guardar guardo",
    "return": "return back zurück zurückgeben zurücklegen devuelve devolver devuelvo",
    "hire": "hire anheuern heuere contrata contratar contrato",
    "dismiss": "dismiss entlasse entlassen despide despedir despido",
    # Things
    "gold": "gold oro",
    "street": "street streets straße straßen calle calles",
    "shop": "shop shops laden läden tienda tiendas",
    "palace": "palace palaces palast paläste palacio palacios",
    "glassworks": "glassworks glashütte glashütten vidriería vidrierías",
    "special": "special specials sondergebäude especial especiales",
    "gondolier": "gondolier gondoliers gondoliere gondolieri gondolero gondoleros",
    "character": "character characters charakter charaktere personaje personajes",
    "income": "income einkommen ingreso ingresos",
    "production": "production produktion producción",
    "crew": "crew mannschaft tripulación",
    # Colours
    "red": "red rot rote roter rotes roten rotem rojo roja rojos rojas",
    "blue": "blue blau blaue blauer blaues blauen blauem azul azules",
    "grey": "grey gray grau graue grauer graues grauen grauem gris grises",
    "green": "green grün grüne grüner grünes grünen grünem verde verdes",
    "white": "white weiß weiße weißer weißes weißen weißem blanco blanca",
    "brown": "brown braun braune brauner braunes braunen braunem marrón",
    "orange": "orange orangen orangene orangenen naranja",
    # Special cards
    "bank": "bank banco",
    "inn": "inn wirtshaus mesón",
    "harbour-tavern": "hafenkneipe taberna",
    "harbour": "harbour harbor hafen puerto",
    "guild-hall": "zunfthalle",
    "hostel": "hostel herberge albergue",
    "basilica": "basilica basilika",
    "counting-house": "kontor contaduría",
    "lighthouse": "lighthouse leuchtturm faro",
    "assembly-hall": "versammlungshalle",
    # Counting
    "0": "nothing nichts nada",
    # Preferences lists
    "else": "else otherwise sonst ansonsten andernfalls sino",
    # Filler words
    "": (
        "place put draw let move to on at into with and the a an of them from top stack bag "
        "building tile tiles card bead beads crest crests dock ship one "
        "setze setzen setz einsetzen bewege ein eine einen einem ziehe ziehen zieh lass "
        "lasse lassen gib nach auf von vom zu mit und an die der das den dem in oben davon "
        "karte sonderkarte plättchen stapel beutel glasstein glassteine stein steine wappen "
        "anleger schiff coloca colocar coloco pon poner pongo roba robar robo haz en de del al con "
        "y e el la los las un una uno encima mueve mover carta ficha fichas pila bolsa cuenta "
        "cuentas escudo escudos muelle barco edificio edificios"
    ),
}
# Phrases with a meaning of their own.
_TOGETHER = {
    "else": ("o si no", "si no", "or else", "oder sonst"),
    "search": ("look through",),
    "decline": ("take none", "nimm keinen", "no tomes ninguno"),
    "done": (
        "build no more", "do not build it now", "baue nicht weiter", "baue es jetzt nicht",
        "no construyas más", "no lo construyas ahora",
    ),
    "keep": ("no vendas nada",),
    "produce 0": ("no produzcas nada",),
    "return": ("put back",),
    "harbour-tavern": ("harbour tavern", "harbor tavern", "taberna del puerto"),
    "guild-hall": ("guild hall", "casa gremial"),
    "counting-house": ("counting house",),
    "assembly-hall": ("assembly hall", "sala de asambleas"),
    "crane-noble": (
        "crane noble", "noble crane", "crane for palaces", "baukran für paläste",
        "grúa de palacios",
    ),
    "crane-trade": (
        "crane trade", "trade crane", "crane for shops", "baukran für läden", "grúa de tiendas",
    ),
    "studio-red-green": (
        "studio red green", "red green studio", "künstlerwerkstatt rot grün",
        "estudio rojo verde",
    ),
    "studio-blue-green": (
        "studio blue green", "blue green studio", "künstlerwerkstatt blau grün",
        "estudio azul verde",
    ),
    "studio-red-blue": (
        "studio red blue", "red blue studio", "künstlerwerkstatt rot blau", "estudio rojo azul",
    ),
    "": ("special card", "carta especial"),
}  # fmt: skip

_SPACE = r"[a-z]{2}-[a-z][1-9]"
_ANCHORAGE = r"a[1-9][0-9]?"
# A minus before a number is no separator: "produce -1" is not "produce 1".
_PIECES = re.compile(rf"(?<!\S)-\d+|\b(?:{_SPACE}|{_ANCHORAGE})\b|[^\W\d_]+|\d+|[^\w\s]|_")
_PLACE = re.compile(rf"{_SPACE}|{_ANCHORAGE}|\d+")


def all_spellings() -> Iterator[tuple[str, str]]:
    """Every known word in every spelling, with its meaning."""
    for meaning, words in _SPELLINGS.items():
        for word in words.split():
            yield from ((spelling, meaning) for spelling in spellings(word))


def phrases() -> Iterator[tuple[str, str]]:
    """Every known phrase in every spelling, with its meaning; islands have their names."""
    for meaning, together in _TOGETHER.items():
        for phrase in together:
            yield from ((spelling, meaning) for spelling in spellings(phrase))
    for board in boards().values():
        for island in board.islands:
            words = split_words(island.name, _PIECES)
            if len(words) > 1:  # a single word might mean something else
                yield " ".join(words), island.code.lower()


MEANING = dict(all_spellings())


class _OfBoards(NamedTuple):
    """Words that depend on the boards in use."""

    notation: frozenset[str]
    islands: frozenset[str]
    phrases: tuple[tuple[tuple[str, ...], str], ...]  # the longest first


@board_cache
def _of_boards() -> _OfBoards:
    docks = {dock.colour for board in boards().values() for dock in board.docks}
    islands = {island.code for board in boards().values() for island in board.islands}
    found = [(tuple(phrase.split()), meaning) for phrase, meaning in phrases()]
    return _OfBoards(
        frozenset({*filter(None, _SPELLINGS), *ACTIONS, *CARDS, *docks}),
        frozenset(islands),
        tuple(sorted(found, key=lambda item: -len(item[0]))),
    )


def understood(text: str) -> list[str]:
    """The text in the words of the notation and in lower case, as `["build", "shop", "red",
    "sd-a1"]`.

    Filler words are left out. An unknown word stays as it was written, so that the text is no move.
    """
    known = _of_boards()
    words = text.split()
    small = [word.lower() for word in words]
    if all(
        lower in known.notation or word in known.islands or _PLACE.fullmatch(lower)
        for word, lower in zip(words, small)
    ):  # the form of programs, the most frequent one
        return small
    return replace_phrases(split_words(text, _PIECES), _first, len(known.phrases[0][0]))


def _first(pieces: list[str]) -> tuple[int, str]:
    """The number of pieces that belong together at the start, and their meaning."""
    for phrase, meaning in _of_boards().phrases:
        if tuple(pieces[: len(phrase)]) == phrase:
            return len(phrase), meaning
    return 1, MEANING.get(pieces[0], pieces[0])


def in_order(words: list[str]) -> list[str]:
    """The words of a move in the order of the notation."""
    match words:
        case ["sail" | "pass" as kind, "red", start, to]:  # the red ship
            return [kind, start, to, "red"]
        case ["take", "gold"] | ["take", _, "gold"] | ["gold", "take"]:
            return ["gold"]
        case ["character", "recruit"] | ["recruit", "character"]:
            return ["recruit"]
        case ["choose" | "take", "character", number]:
            return ["choose", number]
        case ["take", card] if card in CARDS:
            return ["choose", card]
        case ["take", "shop" | "palace", kind] | ["take", kind, "shop" | "palace"]:
            return ["take", kind]
        case ["build", "street"]:
            return ["street"]
        case ["street", at] | ["lay", "street", at]:
            return ["lay", at]
        case ["build", kind, "shop" | "palace" as tile, at] if kind in (*CUSTOMERS, "1", "2", "3"):
            return ["build", tile, kind, at]
        case [tile, "buy" | "search" as kind] | ["search" as kind, tile, "take"]:
            return [kind, tile]
        case [count, "glassworks", "produce"] | ["produce", count, "glassworks"]:
            return ["produce", count]
        case ["production", count]:
            return ["produce", count]
        case ["sell", "0"]:
            return ["keep"]
        case ["sell", *parts]:
            return ["sell", *_colours_first(parts)]
        case [bead, "return"] | ["1", bead, "return"] | ["return", "1", bead] if bead in BEADS:
            return ["return", bead]
        case ["hire" | "dismiss" as kind, "gondolier"] | ["gondolier", "hire" | "dismiss" as kind]:
            return [kind]
    return words


def _colours_first(parts: list[str]) -> list[str]:
    """`3 green` as `green 3`."""
    pairs = list(zip(parts[::2], parts[1::2]))
    if len(parts) % 2 or not all(first.isdecimal() for first, _ in pairs):
        return parts
    return [word for count, colour in pairs for word in (colour, count)]
