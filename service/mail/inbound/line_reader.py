"""Line stage: a line as a command word, as a step of play, or as a sentence for one of them."""

import re

from engine.contract import GameType
from engine.errors import Unreadable
from service.mail.inbound.choice_reader import read_alternatives, read_choice
from service.mail.inbound.choice_words import CHOOSING, FILLERS
from service.mail.inbound.command_types import Command, Play, Step, Unclear, Wish, Word
from service.mail.inbound.date_parser import read_days
from service.mail.inbound.move_parser import (
    LONGEST_LINE,
    Asked,
    ReadStep,
    add_moves,
    add_step,
    alternatives,
    move_in,
    quoted,
)
from service.mail.inbound.number_words import NUMBER
from service.mail.inbound.plain_text import folded
from service.mail.inbound.sentence_commands import read_sentence
from service.mail.inbound.vocabulary import (
    AWAY,
    COMMANDS,
    KEEP,
    MAIL_WORDS,
    NO_MORE_MAILS,
    PLAN,
    TWO_MEANINGS,
)
from service.notify.preferences import OFF

PLAY = Play(())  # its place among other commands
_AWAY = sorted(AWAY, key=len, reverse=True)
_PLEASE = re.compile(r"^(?:please|bitte|por favor),? |,? (?:please|pls|bitte|por favor|porfa)$")
_FIRST_WORD = re.compile(r"(\S+?)[\s:,]+(.*)")


def read_line(line: str, steps: list[ReadStep], asked: Asked) -> list[Command]:
    """The commands on a line. Steps of play are appended to `steps`, and `PLAY` stands for them.
    Raises Unclear."""
    before = steps.copy()
    try:
        return read_words(line, steps, asked)
    except Unclear as unclear:
        if unclear.code != "not_understood":
            raise
        steps[:] = before
        command = read_sentence(line)
        if command is not None:
            return [command]
        step = spoken_step(line, asked)
        if step is None:
            raise
        add_step(steps, ReadStep(line, step, True))
        return [PLAY]


def read_words(line: str, steps: list[ReadStep], asked: Asked) -> list[Command]:
    """The commands on a line of command words and moves, with `;` between them."""
    first = folded(line.split(" ", 1)[0]).rstrip(":")
    found: list[Command] = []
    for part in [line] if first in PLAN else filter(None, map(str.strip, line.split(";"))):
        command = _command(part, asked)
        if command is None:
            add_moves(steps, part, asked)
        found.append(command or PLAY)
    return found


def spoken_step(text: str, asked: Asked) -> Step | None:
    """The choice, or the choices in order of preference, that a sentence names clearly."""
    step = read_alternatives(text, asked) or _introduced_step(text, asked)
    if step is not None:
        return step
    choice = read_choice(text, asked)
    return (choice.move,) if choice is not None and choice.clear else None


def _introduced_step(text: str, asked: Asked) -> Step | None:
    """The moves behind words that only introduce or ask for them: "I take: ..", ".. please"."""
    lead, colon, rest = text.partition(":")
    words = folded(lead).replace(",", " ").split()
    if (
        words
        and colon
        and all(word in FILLERS or word in CHOOSING or word in NUMBER for word in words)
    ):
        step = alternatives(rest.strip(), asked)
        if step is not None:
            return step
    spoken = folded(text)
    bare = _PLEASE.sub("", spoken)
    return alternatives(bare.strip("\"' ,"), asked) if bare != spoken else None


def _command(line: str, asked: Asked) -> Command | None:
    """The command on this line; None if it has to be a move."""
    spoken = folded(line)
    if spoken in TWO_MEANINGS:
        first, second = TWO_MEANINGS[spoken]
        raise Unclear("ambiguous", line=quoted(line), first=Word(first), second=Word(second))
    if spoken in NO_MORE_MAILS and (move := move_in(line, asked.game)) is not None:
        raise Unclear("ambiguous", line=quoted(line), first=Word(MAIL_WORDS[OFF]), second=move)
    command = COMMANDS.get(_PLEASE.sub("", spoken)) or _with_rest(line, asked)
    if command is not None and move_in(line, asked.game) is not None:
        raise Unclear("ambiguous", line=quoted(line), first=spoken, second=line)
    return command


def _with_rest(line: str, asked: Asked) -> Command | None:
    """A command whose argument is the rest of the line."""
    spoken = folded(line)
    for word in _AWAY:
        if spoken == word or spoken.startswith((f"{word} ", f"{word}:")):
            return read_days(spoken[len(word) :].strip(" :"), quoted(line), asked.today)
    match = _FIRST_WORD.fullmatch(line)
    if match is None or len(line) > LONGEST_LINE:
        return None
    verb, rest = folded(match[1]), match[2]
    if verb in PLAN:
        if not _is_list(rest, asked.game):
            raise Unclear("unreadable_wishes", text=quoted(rest))
        return Wish(rest)
    if verb in KEEP and alternatives(line, asked) is None:
        if not _is_list(rest, asked.game):
            raise Unclear("not_understood", line=quoted(line))
        return Wish(rest)
    return None


def _is_list(text: str, game: GameType) -> bool:
    """Whether the text is a preferences list of the game."""
    try:
        game.read_preferences(text)
    except Unreadable:
        return False
    return True
