"""Names and titles that can be seen and read.

Invisible characters make a name that looks empty, or like the name of another person.
"""

import unicodedata

# Letters and marks that show nothing: Hangul and braille fillers, a joiner of marks, Khmer and
# Mongolian signs without a form of their own.
FILLERS = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, 0xFFA0),
    )
)
# They choose between forms of a letter; most letters have one form only.
VARIATIONS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Joiners: part of emoji and of some scripts, so that titles may have them.
JOINERS = frozenset("\u200c\u200d")


def is_invisible(char: str) -> bool:
    """Whether a character shows nothing by itself."""
    return unicodedata.category(char) == "Cf" or char in FILLERS


def is_visible_name(name: str) -> bool:
    """Whether this can be the name of a person: nothing invisible, and a letter or number."""
    return not any(is_invisible(char) or char in VARIATIONS for char in name) and any(
        unicodedata.category(char)[0] in "LN" for char in name
    )


def is_visible_text(text: str) -> bool:
    """Whether a line shows what it says: nothing invisible but joiners, and something visible."""
    return not any(is_invisible(char) and char not in JOINERS for char in text) and any(
        unicodedata.category(char)[0] in "LNPS" for char in text
    )
