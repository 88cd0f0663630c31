"""Invisible characters, which make a name look empty or like the name of another person."""

import unicodedata

# Letters and marks that show nothing: Hangul and braille fillers, a joiner of marks, Khmer and
# Mongolian signs without a form of their own.
FILLERS = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, 0xFFA0),
    )
)
# Selectors of variant forms of a letter; most letters have one form.
VARIATIONS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Joiners: parts of emoji and some scripts, allowed in titles.
JOINERS = frozenset("\u200c\u200d")


def is_invisible(char: str) -> bool:
    """Whether a character is invisible by itself."""
    return unicodedata.category(char) == "Cf" or char in FILLERS


def is_visible_name(name: str) -> bool:
    """Whether a name has a letter or number and no invisible character."""
    return not any(is_invisible(char) or char in VARIATIONS for char in name) and any(
        unicodedata.category(char)[0] in "LN" for char in name
    )


def is_visible_text(text: str) -> bool:
    """Whether a line has visible characters, and no invisible ones but joiners."""
    return not any(is_invisible(char) and char not in JOINERS for char in text) and any(
        unicodedata.category(char)[0] in "LNPS" for char in text
    )
