"""Written answers: folding of case, accents and umlauts, and phrases replaced by their meaning."""

import re
import unicodedata
from collections.abc import Callable, Iterator

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# Marks that may stand between words; any other makes a text unreadable.
_SEPARATORS = frozenset("-,.:;!'\"()[]*`")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")  # noqa: RUF001


def fold(word: str) -> str:
    """A word in lower case without accents, as `lowe` for `Löwe`."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def spellings(text: str) -> Iterator[str]:
    """The folded spellings of a text: without its umlauts, and with umlauts written as `ae`."""
    yield fold(text)
    spelled_out = text.translate(_UMLAUTS)
    if spelled_out != text:
        yield fold(spelled_out)


def split_words(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The folded words, numbers and marks that the pattern finds, without separators."""
    pieces = pattern.findall(fold(text.translate(_DASHES)))
    return [piece for piece in pieces if piece not in _SEPARATORS]


def replace_phrases(
    pieces: list[str], first: Callable[[list[str]], tuple[int, str]], longest: int
) -> list[str]:
    """The pieces in the words of the notation.

    `first` tells how many of up to `longest` pieces belong together at the start, and the words
    that they mean: none for a filler word, an unknown word itself.
    """
    words: list[str] = []
    start = 0
    while start < len(pieces):
        count, meaning = first(pieces[start : start + longest])
        start += count
        words += meaning.split()
    return words
