"""What a reply can ask for, and what can be unclear about it."""

from dataclasses import dataclass
from datetime import date
from typing import Any

# The moves somebody would make, in order of preference, in the notation of their game.
Step = tuple[str, ...]


@dataclass(frozen=True)
class Play:
    """Moves one after the other; of each step the first alternative that is possible."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Wish:
    """A ranked list for when time runs out, as `read_preferences` of the game understands it."""

    text: str


@dataclass(frozen=True)
class ShowPlan:
    """Tell which list there is."""


@dataclass(frozen=True)
class DropPlan:
    """Forget it."""


@dataclass(frozen=True)
class Say:
    """Something for the whole table."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something for oneself."""

    text: str


@dataclass(frozen=True)
class Away:
    """An absence, both days included."""

    first: date
    last: date


@dataclass(frozen=True)
class Back:
    """Take the seat back from the bot."""


@dataclass(frozen=True)
class Resign:
    confirmed: bool


@dataclass(frozen=True)
class TakeBack:
    """Choose again what is still open."""


@dataclass(frozen=True)
class MailChoice:
    """Which mails one wants: every, batched, daily, urgent or off."""

    mode: str


@dataclass(frozen=True)
class Show:
    """Something to be told: help, board, log, rules or games."""

    what: str


Command = (
    Play
    | Wish
    | ShowPlan
    | DropPlan
    | Say
    | Note
    | Away
    | Back
    | Resign
    | TakeBack
    | MailChoice
    | Show
)


class Word(str):
    """A command in a fact for a sentence: it is said as its reader would write it."""


class Unclear(Exception):
    """Why a reply is asked back, with facts for the sentence that says so:

    nothing; too_long(most); too_many_lines(most); not_understood(line);
    no_such_number(number, most); number_in_later_step(line); contradicting(first, second);
    bad_dates(line); unreadable_wishes(text);
    ambiguous(line, first, second), where the last two are what it could mean;
    part_of_talk(line, word), which may belong to what is said or noted above it, or not.
    """

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts
