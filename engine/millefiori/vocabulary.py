"""Vocabulary: words of written answers in all languages, with their meaning in the notation.

Answers may mix languages: a word has the same meaning in all of them. Case, accents and spaces do
not matter, and umlauts may be spelled out: `Löwe-2`, `lowe-2` and `loewe 2` are one card.
"""

import re
from collections.abc import Iterator

from engine.millefiori.board import PLACE_NAME
from engine.millefiori.cards import CARD
from engine.toolkit.spelling import replace_phrases, spellings, split_words

# Words of the notation with their spellings.
_SPELLINGS = {
    # Verbs
    "keep": (
        "keep keeping behalte behalten behält conserva conservar conservo guarda guardar guardo"
    ),
    "then": "then dann danach luego después entonces",
    "sail": "sail sails sailing segle segeln segel segelt navega navegar navego zarpa zarpar",
    "discard": "discard abwerfen abwurf descarta descartar descarto",
    "decline": (
        "decline leave ablehnen verzichte verzichten lass lasse lassen "
        "rechaza rechazar rechazo renuncia renunciar renuncio deja dejar dejo"
    ),
    "route": "route handelsroute ruta",
    # Symbols
    "quartz": "quartz quarz cuarzo",
    "ash": "ash ashes asche ceniza cenizas",
    "lime": "lime kalk cal",
    "pigments": "pigments pigment pigmente pigmentos pigmento",
    "key": "key keys schlüssel llave llaves",
    "coin": "coin coins münze münzen moneda monedas",
    "lion": "lion lions löwe löwen león leones",
    "cross": "cross crosses kreuz kreuze cruz cruces",
    "fish": "fish fisch fische pescado pescados pez",
    "shell": "shell shells muschel muscheln concha conchas",
    "crab": "crab crabs krebs krebse krabbe krabben cangrejo cangrejos",
    "glasses": "glasses glass gläser glas cristalería",
    "carafes": "carafes carafe karaffen karaffe vasijas vasija",
    "jewelry": "jewelry jewellery jewels jewel schmuck joyería joyas joya",
    "swans": "swans swan schwäne schwan cisnes cisne",
    "ship": "ship ships schiff schiffe barco barcos",
    # Areas
    "workshops": "workshops workshop werkstätten werkstatt talleres taller",
    "residences": "residences residence residenzen residenz residencias residencia",
    "nobili": "nobili nobles",
    "populi": "populi pueblo",
    "trade": "trade handel comercio",
    "harbor": "harbor harbour hafen puerto",
    # Preferences lists
    "else": "else otherwise sonst ansonsten andernfalls sino",
    "highest": (
        "highest high higher hoch höchste höchster höchstes höchsten hohe hohes "
        "alto alta altos altas máximo máxima"
    ),
    "lowest": (
        "lowest low lower niedrig niedrigste niedrigster niedrigstes niedrigsten niedrige tief "
        "tiefste bajo baja bajos bajas mínimo mínima"
    ),
    "any": "any anything beliebig beliebige egal irgendeine irgendwas cualquiera cualquier",
    # Filler words
    "": (
        "play place put to on at with and the a an extra card number "
        "spiele spielen lege legen nach auf zu mit und die der das karte zusatzkarte liegen zahl "
        "juega jugar juego coloca colocar en con y el la los las carta adicional número más llano"
    ),
}
# Phrases with a meaning of their own; longer ones first.
_PHRASES = {
    ("o", "si", "no"): "else",
    ("si", "no"): "else",
    ("or", "else"): "else",
    ("oder", "sonst"): "else",
    ("trade", "route"): "route",
    ("ruta", "comercial"): "route",
}
_LONGEST_PHRASE = max(map(len, _PHRASES))

_PIECES = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_PLACE_LETTERS = frozenset(name[0].lower() for name in PLACE_NAME if name != "route")


_NOTATION = {"keep", "then", "sail", "discard", "decline", *PLACE_NAME, *CARD}


def all_spellings() -> Iterator[tuple[str, str]]:
    """Every known word in every spelling, with its meaning."""
    for meaning, words in _SPELLINGS.items():
        for word in words.split():
            yield from ((spelling, meaning) for spelling in spellings(word))


MEANING = dict(all_spellings())


def understood(text: str) -> list[str]:
    """The text in the words of the notation, as `["keep", "quartz-3", "then", "W8"]`.

    Filler words are left out. An unknown word stays as it was written, so that the text is no move.
    """
    words = text.split()
    if _NOTATION.issuperset(words):  # the form of programs, the most frequent one
        return words
    return replace_phrases(split_words(text, _PIECES), _first, _LONGEST_PHRASE)


def _first(pieces: list[str]) -> tuple[int, str]:
    """The number of pieces that belong together at the start, and their meaning."""
    for phrase, meaning in _PHRASES.items():
        if pieces[: len(phrase)] == list(phrase):
            return len(phrase), meaning
    word = pieces[0]
    meaning = MEANING.get(word, word)
    if len(pieces) > 1 and pieces[1].isdecimal():
        if f"{meaning}-{pieces[1]}" in CARD:
            return 2, f"{meaning}-{pieces[1]}"
        if word in _PLACE_LETTERS:
            return 2, f"{word.upper()}{pieces[1]}"
    return 1, meaning
