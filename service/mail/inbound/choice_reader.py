"""Choice stage: plain sentences that name one choice, as "2 please", "Ich nehme die zweite" and "la
dos".

It reads what the stages before left over. A choice is clear if the text names exactly one and every
other word is known to say nothing else (`choice_words`). With unknown words beside it the choice is
a suggestion. With a question, a denial, a condition, a quantity or a second number it is neither;
only a correction such as "not 3 but 2" suggests the last number.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple

from service.mail.inbound.choice_words import (
    CHOOSING,
    CORRECTIONS,
    DECIDING,
    DENIALS,
    DOUBTS,
    FILLERS,
    HARMLESS_DENIALS,
    NEED_CHOOSING,
    OTHERS_AND_PAST,
    PLEASE,
)
from service.mail.inbound.command_types import Step, Unclear
from service.mail.inbound.move_parser import Asked, move_in, numbered, quoted
from service.mail.inbound.number_words import (
    ARTICLES,
    BEST,
    LAST,
    MONTHS,
    NUMBER,
    NUMBER_WORDS,
    ORDINAL_NOUNS,
    ORDINALS,
    UNITS,
    WEEKDAYS,
)
from service.mail.inbound.plain_text import folded
from service.mail.inbound.politeness_words import NOT_NAMES
from service.mail.inbound.vocabulary import ELSE, IF_NOT
from service.mail.inbound.word_forms import any_of, bare, forms

LONGEST = 200  # characters of a text that names one choice
LONGEST_CHATTER = 160  # of a sentence beside a choice
FEW_WORDS = 2  # of a line that may be a name
MOST_WORDS_AROUND = 4  # of a sentence that names a choice by a word of its own
MOST_UNKNOWN, MOST_WORDS = 2, 14  # of a sentence with a choice
LONGEST_SHORT_LIST = 9  # choices that a reader sees at a glance, the last one included
SHORTEST_MISSPELLED = 5  # letters of a word with a slip
ALIKE, UNLIKE = 0.83, 0.7  # ratios of `difflib`
_MEANT = sorted(word for word in CHOOSING | NUMBER if len(word) >= SHORTEST_MISSPELLED - 1)
_AGAINST = sorted(DENIALS | DOUBTS)
_SPEAKS_AGAINST = (DENIALS - HARMLESS_DENIALS) | DOUBTS | CORRECTIONS | DECIDING
_NO_NAMES = FILLERS | CHOOSING | ARTICLES | NUMBER | PLEASE | ORDINAL_NOUNS | set(NUMBER_WORDS)
_SIGN_OF_QUOTE = re.compile(r"[>:\u00bb}%=~|<-]")
_NAME = re.compile(r"[^\W\d_a-z][a-z]+[.,!]?")
_SMILEYS = frozenset({"-", ":", ":)", ":-)", ";)", ";-)", ":d"})
_AROUND = ".,;:!=()[]\"'*_`\u201c\u201d\u201e\u00a1"
_COUNTED = re.compile(r"(?:(?:#|n°|nr\.?|num\.?)\s?)?([0-9]{1,4})(?:st|nd|rd|th|te|ter|ten|°|a|o)?")
_SI = re.compile(r"\bsí\b|\bsi(?=\s*[,.!])", re.IGNORECASE)  # "yes"; without these signs it is "if"
_NO_DOT = re.compile(r"\bno\.\s?(?=[0-9])", re.IGNORECASE)  # "no. 2"; as a denial it is the same
_GLUED = re.compile(r"(?<=[^\W\d_])[:=](?=[0-9])|(?<=[0-9]),(?=[^\W\d_])")
_ALONE = forms(("please", "pls", "bitte", "por", "favor", "porfa", "number", "nummer"))
_ADVERBS = forms(("first", "primero"))  # "First, thanks"
_FOR = forms(("for", "für"))
# "number two period", as it is dictated.
_DICTATED = re.compile(
    rf"((?:{any_of(NUMBER)}) (?:{any_of(NUMBER_WORDS)})) (?:period|full stop|punkt|punto)\.?$"
)
_BETWEEN = r"[\s,;.:()-]+"
_IF_POSSIBLE = re.compile(
    r"^(?:if possible|wenn moeglich|wenn es geht|si es posible|si se puede|primero|first|zuerst),? "
)
_IN_ORDER = re.compile(
    r"(?:first|erste|primera) (?:choice|wahl|opcion):? (.+?)[,;.] "
    r"(?:second|zweite|segunda) (?:choice|wahl|opcion):? (.+)"
)
_ALTERNATIVE = re.compile(
    rf"{_BETWEEN}(?:(?:and|or|und|oder|y|o|but|aber|pero)\s+)?(?:{any_of(ELSE | IF_NOT)})"
    rf"(?:{_BETWEEN}(?:then|dann|entonces))?{_BETWEEN}"
)
_ALTERNATIVE_FIRST = re.compile(
    rf"(.+?){_BETWEEN}(?:or|oder|o|else|sonst)\s+(.+?){_BETWEEN}(?:{any_of(IF_NOT)})[.!)]*"
)


class NamedChoice(NamedTuple):
    """A choice that a text names; `clear` if the text says nothing else."""

    move: str
    clear: bool


class _Word(NamedTuple):
    text: str
    number: int | None


def read_choice(text: str, asked: Asked) -> NamedChoice | None:
    """The one choice that a text names; None if it names none, or speaks against it. Raises Unclear
    for a number without a choice, and for a text that may be a move, too."""
    if not asked.choices or len(text) > LONGEST or "?" in text or "\u00bf" in text:
        return None
    if _SIGN_OF_QUOTE.match(text) or text.count('"') == 1:  # ": W8" may be a quote
        return None
    words = _words(text, asked)
    named = list(dict.fromkeys(word.number for word in words if word.number is not None))
    if not named:
        return _named_by_word(words, asked)
    if len(named) == 2 and any(word.text in CORRECTIONS for word in words):
        return _suggested(named[1], asked)
    if len(named) != 1 or _speaks_against(words, asked):
        return None
    others = [word.text for word in words if word.number is None]
    if not (
        _say_nothing(others, words, named[0], asked) or _are_harmless(text, words, named[0], asked)
    ):
        return _suggested(named[0], asked)
    choice = numbered(named[0], asked)
    _must_not_be_a_move(others, named[0], choice, text, asked)
    return NamedChoice(choice, _is_certain(words, asked))


def _named_by_word(words: Sequence[_Word], asked: Asked) -> NamedChoice | None:
    """The choice that the only word which says something names: "Sail, please"."""
    said = [word.text for word in words if word.text not in FILLERS and word.text not in ARTICLES]
    if len(said) != 1 or len(words) > MOST_WORDS_AROUND or said[0] not in asked.own_words:
        return None
    return NamedChoice(asked.choices[asked.own_words[said[0]] - 1], True)


def is_chatter(text: str, asked: Asked) -> bool:
    """Whether a sentence beside a clear choice has nothing to do with it: it names no number, no
    word of a choice and no command, and neither denies, doubts, corrects nor asks."""
    words = _words(text, asked)
    against = _SPEAKS_AGAINST
    if len(words) <= FEW_WORDS:
        against = against | NOT_NAMES | UNITS | set(MONTHS) | set(WEEKDAYS)
    return (
        len(text) <= LONGEST_CHATTER
        and "?" not in text
        and not any(sign.isdigit() for sign in text)
        and not any(word.number is not None or word.text in against for word in words)
    )


def _suggested(number: int, asked: Asked) -> NamedChoice | None:
    if not 1 <= number <= len(asked.choices):
        return None
    return NamedChoice(asked.choices[number - 1], False)


def read_alternatives(text: str, asked: Asked) -> Step | None:
    """The choices of a sentence in order of preference: "I take 3, if not possible 1"."""
    if len(text) > LONGEST:
        return None
    spoken = _IF_POSSIBLE.sub("", folded(_SI.sub("yes", text)))
    if match := _IN_ORDER.fullmatch(spoken):
        spoken = f"{match[1]}, else {match[2]}"
    parts = _ALTERNATIVE.split(spoken)
    if len(parts) == 1 and (match := _ALTERNATIVE_FIRST.fullmatch(spoken)):
        parts = [match[1], match[2]]
    if len(parts) == 1:
        return None
    named = [read_choice(part, asked) for part in parts]
    found = [choice.move for choice in named if choice is not None and choice.clear]
    return tuple(dict.fromkeys(found)) if len(found) == len(parts) else None


def _words(text: str, asked: Asked) -> list[_Word]:
    """The words without the punctuation around them, with the numbers that they name."""
    text = _NO_DOT.sub("number ", _SI.sub("yes", text))
    spoken = _DICTATED.sub(r"\1", folded(_GLUED.sub(" ", text)))
    parts = (part if part in _SMILEYS else part.strip(_AROUND) for part in spoken.split())
    words = [word for word in parts if word]
    return [_Word(word, _number_at(words, place, asked)) for place, word in enumerate(words)]


def _number_at(words: Sequence[str], place: int, asked: Asked) -> int | None:
    """The number that the word at this place names."""
    word = words[place]
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if match := _COUNTED.fullmatch(word):
        return int(match[1])
    if word in ORDINALS:
        others = (*words[:place], *words[place + 1 :])
        alone = word not in _ADVERBS and all(other in _ALONE for other in others)
        same = any(_plain_number(other) == ORDINALS[word] for other in words if other != word)
        is_counted = before in ARTICLES or after in ORDINAL_NOUNS or alone or same
        return ORDINALS[word] if is_counted else None
    if word in asked.codes:
        return asked.codes[word]
    if word in LAST and before in ARTICLES:
        return len(asked.choices)
    if word in BEST and before in ARTICLES:
        return 1
    return None if word == "one" and _stands_for_a_noun(before) else NUMBER_WORDS.get(word)


def _stands_for_a_noun(before: str) -> bool:
    """Whether "one" after this word is no number: "the second one", "the one", "this one"."""
    known = (ARTICLES, ORDINALS, LAST, BEST, ("this", "that", "which", "my", "your", "no"))
    return any(before in words for words in known) or bool(_COUNTED.fullmatch(before))


def _plain_number(word: str) -> int | None:
    match = _COUNTED.fullmatch(word)
    return int(match[1]) if match else NUMBER_WORDS.get(word)


def _speaks_against(words: Sequence[_Word], asked: Asked) -> bool:
    """Whether a word denies, doubts or makes a quantity of a number, or has another number."""
    for place, word in enumerate(words):
        after = words[place + 1].text if place + 1 < len(words) else ""
        if word.number is not None and any(after in table for table in (UNITS, MONTHS, WEEKDAYS)):
            return True
        if word.text in DENIALS or word.text in DOUBTS:
            return True
        in_list = any(word.text in choice for choice in asked.words)
        if word.number is None and re.search(r"[0-9]", word.text) and not in_list:
            return True
    return False


def _say_nothing(others: Sequence[str], words: Sequence[_Word], number: int, asked: Asked) -> bool:
    """Whether the other words say nothing else. Those of the choice itself do not, either."""
    own = asked.words[number - 1] if 0 < number <= len(asked.words) else frozenset()
    is_chosen = any(word in CHOOSING or word in _FOR for word in others)
    has_article = any(
        before.text in ARTICLES and word.number is not None for before, word in pairwise(words)
    )
    known = (FILLERS, CHOOSING, ARTICLES, NUMBER, _SMILEYS, ORDINAL_NOUNS, own)
    for word in others:
        if word in NEED_CHOOSING and (is_chosen or has_article):
            continue
        if not any(word in table for table in known) and not _is_misspelled(word):
            return False
    return True


def _are_harmless(text: str, words: Sequence[_Word], number: int, asked: Asked) -> bool:
    """Whether the unknown words of a sentence that chooses say nothing about the choice: they are
    few, none stands beside the number or is who chooses, and none speaks of others or the past."""
    texts = [word.text for word in words]
    if len(words) > MOST_WORDS or any(word in OTHERS_AND_PAST for word in texts):
        return False
    if any(_NAME.fullmatch(word) and bare(word) not in _NO_NAMES for word in text.split()[1:]):
        return False
    named = [place for place, word in enumerate(words) if word.number is not None]
    numbers = [at for at in named if texts[at] not in asked.codes]
    unknown = [
        place
        for place, word in enumerate(words)
        if word.number is None and not _is_known(word.text, number, asked)
    ]
    beside = any(abs(place - at) == 1 for place in unknown for at in numbers)
    is_chooser = any(word in CHOOSING for place in unknown for word in texts[place + 1 : place + 2])
    if len(unknown) > MOST_UNKNOWN or beside or is_chooser:
        return False
    is_marked = any(texts[at - 1] in NUMBER for at in numbers if at)
    return is_marked or any(word in CHOOSING or word in PLEASE for word in texts)


def _is_known(word: str, number: int, asked: Asked) -> bool:
    own = asked.words[number - 1] if 0 < number <= len(asked.words) else frozenset()
    tables = (FILLERS, CHOOSING, ARTICLES, NUMBER, NEED_CHOOSING, _SMILEYS, ORDINAL_NOUNS, own)
    return any(word in table for table in tables)


def _is_misspelled(word: str) -> bool:
    """Whether a word is a slip for one of choosing ("nubmer", "qiero"), and for no other."""
    if len(word) < SHORTEST_MISSPELLED or get_close_matches(word, _AGAINST, 1, UNLIKE):
        return False
    return bool(get_close_matches(word, _MEANT, 1, ALIKE))


def _is_certain(words: Sequence[_Word], asked: Asked) -> bool:
    """Whether the number is not only a judgement, or the end of a long list."""
    numbers = [word.text for word in words if word.number is not None]
    if all(word in BEST for word in numbers):
        return False
    return len(asked.choices) <= LONGEST_SHORT_LIST or not all(word in LAST for word in numbers)


def _must_not_be_a_move(
    words: Sequence[str], number: int, choice: str, text: str, asked: Asked
) -> None:
    """Raise Unclear if the text may be a move with this number that is offered and not the choice:
    "I take 3" may be the third choice, or a move "take 3"."""
    verbs = [word for word in words if word in CHOOSING]
    if not verbs:
        return
    written = {move_in(f"{verb} {number}", asked.game) for verb in verbs}
    for move in asked.choices:
        if move != choice and (
            move in written or re.fullmatch(rf"[^\W\d_]+ {number}", move) is not None
        ):
            raise Unclear("ambiguous", line=quoted(text), first=choice, second=move)
