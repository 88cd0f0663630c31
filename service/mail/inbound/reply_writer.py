"""The writer of a reply, what the letter asked them, and the result of a command."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from service.access.credentials import Caller
from service.access.games import LETTER, SeatAccess, access_by_letter
from service.db.models import Letter, Person
from service.mail.inbound.plain_text import folded
from service.mail.inbound.reply_texts import NotDone, Words


class Asked(NamedTuple):
    """What a letter asks in one game. A letter about several games asks in each of them."""

    game_id: str | None = None
    decision: str | None = None
    choices: Sequence[str] = ()
    labels: Sequence[str] = ()
    suggestion: dict[str, Any] | None = None  # moves that "yes" plays
    confirm: str | None = None  # command that "yes" confirms

    def number_of(self, move: str) -> int | None:
        """The number of a move in the list of the letter."""
        return self.choices.index(move) + 1 if move in self.choices else None

    def label_of(self, move: str) -> str | None:
        """The words of a move in the list of the letter; release 0.1.0 did not store them."""
        number = self.number_of(move)
        return None if number is None or number > len(self.labels) else self.labels[number - 1]


def asked_by(letter: Letter, key: str | None = None) -> Asked:
    """What a letter asks, or what it asks in the game with this letter of the alphabet."""
    facts = letter.facts
    if key is not None:
        return Asked(**facts["games"][key])
    listed = letter.decision is not None
    return Asked(
        letter.game_id,
        letter.decision,
        facts.get("choices", ()) if listed else (),
        facts.get("labels", ()) if listed else (),
        facts.get("suggestion"),
        facts.get("confirm"),
    )


@dataclass(frozen=True)
class Writer:
    """The writer of a reply to a letter, or of the part of it about one of its games."""

    person: Person
    letter: Letter
    received_at: datetime
    at: datetime
    own_address: bool  # the reply came from the address of the account
    key: str | None = None  # of the game, in a letter about several
    text: str = ""  # of the reply

    @cached_property
    def asked(self) -> Asked:
        return asked_by(self.letter, self.key)

    @property
    def say(self) -> Words:
        return Words(self.person.language)

    @property
    def caller(self) -> Caller:
        return Caller(self.person.id, self.person.name, "", LETTER, frozenset())

    @property
    def no_game(self) -> str:
        """The code of a refusal, since it is not known which game the writer speaks of."""
        return "which_letter" if self.letter.facts.get("games") else "which_game"

    def must_name_game(self) -> str:
        """The game that the writer speaks of."""
        if self.asked.game_id is None:
            raise NotDone(self.no_game)
        return self.asked.game_id

    def access(self) -> SeatAccess:
        """The game that the writer speaks of, locked."""
        return access_by_letter(self.person.id, self.must_name_game())

    def about(self, key: str) -> "Writer":
        """The same writer in one of several games."""
        return replace(self, key=key)

    def must_be_known(self) -> None:
        if not self.own_address:
            raise NotDone("other_address")

    def wrote(self, move: str) -> bool:
        """Whether the reply has this move in its notation."""
        return folded(move) in folded(self.text)


class Done(NamedTuple):
    """Result of a command. `stopped` is the reason why a part of it was not done."""

    said: tuple[str, ...] = ()
    happened: tuple[str, ...] = ()  # sentences of the game about a move
    show: tuple[str, ...] = ()
    confirm: str | None = None
    stopped: NotDone | None = None
    played: bool = False
