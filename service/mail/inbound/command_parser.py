"""Parser of replies: every line is a command, or nothing of the reply is carried out, unless all of
it is one sentence that names a choice (`choice_reader`).

A line is a command word (`vocabulary`), or a step of play: the number of a choice, a move in the
notation of the game, or several of these in order of preference, separated by "else" or a comma
("3, else 1", "3, 1"). Further lines of the paragraph, or `;`, are further steps; they have no
numbered choices yet and need notation. Moves in another paragraph, such as above and below a quote,
must be the same. "3 1", "3 or 4", "not 3" and "3?" are unclear.

Bullets, quotation marks and punctuation around a line are ignored. "say" and "note" take the rest
of their paragraph; if a line of it reads as a command, the reply is unclear, and so is a question
after "say" without a colon. Greetings and thanks
on lines of their own are skipped; a closing such as "Best regards" ends the text.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

from engine.contract import GameType
from engine.errors import Unreadable
from service.mail.inbound.choice_reader import read_choice
from service.mail.inbound.command_types import (
    Away,
    Back,
    Command,
    DropPlan,
    MailChoice,
    Note,
    Play,
    Resign,
    Say,
    Step,
    Unclear,
    Wish,
    Word,
)
from service.mail.inbound.date_parser import read_days
from service.mail.inbound.move_parser import (
    LONGEST_LINE,
    Asked,
    add_steps,
    alternatives,
    content,
    move_in,
    quoted,
    without_bullet,
)
from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.vocabulary import (
    AWAY,
    CLOSINGS,
    COMMANDS,
    GREETINGS,
    KEEP,
    MAIL_WORDS,
    NO_MORE_MAILS,
    NOTE,
    PLAN,
    SAY,
    THANKS,
    TWO_MEANINGS,
)
from service.notify.preferences import OFF

LONGEST_REPLY = 4000
MOST_LINES = 20

_AWAY = sorted(AWAY, key=len, reverse=True)
_FIRST_WORD = re.compile(r"(\S+?)[\s:,]+(.*)")
_TALK = re.compile(r"([^\s:]+)(\s*:)?\s*(.*)")


def read_commands(text: str, game: GameType, choices: Sequence[str], today: date) -> list[Command]:
    """The commands of a reply in order; `choices` are the numbered choices of the letter it
    answers. Raises Unclear."""
    text = plain(text)
    if len(text) > LONGEST_REPLY:
        raise Unclear("too_long", most=LONGEST_REPLY)
    asked = Asked(game, choices, today)
    paragraphs = _paragraphs(text)
    try:
        return _read_strictly(paragraphs, asked)
    except Unclear as unclear:
        if unclear.code != "not_understood":
            raise
        lines = [line.content for paragraph in paragraphs for line in paragraph]
        choice = read_choice("\n".join(lines), asked)
        if choice is None:
            raise
        return [Play(((choice,),))]


def _read_strictly(paragraphs: Sequence[Sequence["_Line"]], asked: Asked) -> list[Command]:
    found: list[Command] = []
    for paragraph in paragraphs:
        found += [command for command in _read(paragraph, asked) if command not in found]
    if not found:
        raise Unclear("nothing")
    _check_together(found)
    return found


class _Line(NamedTuple):
    """A line as it was written, and without bullets and punctuation."""

    written: str
    content: str


def _paragraphs(text: str) -> list[list[_Line]]:
    """The lines by paragraph up to a closing, without greetings and thanks."""
    paragraphs: list[list[_Line]] = [[]]
    count = 0
    talking = False
    for written in text.split("\n"):
        line = _Line(written, content(written))
        spoken = folded(line.content)
        if not spoken:
            paragraphs.append([])
            talking = False
        elif talking:
            paragraphs[-1].append(line)
        elif count and _is_closing(spoken):
            break
        elif spoken not in GREETINGS and spoken not in THANKS:
            paragraphs[-1].append(line)
            talking = _talk(line) is not None
            count += 1
            if count > MOST_LINES:
                raise Unclear("too_many_lines", most=MOST_LINES)
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_closing(spoken: str) -> bool:
    """Whether a line is a closing, with or without a name after it."""
    if spoken in CLOSINGS:
        return True
    words = spoken.replace(",", " ").split()
    return any(
        " ".join(words[:count]) in CLOSINGS and all(word.isalpha() for word in words[count:])
        for count in range(max(1, len(words) - 2), len(words))
    )


def _read(lines: Sequence[_Line], asked: Asked) -> list[Command]:
    """The commands of one paragraph."""
    commands: list[Command] = []
    steps: list[tuple[str, Step]] = []
    for place, line in enumerate(lines):
        talk = _talk(line)
        if talk is not None:
            commands.append(_talked(talk, lines[place:], asked))
            break
        command = _command(line.content, asked)
        if command is not None:
            commands.append(command)
            continue
        if not steps:
            commands.append(Play(()))  # its place among the others
        add_steps(steps, line.content, asked)
    together = Play(tuple(step for _, step in steps))
    return [together if isinstance(command, Play) else command for command in commands]


def _command(line: str, asked: Asked) -> Command | None:
    """The command on this line; None if it has to be a move."""
    spoken = folded(line)
    if spoken in TWO_MEANINGS:
        first, second = TWO_MEANINGS[spoken]
        raise Unclear("ambiguous", line=quoted(line), first=Word(first), second=Word(second))
    if spoken in NO_MORE_MAILS and (move := move_in(line, asked.game)) is not None:
        raise Unclear("ambiguous", line=quoted(line), first=Word(MAIL_WORDS[OFF]), second=move)
    command = COMMANDS.get(spoken) or _with_rest(line, asked)
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


class _Talk(NamedTuple):
    kind: type[Say] | type[Note]
    text: str
    has_colon: bool  # after the command word


def _talk(line: _Line) -> _Talk | None:
    match = _TALK.fullmatch(without_bullet(line.written))
    if match is None:
        return None
    word, has_colon, text = folded(match[1]), match[2] is not None, match[3]
    if word in SAY:
        return _Talk(Say, text, has_colon)
    return _Talk(Note, text, has_colon) if word in NOTE else None


def _talked(talk: _Talk, lines: Sequence[_Line], asked: Asked) -> Command:
    """The message or note in these lines of a paragraph."""
    for line in lines[1:]:
        if _talk(line) is not None or _is_readable(line.content, asked):
            word = Word("say" if talk.kind is Say else "note")
            raise Unclear("part_of_talk", line=quoted(line.content), word=word)
    text = "\n".join(filter(None, (talk.text, *(line.written for line in lines[1:]))))
    # "Say what does number 3 do?" is a question to us, not to the table.
    is_question = talk.kind is Say and "?" in text and not talk.has_colon
    if not text or is_question:
        raise Unclear("not_understood", line=quoted(lines[0].content))
    return talk.kind(text)


def _is_readable(line: str, asked: Asked) -> bool:
    steps: list[tuple[str, Step]] = []
    try:
        if _command(line, asked) is None:
            add_steps(steps, line, asked)
    except Unclear as unclear:
        return unclear.code not in ("not_understood", "unreadable_wishes")
    return True


def _check_together(commands: Sequence[Command]) -> None:
    """Raise Unclear if two commands contradict each other."""
    for first, second in combinations(commands, 2):
        if _exclude_each_other(first, second):
            raise Unclear("contradicting", first=_worded(first), second=_worded(second))


def _exclude_each_other(first: Command, second: Command) -> bool:
    once: tuple[Any, ...] = (Play, Wish, Away, MailChoice, Resign)
    if isinstance(first, once) and type(first) is type(second):
        return True
    return {type(first), type(second)} in ({Play, Resign}, {Wish, DropPlan}, {Away, Back})


def _worded(command: Command) -> str:
    match command:
        case Play(steps):
            return quoted("; ".join(", ".join(step) for step in steps))
        case Wish(text):
            return quoted(text)
        case Away(first, last):
            return f"{first.isoformat()} - {last.isoformat()}"
        case MailChoice(mode):
            return Word(MAIL_WORDS[mode])
        case Resign(confirmed):
            return Word("resign yes" if confirmed else "resign")
        case DropPlan():
            return Word("plan none")
        case Back():
            return Word("back")
    raise AssertionError(f"no command excludes this one: {command!r}")
