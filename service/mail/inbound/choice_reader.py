"""Reader of plain sentences that name one choice: "2 please", "Ich nehme die zweite", "la dos".

It runs where the strict parser found no command. A text is accepted if it names exactly one choice
and every other word is known to say nothing else: greetings, thanks, closings and words of choosing
(`vocabulary`). A word that is not known, a question, a negation or a second number leaves the text
unclear.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from service.mail.inbound.command_types import Unclear
from service.mail.inbound.move_parser import Asked, move_in, numbered, quoted
from service.mail.inbound.plain_text import folded
from service.mail.inbound.vocabulary import (
    ARTICLES,
    CHOOSING,
    CLOSINGS,
    FILLERS,
    GREETINGS,
    NUMBER,
    NUMBER_WORDS,
    ORDINALS,
    THANKS,
)

LONGEST = 200  # characters of a text that names one choice
_SMILEYS = frozenset({"-", ":", ":)", ":-)", ";)", ";-)", ":d"})
_COUNTED = re.compile(r"([0-9]{1,4})(?:st|nd|rd|th)?")


def read_choice(text: str, asked: Asked) -> str | None:
    """The one choice that a text names; None if it names none, or may mean something else."""
    spoken = folded(text)
    if not asked.choices or len(spoken) > LONGEST or "?" in spoken or "\u00bf" in spoken:
        return None
    words = _words(_without_politeness(spoken))
    numbers = [_number_at(words, place) for place in range(len(words))]
    named = [number for number in numbers if number is not None]
    others = [word for word, number in zip(words, numbers) if number is None]
    if len(named) != 1 or not all(_says_nothing(word) for word in others):
        return None
    choice = numbered(named[0], asked)
    _must_not_be_a_move(others, named[0], choice, text, asked)
    return choice


def _without_politeness(spoken: str) -> str:
    """The text without a greeting at its beginning, a closing at its end, and thanks."""
    text = re.sub(rf"^(?:{_any_of(GREETINGS)})(?![\w-])", " ", spoken)
    text = re.sub(rf"(?<![\w-])(?:{_any_of(THANKS)})(?![\w-])", " ", text)
    return re.sub(rf"(?<![\w-])(?:{_any_of(CLOSINGS)})[\s.,!]*$", " ", text)


def _any_of(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


def _words(text: str) -> list[str]:
    """The words without the punctuation around them; smileys stay."""
    parts = text.split()
    bare = (
        part if part in _SMILEYS else part.strip(".,;:!()[]\"'*\u201c\u201d\u201e\u00a1")
        for part in parts
    )
    return [word for word in bare if word]


def _number_at(words: Sequence[str], place: int) -> int | None:
    """The number that the word at this place names."""
    word = words[place]
    before = words[place - 1] if place else ""
    if match := _COUNTED.fullmatch(word.removeprefix("#")):
        return int(match[1])
    if word in ORDINALS:
        return ORDINALS[word] if before in ARTICLES else None
    if word == "one" and (before in ARTICLES or before in ORDINALS or _COUNTED.fullmatch(before)):
        return None  # "the second one", "the one"
    return NUMBER_WORDS.get(word)


def _says_nothing(word: str) -> bool:
    return (
        word in FILLERS
        or word in CHOOSING
        or word in ARTICLES
        or word in NUMBER
        or (word in _SMILEYS or word == "one")
    )


def _must_not_be_a_move(
    words: Sequence[str], number: int, choice: str, text: str, asked: Asked
) -> None:
    """Raise Unclear if the text may be a move with this number that is not the choice: "I take
    3" may be the third choice, or a move "take 3"."""
    verbs = [word for word in words if word in CHOOSING]
    if not verbs:
        return
    written = (move_in(f"{verb} {number}", asked.game) for verb in verbs)
    offered = (other for other in asked.choices if re.fullmatch(rf"[^\W\d_]+ {number}", other))
    for move in chain(written, offered):
        if move is not None and move != choice:
            raise Unclear("ambiguous", line=quoted(text), first=choice, second=move)
