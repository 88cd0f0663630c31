"""Normal form of text, so that equal-looking text is equal: NFKC, plain blanks, quotes and dashes,
lines that end with a newline.

Invisible characters are removed at the ends of a line. Inside of one they stay, and no number or
move is read with them: "1" and "2" around an invisible character are unclear.
"""

import unicodedata

_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
_AT_ENDS = " \t" + _INVISIBLE
_UNKNOWN = "\ufffd"
_LINE_ENDS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
_FOLDED = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u2039\u203a"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043"), "-"),
    **dict.fromkeys(map(ord, "\t\u00a0\u1680\u202f\u205f\u3000"), " "),
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    0xBA: "\u00b0",  # "nº", of which NFKC would make "no"
}
_CONTROLS = {code: _UNKNOWN for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x0A}
# Before NFKC, which would turn some of them into a blank and an accent.
_BEFORE = {**_CONTROLS, **_FOLDED, **_LINE_ENDS}
# Letters with a stroke or the like, which have no decomposition.
_BARE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d"})
# Longer lines are cut: NFKC sorts the accents of a letter in quadratic time.
LONGEST_LINE = 4000


def plain(text: str) -> str:
    """The text in its plain form, without blank lines at its ends."""
    text = text.replace("\r\n", "\n").translate(_BEFORE)
    lines = [_shortened(line) for line in text.split("\n")]
    text = unicodedata.normalize("NFKC", "\n".join(lines)).translate(_FOLDED)
    return "\n".join(line.strip(_AT_ENDS) for line in text.split("\n")).strip("\n")


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + _UNKNOWN


def one_line(text: str) -> str:
    """The text in its plain form on a single line."""
    return " ".join(plain(text).split())


def folded(text: str) -> str:
    """The form in which words are compared: lower case, `ae` for `ä`, no accents, single blanks."""
    text = text.casefold().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return " ".join(without_accents(text).split())


def without_accents(text: str) -> str:
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text.translate(_BARE))
    return "".join(part for part in parts if not unicodedata.combining(part))
