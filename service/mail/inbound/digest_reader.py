"""Reader of replies to a letter about several games, which have the letters A, B, C..

It splits the text into one text for each game and one for all else; `command_parser` reads them. A
line belongs to a game if it begins with the letter of the game ("A2", "a 2", "A: 2 please", "B
board") or is a command with the letter behind it ("board B"). A line may name choices of several
games: "A2, B1". A letter of the alphabet is also a word ("a" in English) and a place on a board
("sail A2 A3"), so a letter without a colon counts only before a number or a command word.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from service.mail.inbound.choice_words import CHOOSING, FILLERS
from service.mail.inbound.move_parser import content, without_bullet
from service.mail.inbound.number_words import ARTICLES, NUMBER
from service.mail.inbound.plain_text import folded
from service.mail.inbound.politeness_words import THANKS
from service.mail.inbound.vocabulary import COMMANDS, ELSE
from service.mail.inbound.word_forms import any_of, forms

_CHOICE = re.compile(r"(?<![\w-])([a-z])\s?[.:)=-]?\s?([0-9]{1,3})(?![\w-])", re.IGNORECASE)
_MARKED = re.compile(r"([a-z])\s?[:)=]\s*(\S.*)", re.IGNORECASE)
_UNMARKED = re.compile(r"([a-z])[.,]?\s+(\S.*)", re.IGNORECASE)
_BEHIND = re.compile(r"(\S.*?)\s+([a-z])", re.IGNORECASE)
_ARTICLE = re.compile(r"(?<![\w-])[a-z]\s[0-9]")
_AND = forms(("and", "und", "y", "&", "+", "then", "dann", "luego"))
_GAME = forms(("game", "in", "spiel", "partie", "im", "bei", "juego", "partida", "en"))
_NEUTRAL = _AND | _GAME | FILLERS | CHOOSING | ARTICLES | NUMBER
_DIGIT = re.compile(r"[0-9]")
_THANKS = re.compile(rf"(?<![\w-])(?:{any_of(THANKS)})(?![\w-])")


class DigestTexts(NamedTuple):
    """The parts of a reply: by the letter of the game, and the rest."""

    games: Mapping[str, str]
    rest: str


def split_by_game(text: str, keys: Collection[str], only: str | None = None) -> DigestTexts:
    """The text for each game that a reply names, in the order of the reply; a line that names none
    is about the `only` game, if the letter asks in no other."""
    games: dict[str, list[str]] = {}
    rest: list[str] = []
    for line in text.split("\n"):
        parts = list(_parts(without_bullet(line), keys))
        if not parts and only is not None:
            parts = [(only, line)]
        for key, part in parts:
            games.setdefault(key, []).append(part)
        rest.append("" if parts else line)
    return DigestTexts({key: "\n".join(lines) for key, lines in games.items()}, "\n".join(rest))


def _parts(line: str, keys: Collection[str]) -> Iterator[tuple[str, str]]:
    """The games that a line names, with what it says of each; none if it names no game."""
    choices = [(match[1].upper(), match[2]) for match in _CHOICE.finditer(line)]
    if choices and all(key in keys for key, _ in choices) and _names_only_choices(line):
        yield from choices
        return
    if (marked := _MARKED.fullmatch(line)) and (key := marked[1].upper()) in keys:
        yield key, marked[2]
    elif (unmarked := _UNMARKED.fullmatch(line)) and (key := unmarked[1].upper()) in keys:
        if _DIGIT.match(unmarked[2]) or _is_command(unmarked[2]):
            yield key, unmarked[2]
    elif (behind := _BEHIND.fullmatch(content(line))) and (key := behind[2].upper()) in keys:
        if _is_command(behind[1]):
            yield key, behind[1]
    elif choices and (in_order := _in_order(line, keys)) is not None:
        yield in_order


def _names_only_choices(line: str) -> bool:
    """Whether a line says nothing but the choices that it names. Among words "a 2" may be an
    article and a number."""
    others = folded(_CHOICE.sub(" ", line))
    words = [word.strip(".,;:!()") for word in _THANKS.sub(" ", others).split()]
    if any(words) and _ARTICLE.search(line):
        return False
    return all(word in _NEUTRAL for word in words if word)


def _is_command(text: str) -> bool:
    return folded(content(text)) in COMMANDS


def _in_order(line: str, keys: Collection[str]) -> tuple[str, str] | None:
    """Choices of one game in order of preference: "A2, else A3", "A2, else 3"."""
    match = _CHOICE.match(line)
    if match is None or (key := match[1].upper()) not in keys:
        return None
    without_keys = re.sub(rf"(?<![\w-]){key}\s?(?=[0-9])", "", line, flags=re.IGNORECASE)
    words = re.split(r"[\s,]+", folded(content(without_keys)))
    said = " ".join(word for word in words if not word.isdigit())
    return (key, without_keys) if not said or said in ELSE else None
