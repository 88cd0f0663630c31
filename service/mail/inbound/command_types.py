"""Commands of a reply, and the reasons why one is unclear."""

from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

# Alternatives for one move in order of preference, in the notation of the game.
Step = tuple[str, ...]


class Command:
    """Base class of all commands."""


@dataclass(frozen=True)
class Play(Command):
    """Moves one after the other; of each step the first alternative that is possible."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Wish(Command):
    """Set the preferences list, in the notation of `read_preferences` of the game."""

    text: str


@dataclass(frozen=True)
class ShowPlan(Command):
    """Show the preferences list."""


@dataclass(frozen=True)
class DropPlan(Command):
    """Delete the preferences list."""


@dataclass(frozen=True)
class Say(Command):
    """Post a chat message."""

    text: str


@dataclass(frozen=True)
class Note(Command):
    """Append to the private note."""

    text: str


@dataclass(frozen=True)
class Away(Command):
    """Announce an absence, both days included."""

    first: date
    last: date


@dataclass(frozen=True)
class Back(Command):
    """Take the seat back from the bot."""


@dataclass(frozen=True)
class Resign(Command):
    confirmed: bool


@dataclass(frozen=True)
class Undo(Command):
    """Take the last answer back, or show the choices of one that may still be changed."""


@dataclass(frozen=True)
class Yes(Command):
    """Confirm what the mail that is replied to asked: "Did you mean 2?"."""


@dataclass(frozen=True)
class No(Command):
    """Decline what the mail that is replied to asked."""


@dataclass(frozen=True)
class MailChoice(Command):
    """Choose the mails about turns: every, batched, daily, urgent or off."""

    mode: str


@dataclass(frozen=True)
class Receipts(Command):
    """Choose whether answers come that ask nothing and refuse nothing."""

    on: bool


@dataclass(frozen=True)
class Show(Command):
    """Show the help, board, log, rules or games."""

    what: str


class Word(str):
    """A command word in the facts of a sentence, which is translated for the reader."""


class Unclear(Exception):
    """A reply that is not carried out. `suggestion` is the one command that was probably meant, if
    there is one: the answer offers it for confirmation. Codes, with the facts of their sentences:

    nothing; empty; too_long(most); too_many_lines(most); not_understood(line);
    no_such_number(number, most); number_in_later_step(line); contradicting(first, second);
    bad_dates(line); unreadable_wishes(text);
    ambiguous(line, first, second), with two possible meanings;
    part_of_talk(line, word): the line may belong to the message or note above it, or not;
    question(line): a question to us, in free words.
    """

    def __init__(self, code: str, suggestion: Play | None = None, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.suggestion = suggestion
        self.facts = facts


class StageNote(NamedTuple):
    """What a stage of the parser took off or understood, and why."""

    stage: str
    text: str
    why: str
