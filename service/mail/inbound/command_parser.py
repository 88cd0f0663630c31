"""Parser of replies: every line is a command, or nothing of the reply is carried out.

The stages, each a module with pure functions:

1. `politeness` takes greetings, thanks, closings, small talk and names off; a closing such as "Best
   regards" on a line of its own ends the text.
2. `talk_reader` reads "say" and "note", which take the rest of their paragraph.
3. `vocabulary` and `move_parser` read lines as commands, or as steps of play: the number of a
   choice, a copied line of the list, a move in the notation of the game, or several of these in
   order of preference ("3, else 1", "3, 1"). Further lines of the paragraph, or `;`, are further
   steps; they have no numbered choices yet and need notation. Moves in another paragraph, such as
   above and below a quote, must be the same.
4. `sentence_commands` and `choice_reader` read what is left as a sentence, line by line and then as
   a whole.
5. `quoted_choice` looks for a marked choice in the quote if the writer has no words of their own.

What no stage understands is asked back, with a suggestion if exactly one choice was named.
`explain_commands` lists what each stage did.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import combinations
from typing import Any

from engine.contract import GameType
from service.mail.inbound.account_commands import read_account_command
from service.mail.inbound.choice_reader import is_chatter, read_choice
from service.mail.inbound.command_types import (
    Away,
    Back,
    Command,
    DropPlan,
    MailChoice,
    No,
    Play,
    Resign,
    StageNote,
    Step,
    Unclear,
    Wish,
    Word,
    Yes,
)
from service.mail.inbound.line_reader import PLAY, read_line, read_words, spoken_step
from service.mail.inbound.move_parser import Asked, ReadStep, alternatives, content, move_in, quoted
from service.mail.inbound.own_lines import Line, OwnText, own_text, without_name
from service.mail.inbound.plain_text import plain
from service.mail.inbound.politeness import speaks_against
from service.mail.inbound.quoted_choice import choice_in_quote
from service.mail.inbound.sentence_commands import is_question, read_sentence, read_whole_reply
from service.mail.inbound.small_talk import SEE_QUOTE
from service.mail.inbound.talk_reader import read_talk, talk_in
from service.mail.inbound.vocabulary import MAIL_WORDS
from service.mail.inbound.word_forms import bare, matches

LONGEST_REPLY = 4000
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!])\s+|(?<=[0-9][.!])\s+(?=[^\W\d_])")


def read_commands(
    text: str,
    game: GameType,
    choices: Sequence[str],
    today: date,
    labels: Sequence[str] = (),
    quote: str = "",
) -> list[Command]:
    """The commands of a reply in order. `choices` are the numbered choices of the letter it
    answers, `labels` their texts in the letter, `quote` is the quoted part of the reply. Raises
    Unclear."""
    return _read(text, Asked(game, choices, today, labels), quote, [])


def explain_commands(
    text: str,
    game: GameType,
    choices: Sequence[str],
    today: date,
    labels: Sequence[str] = (),
    quote: str = "",
) -> list[StageNote]:
    """What each stage of `read_commands` took off or understood, in order; the last note is the
    result: a command, or the code of a refusal."""
    notes: list[StageNote] = []
    try:
        commands = _read(text, Asked(game, choices, today, labels), quote, notes)
    except Unclear as unclear:
        facts = ", ".join(f"{name}={fact}" for name, fact in unclear.facts.items())
        notes.append(StageNote("asked back", unclear.code, facts))
        if unclear.suggestion is not None:
            notes.append(StageNote("suggestion", _worded(unclear.suggestion), "the only choice"))
    else:
        notes += [StageNote("result", repr(command), "command") for command in commands]
    return notes


def _read(text: str, asked: Asked, quote: str, notes: list[StageNote]) -> list[Command]:
    text = plain(text)
    if len(text) > LONGEST_REPLY:
        raise Unclear("too_long", most=LONGEST_REPLY)
    own = own_text(text)
    notes += own.taken
    if not own.lines or matches(SEE_QUOTE, bare(_joined(own))):
        return _read_quote(quote, own, asked, notes)
    try:
        commands = _read_lines(own, asked)
        notes.append(StageNote("lines", _joined(own), "every line is understood"))
    except Unclear as unclear:
        if unclear.code != "not_understood":
            raise
        own = without_name(own, lambda word: _means_something(word, asked))
        notes += own.taken[len(notes) :]
        commands = _read_again(own, asked, unclear)
        notes.append(StageNote("sentence", _joined(own), "the text is one sentence"))
    if speaks_against(own.taken) and (plays := _plays(commands)):
        said = " ".join(note.text for note in own.taken)
        raise Unclear("not_understood", plays[0], line=quoted(said))
    return commands


def _plays(commands: Sequence[Command]) -> list[Play]:
    return [command for command in commands if isinstance(command, Play)]


def _joined(own: OwnText) -> str:
    return " ".join(line.content for line in own.lines)


def _means_something(word: str, asked: Asked) -> bool:
    """Whether a word is one of a choice, or a move."""
    return any(word in words for words in asked.words) or move_in(word, asked.game) is not None


# By line


def _read_lines(own: OwnText, asked: Asked) -> list[Command]:
    found: list[Command] = []
    for paragraph in own.paragraphs:
        found += [command for command in _read_paragraph(paragraph, asked) if command not in found]
    _check_together(found)
    if len(found) > 1 and Yes() in found:  # "yes" beside what is wanted adds nothing
        found.remove(Yes())
    if len(found) > 1 and No() in found:
        plays = _plays(found)
        raise Unclear("not_understood", plays[0] if plays else None, line=quoted(_joined(own)))
    return found


def _read_paragraph(lines: Sequence[Line], asked: Asked) -> list[Command]:
    commands: list[Command] = []
    steps: list[ReadStep] = []
    for place, line in enumerate(lines):
        talk = talk_in(line.written)
        if talk is not None:
            written = [later.written for later in lines[place:]]
            commands.append(read_talk(talk, written, asked, _is_readable(asked)))
            break
        for command in read_line(line.content, steps, asked):
            if command is not PLAY or PLAY not in commands:
                commands.append(command)
    together = Play(tuple(step.step for step in steps))
    return [together if command is PLAY else command for command in commands]


def _is_readable(asked: Asked) -> Callable[[str], bool]:
    def is_readable(line: str) -> bool:
        try:
            read_words(content(line), [], asked)
        except Unclear as unclear:
            return unclear.code not in ("not_understood", "unreadable_wishes")
        return True

    return is_readable


# As a whole


def _read_again(own: OwnText, asked: Asked, unclear: Unclear) -> list[Command]:
    """Read the text without a name by line, and then as one sentence; raises `unclear`, with a
    suggestion if there is one, or as a question."""
    try:
        return _read_lines(own, asked)
    except Unclear as again:
        if again.code != "not_understood" or again.suggestion is not None:
            raise
    if any(talk_in(line.written) for line in own.lines):
        raise unclear
    text = _joined(own)
    command = read_whole_reply(text, asked.today) or read_sentence(text)
    if command is not None:
        return [command]
    step = alternatives(text, asked) or spoken_step(text, asked)
    if step is not None:
        return [Play((step,))]
    if (account := read_account_command("\n".join(line.content for line in own.lines))) is not None:
        return [account]
    for line in (text, *(line.content for line in own.lines)):
        if is_question(line):
            raise Unclear("question", line=quoted(line))
    step = _step_beside_chatter(own, asked)
    if step is not None:
        return [Play((step,))]
    choice = read_choice(text, asked)
    suggestion = None if choice is None else Play(((choice.move,),))
    raise Unclear(unclear.code, suggestion, **unclear.facts)


def _step_beside_chatter(own: OwnText, asked: Asked) -> Step | None:
    """The step of the one sentence that is clear by itself, if the others are small talk that names
    and denies nothing; None if there is no such sentence."""
    sentences = [part for line in own.lines for part in _SENTENCE_END.split(line.content)]
    steps = [(sentence, _step_on(sentence, asked)) for sentence in sentences]
    clear = list({step: None for _, step in steps if step is not None})
    others = [sentence for sentence, step in steps if step is None]
    if any(read_sentence(line) or talk_in(line) for line in others):
        return None
    if len(clear) == 1 and all(is_chatter(line, asked) for line in others):
        return clear[0]
    return None


def _step_on(sentence: str, asked: Asked) -> Step | None:
    try:
        return alternatives(sentence, asked) or spoken_step(sentence, asked)
    except Unclear:
        return None


def _read_quote(quote: str, own: OwnText, asked: Asked, notes: list[StageNote]) -> list[Command]:
    """Read a reply without words of its own."""
    choice = choice_in_quote(quote, asked)
    if choice is None:
        if own.lines:
            raise Unclear("not_understood", line=quoted(_joined(own)))
        raise Unclear("nothing" if own.taken else "empty")
    play = Play(((choice.move,),))
    notes.append(StageNote("quote", choice.move, "marked, or the only one left"))
    if not choice.clear:
        raise Unclear("not_understood", play, line=quoted(choice.move))
    return [play]


# Together


def _check_together(commands: Sequence[Command]) -> None:
    """Raise Unclear if two commands contradict each other."""
    for first, second in combinations(commands, 2):
        if _exclude_each_other(first, second):
            raise Unclear("contradicting", first=_worded(first), second=_worded(second))


def _exclude_each_other(first: Command, second: Command) -> bool:
    once: tuple[Any, ...] = (Play, Wish, Away, MailChoice, Resign)
    if isinstance(first, once) and type(first) is type(second):
        return True
    return {type(first), type(second)} in (
        {Play, Resign},
        {Wish, DropPlan},
        {Away, Back},
        {Yes, No},
    )


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
        case Yes() | No():
            return Word("yes" if isinstance(command, Yes) else "no")
    raise AssertionError(f"no command excludes this one: {command!r}")
