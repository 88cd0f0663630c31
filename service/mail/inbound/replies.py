"""Replies: carry out the commands of a reply, and queue one answer.

The answer goes to the address of the account, also if the reply came from another one, and is
composed when it is sent: it contains the results or the refusal, and the open question.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select

from engine.contract import GameType, Json
from engine.registry import GAME_TYPES, game_type_by_key
from service.core.current_settings import settings
from service.core.time_control import zone_named
from service.db.models import Game, Incoming, IncomingState, Letter, Person
from service.db.session import db, execute, savepoint
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Unclear
from service.mail.inbound.handlers import carry_out
from service.mail.inbound.intake import PAGE, IncomingRow
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer
from service.mail.outgoing.suppression import lift_suppression
from service.notify.letters import queue_letter
from service.notify.notification_rules import ANSWER
from service.notify.preferences import preferences

REFUSED, REFUSED_BEFORE, GIVEN_UP = "refused", "refused_before", "given_up"
# Limits of answers with a refusal, for one letter and for one sender: an unmarked automatic mail
# may answer each of them.
REFUSED_WITHIN = timedelta(hours=1)
MOST_REFUSED_TO_LETTER, MOST_REFUSED_TO_SENDER = 1, 10


class Outcome(NamedTuple):
    """Result of an incoming mail. `result` is for the operator: the types of the commands that
    were carried out, or the code of a refusal; moves may be secret."""

    state: IncomingState
    reason: str | None = None
    result: str | None = None


def answer_reply(incoming: IncomingRow, letter: Letter, reading: Reading, at: datetime) -> Outcome:
    """Carry out a reply to this letter and queue the answer, in this transaction."""
    person = _account(letter)
    if person is None:
        return Outcome(IncomingState.dropped, "gone", "")
    own_address = incoming.via == PAGE or reading.sender == person.email
    if person.unreachable_since is not None and own_address and incoming.via != PAGE:
        lift_suppression(person.id, at)  # first: it locks several games in order
    writer = Writer(person, letter, incoming.received_at, at, own_address)
    answer = _Answer(writer, incoming.id)
    checked = settings().mail_check_sender or preferences(person.mail).check_sender
    if not own_address and checked:
        answer.refuse(NotDone("wrong_sender"))
    elif reading.kind != "reply":
        answer.refuse(NotDone(reading.kind))
    else:
        answer.do(reading.text)
    if answer.refused is not None and not answer.said:
        if incoming.via != PAGE and _refused_lately(incoming, at):
            return Outcome(IncomingState.done, REFUSED_BEFORE, answer.code)
        answer.write()
        return Outcome(IncomingState.done, REFUSED, answer.code)
    answer.write()
    return Outcome(IncomingState.done, answer.code or None, ", ".join(answer.done))


def answer_given_up(incoming: IncomingRow, letter: Letter, at: datetime) -> None:
    """Answer a reply that could not be processed, in this transaction."""
    person = _account(letter)
    if person is not None:
        answer = _Answer(Writer(person, letter, incoming.received_at, at, False), incoming.id)
        answer.refuse(NotDone(GIVEN_UP))
        answer.write()


def _account(letter: Letter) -> Person | None:
    """The account that a letter went to, unless it is deleted or suspended."""
    person = None if letter.person_id is None else db.session.get(Person, letter.person_id)
    if person is None or person.email is None or person.suspended_at is not None:
        return None
    return person


def _refused_lately(incoming: IncomingRow, at: datetime) -> bool:
    """Whether as many refusals were mailed lately as the limits allow."""
    letter, sender = Incoming.letter_id == incoming.letter_id, Incoming.sender == incoming.sender
    lately = (Incoming.reason == REFUSED, Incoming.done_at > at - REFUSED_WITHIN)
    to_letter, to_sender = (
        execute(select(func.count()).where(same, *lately)).scalar_one() for same in (letter, sender)
    )
    return to_letter >= MOST_REFUSED_TO_LETTER or to_sender >= MOST_REFUSED_TO_SENDER


class _Answer:
    """The answer to a reply, while its commands are carried out."""

    def __init__(self, writer: Writer, reply: str) -> None:
        self.writer, self.reply = writer, reply
        self.done: list[str] = []
        self.said: list[str] = []
        self.show: list[str] = []
        self.confirm: str | None = None
        self.refused: str | None = None
        self.code = ""

    def do(self, text: str) -> None:
        """Carry out the commands up to the first that is refused."""
        try:
            for command in self._commands(text):
                with savepoint():
                    done = carry_out(self.writer, command)
                self.done.append(type(command).__name__.lower())
                self._add(done)
                if self.refused is not None:
                    break
        except Unclear as unclear:
            self.refuse(self._not_clear(unclear))
        except NotDone as not_done:
            self.refuse(not_done)

    def _not_clear(self, unclear: Unclear) -> NotDone:
        code, facts = unclear.code, unclear.facts
        no_list = code == "no_such_number" and not facts["most"]
        if self.writer.letter.game_id is None and (no_list or code == "unreadable_wishes"):
            return NotDone("which_game")
        if code == "unreadable_wishes":
            facts = facts | {"wishes": self.writer.say.all_wishes(self._game_types()[0])}
        return NotDone("no_list" if no_list else code, **facts)

    def _commands(self, text: str) -> list[Command]:
        letter, person = self.writer.letter, self.writer.person
        choices = letter.facts.get("choices", ()) if letter.decision is not None else ()
        today = self.writer.received_at.astimezone(zone_named(person.time_zone)).date()
        unclear: Unclear | None = None
        for game_type in self._game_types():
            try:
                return read_commands(text, game_type, choices, today)
            except Unclear as error:
                unclear = unclear or error
        assert unclear is not None
        raise unclear

    def _game_types(self) -> Sequence[GameType]:
        """The game types whose notation a reply may use: that of the letter's game, or all if the
        letter is about no single game; then moves are read and refused."""
        game_id = self.writer.letter.game_id
        game = None if game_id is None else db.session.get(Game, game_id)
        return GAME_TYPES if game is None else [game_type_by_key(game.game, game.rules)]

    def _add(self, done: Done) -> None:
        self.said += done.said
        self.show += [what for what in done.show if what not in self.show]
        self.confirm = done.confirm or self.confirm
        if done.stopped is not None:
            self.refuse(done.stopped)

    def refuse(self, why: NotDone) -> None:
        self.code = why.code
        self.refused = self.writer.say.refusal(why.code, why.facts)

    def write(self) -> None:
        """Queue the answer."""
        writer, address = self.writer, self.writer.person.email
        assert address is not None
        facts: Json = {
            "reply": self.reply,
            "said": self.said,
            "refused": self.refused,
            "show": self.show,
        }
        if self.confirm is not None:
            facts["confirm"] = self.confirm
        queue_letter(
            ANSWER,
            address,
            facts,
            writer.at,
            person_id=writer.person.id,
            game_id=writer.letter.game_id,
        )
