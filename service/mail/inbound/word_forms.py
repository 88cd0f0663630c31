"""Word tables: the forms in which words of replies are compared, and patterns made of phrases.

Words are compared in their folded form (`plain_text.folded`): `ä` may be written `ä`, `ae` or `a`.
"""

import re
from collections.abc import Iterable

from service.mail.inbound.plain_text import folded, without_accents

_AROUND = " .,;:!?()[]{}\"'*_`~\u201c\u201d\u201e\u00a1\u00bf\u2026"


def forms(words: Iterable[str]) -> frozenset[str]:
    """The folded forms of words, with both spellings of umlauts."""
    given = list(words)
    bare = [without_accents(word.casefold()) for word in given]
    return frozenset([*(folded(word) for word in given), *bare])


def any_of(phrases: Iterable[str]) -> str:
    """A pattern of any of these phrases, the longest first."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


def sentence_pattern(*tables: str, **words: str) -> re.Pattern[str]:
    """A pattern of whole sentences in folded form, of tables with one sentence a line.

    `(a|b)` is one of several words, `[a|b]` one of them or none, `[a|b]*` any number of them, `..`
    any words, `~` one word, and `?` follows a letter that may be missing. `{name}` stands for one
    of `words`. A comma may stand between two words.
    """
    lines = [line.strip() for table in tables for line in table.splitlines()]
    for name, meant in words.items():
        lines = [line.replace(f"{{{name}}}", f"({meant})") for line in lines]
    return re.compile("|".join(f"(?:{_pattern_of(line)})" for line in lines if line))


def matches(pattern: re.Pattern[str], spoken: str) -> re.Match[str] | None:
    """The match of a text in folded form with a pattern of `sentence_pattern`."""
    return pattern.fullmatch(f" {spoken}")


_PARTS = re.compile(r"\]\*|\.\.|[\[\]()|]|[^\s\[\]()|]+")
_SIGNS = {
    "]*": ")*",
    "[": "(?:",
    "(": "(?:",
    "]": ")?",
    ")": ")",
    "|": "|",
    "..": "( .+?)",
    "~": r",? [^\W\d_]+",
}


def _pattern_of(sentence: str) -> str:
    parts = _PARTS.findall(folded(sentence))
    return "".join(_SIGNS.get(part) or f",? {part}" for part in parts)


def bare(text: str) -> str:
    """The folded text without the punctuation at its ends."""
    return folded(text).strip(_AROUND)
