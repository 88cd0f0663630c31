"""The writer of a reply, and the result of a command."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from service.access.credentials import Caller
from service.access.games import LETTER, SeatAccess, access_by_letter
from service.db.models import Letter, Person
from service.mail.inbound.reply_texts import NotDone, Words


@dataclass(frozen=True)
class Writer:
    """The writer of a reply to a letter."""

    person: Person
    letter: Letter
    received_at: datetime
    at: datetime
    own_address: bool  # the reply came from the address of the account

    @property
    def say(self) -> Words:
        return Words(self.person.language)

    @property
    def caller(self) -> Caller:
        return Caller(self.person.id, self.person.name, "", LETTER, frozenset())

    def access(self) -> SeatAccess:
        """The game of the letter, locked."""
        if self.letter.game_id is None:
            raise NotDone("which_game")
        return access_by_letter(self.person.id, self.letter.game_id)

    def must_be_known(self) -> None:
        if not self.own_address:
            raise NotDone("other_address")


class Done(NamedTuple):
    """Result of a command. `stopped` is the reason why a part of it was not done."""

    said: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    confirm: str | None = None
    stopped: NotDone | None = None
