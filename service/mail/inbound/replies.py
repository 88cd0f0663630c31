"""Replies: what one says is done, and it gets one answer.

The answer goes to the address of the account, whoever wrote the reply, and is composed when it is
sent: it says what was done or why not, and asks again whatever is still open.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select

from engine.contract import GameType
from engine.registry import GAME_TYPES, game_type_by_key
from service.core.current_settings import settings
from service.core.time_control import zone_named
from service.db.models import Game, Incoming, IncomingState, Person
from service.db.session import AnyRow, execute, savepoint, table
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Unclear
from service.mail.inbound.handlers import carry_out
from service.mail.inbound.intake import PAGE
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer
from service.mail.outgoing.suppression import reachable
from service.notify.letters import queue_letter
from service.notify.preferences import preferences
from service.notify.rules import ANSWER

REFUSED, REFUSED_BEFORE, GIVEN_UP = "refused", "refused_before", "given_up"
# Of what was refused, so many mails are answered in this time: of those to one letter, and of those
# from one sender. Each answer can be answered, and so by a program that does not say it is one.
REFUSED_WITHIN = timedelta(hours=1)
MOST_REFUSED_TO_LETTER, MOST_REFUSED_TO_SENDER = 1, 10


class Outcome(NamedTuple):
    """What came of a reply. `result` is for the operator's eyes: what kinds of things were done,
    or the code of a refusal. It names no moves, which may be secret."""

    state: IncomingState
    reason: str | None
    result: str


_PERSON, _GAME, _INCOMING = table(Person), table(Game), table(Incoming)
_WRITER = select(
    *_PERSON.c["id", "email", "name", "language", "time_zone", "mail", "unreachable_since"]
).where(
    _PERSON.c.id == bindparam("person"),
    _PERSON.c.deleted_at.is_(None),
    _PERSON.c.suspended_at.is_(None),
)
_WHICH_GAME = select(_GAME.c.game, _GAME.c.rules).where(_GAME.c.id == bindparam("game"))
_REFUSED = (
    select(func.count().label("mails"))
    .select_from(_INCOMING)
    .where(_INCOMING.c.reason == REFUSED, _INCOMING.c.done_at > bindparam("since"))
)
_REFUSED_TO_LETTER = _REFUSED.where(_INCOMING.c.letter_id == bindparam("letter"))
_REFUSED_TO_SENDER = _REFUSED.where(_INCOMING.c.sender == bindparam("sender"))


def answer_reply(incoming: AnyRow, letter: AnyRow, reading: Reading, at: datetime) -> Outcome:
    """Do what a reply to this letter says, and write the answer to it, in this transaction."""
    person = execute(_WRITER, {"person": letter.person_id}).one_or_none()
    if person is None or person.email is None:
        return Outcome(IncomingState.dropped, "gone", "")
    own_address = incoming.via == PAGE or reading.sender == person.email
    if person.unreachable_since is not None and own_address and incoming.via != PAGE:
        reachable(person.id, at)  # first: it locks several games in order
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


def answer_given_up(incoming: AnyRow, letter: AnyRow, at: datetime) -> None:
    """Answer, in this transaction, a reply of which we could do nothing, by no fault of its
    writer."""
    person = execute(_WRITER, {"person": letter.person_id}).one_or_none()
    if person is not None and person.email is not None:
        answer = _Answer(Writer(person, letter, incoming.received_at, at, False), incoming.id)
        answer.refuse(NotDone(GIVEN_UP))
        answer.write()


def _refused_lately(incoming: AnyRow, at: datetime) -> bool:
    """Whether enough such refusals were mailed just before: whoever sends us rubbish, on purpose
    or not, does not make us send as much."""
    since = {"since": at - REFUSED_WITHIN}
    to_letter = execute(_REFUSED_TO_LETTER, since | {"letter": incoming.letter_id}).one()
    to_sender = execute(_REFUSED_TO_SENDER, since | {"sender": incoming.sender}).one()
    return bool(
        to_letter.mails >= MOST_REFUSED_TO_LETTER or to_sender.mails >= MOST_REFUSED_TO_SENDER
    )


class _Answer:
    """The answer to a reply, while it is done what it says."""

    def __init__(self, writer: Writer, reply: str) -> None:
        self.writer, self.reply = writer, reply
        self.done: list[str] = []
        self.said: list[str] = []
        self.show: list[str] = []
        self.confirm: str | None = None
        self.refused: str | None = None
        self.code = ""

    def do(self, text: str) -> None:
        """Do one command after the other; the first that cannot be done ends it, and what was done
        before it stays."""
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

    def _commands(self, text: str) -> list[Any]:
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
        """The game types whose notation a reply may use: the one of the letter's game, or all if
        the letter is about no single game. Its moves are read, and refused, in either case."""
        found = execute(_WHICH_GAME, {"game": self.writer.letter.game_id}).one_or_none()
        return GAME_TYPES if found is None else [game_type_by_key(found.game, found.rules)]

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
        """Write the letter with the answer."""
        writer = self.writer
        facts: dict[str, Any] = {
            "reply": self.reply,
            "said": self.said,
            "refused": self.refused,
            "show": self.show,
        }
        if self.confirm is not None:
            facts["confirm"] = self.confirm
        queue_letter(
            ANSWER,
            writer.person.email,
            facts,
            writer.at,
            person_id=writer.person.id,
            game_id=writer.letter.game_id,
        )
