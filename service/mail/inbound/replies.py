"""Replies: carry out the commands of a reply, and queue one answer.

The answer goes to the address of the account, also if the reply came from another one, and is
composed when it is sent: it contains the results or the refusal, and the open question.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select, update

from engine.contract import Json
from service.access.games import lock_game
from service.core.current_settings import settings
from service.db.models import Incoming, IncomingState, Letter, Person
from service.db.session import db, execute
from service.mail.inbound.classify import Reading
from service.mail.inbound.command_types import Command, No, Unclear, Yes
from service.mail.inbound.digest_reader import split_by_game
from service.mail.inbound.intake import PAGE, IncomingRow
from service.mail.inbound.plain_text import folded
from service.mail.inbound.reply_results import ReplyResult
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Writer, asked_by
from service.mail.outgoing.suppression import lift_suppression
from service.notify.letters import queue_letter
from service.notify.notification_rules import ANSWER
from service.notify.preferences import preferences

REFUSED, REFUSED_BEFORE, GIVEN_UP = "refused", "refused_before", "given_up"
# Limits of answers with a refusal, for one letter and for one sender: an unmarked automatic mail
# may answer each of them. Such mails repeat themselves, people do not.
REFUSED_WITHIN = timedelta(hours=1)
MOST_REFUSED_TO_LETTER, MOST_REFUSED_TO_SENDER = 5, 10
REPEATED_WITHIN = timedelta(days=1)
MOST_REPEATED = 3  # refused mails in a row with the same text


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
    writer = Writer(person, letter, incoming.received_at, at, own_address, text=reading.text)
    checked = settings().mail_check_sender or preferences(person.mail).check_sender
    if not own_address and checked:
        answer = _refusal(writer, "wrong_sender")
    elif not reading.may_answer:
        answer = _refusal(writer, reading.kind)
    else:
        answer = _carried_out(writer, reading)
    if answer.code and not answer.said:
        silent = incoming.via != PAGE and _refused_lately(incoming, reading, at)
        _note_text(incoming, reading)
        if not silent:
            answer.write(incoming.id)
        return Outcome(IncomingState.done, REFUSED_BEFORE if silent else REFUSED, answer.code)
    answer.write(incoming.id)
    return Outcome(IncomingState.done, answer.code or None, ", ".join(answer.done))


def answer_given_up(incoming: IncomingRow, letter: Letter, at: datetime) -> None:
    """Answer a reply that could not be processed, in this transaction."""
    person = _account(letter)
    if person is not None:
        writer = Writer(person, letter, incoming.received_at, at, False)
        _refusal(writer, GIVEN_UP).write(incoming.id)


def _account(letter: Letter) -> Person | None:
    """The account that a letter went to, unless it is deleted or suspended."""
    person = None if letter.person_id is None else db.session.get(Person, letter.person_id)
    if person is None or person.email is None or person.suspended_at is not None:
        return None
    return person


def _refused_lately(incoming: IncomingRow, reading: Reading, at: datetime) -> bool:
    """Whether as many refusals were mailed lately as the limits allow, or this mail repeats those
    before it."""
    letter, sender = Incoming.letter_id == incoming.letter_id, Incoming.sender == incoming.sender
    lately = (Incoming.reason == REFUSED, Incoming.done_at > at - REFUSED_WITHIN)
    to_letter, to_sender = (
        execute(select(func.count()).where(same, *lately)).scalar_one() for same in (letter, sender)
    )
    if to_letter >= MOST_REFUSED_TO_LETTER or to_sender >= MOST_REFUSED_TO_SENDER:
        return True
    last = execute(
        select(Incoming.text_digest)
        .where(sender, Incoming.done_at > at - REPEATED_WITHIN)
        .order_by(Incoming.done_at.desc(), Incoming.received_at.desc())
        .limit(MOST_REPEATED)
    ).scalars()
    return [*last] == [_digest(reading)] * MOST_REPEATED


def _note_text(incoming: IncomingRow, reading: Reading) -> None:
    """Store the digest of a text that was refused."""
    mail = update(Incoming).where(Incoming.id == incoming.id)
    execute(mail.values(text_digest=_digest(reading)))


def _digest(reading: Reading) -> str:
    text = " ".join(folded(reading.text).split())
    return hashlib.sha256(f"{reading.kind}\n{text}".encode()).hexdigest()


def _refusal(writer: Writer, code: str) -> "_Answer":
    result = ReplyResult(writer)
    result.refuse(NotDone(code))
    return _Answer(result)


def _carried_out(writer: Writer, reading: Reading) -> "_Answer":
    result = ReplyResult(writer)
    if writer.letter.facts.get("games"):
        return _about_several(result, reading)
    result.do(reading.text, reading.quote)
    return _Answer(result)


def _about_several(result: ReplyResult, reading: Reading) -> "_Answer":
    """Carry out a reply to a letter about several games, each by itself. Nothing is done if there
    is text about none of them that is not clear."""
    writer = result.writer
    keys = sorted(writer.letter.facts["games"])
    only = keys[0] if len(keys) == 1 and writer.letter.game_id is None else None
    texts = split_by_game(reading.text, keys, only)
    found: list[Command] = []
    try:
        if texts.rest.strip():
            found = result.read(texts.rest)
    except Unclear as unclear:
        if not (texts.games and unclear.code == "nothing"):
            result.refuse_unclear(unclear)
            return _Answer(result)
    answered = [key for key in keys if key in texts.games]
    asking = [key for key in keys if _asks_yes(writer.letter, key)]
    to_game = [one for one in found if isinstance(one, (Yes, No)) and len(asking) == 1]
    _lock(writer.letter, {*answered, *(asking if to_game else ())})
    results = []
    for key in [*answered, *(key for key in asking if to_game and key not in answered)]:
        part = ReplyResult(writer.about(key))
        if key in texts.games:
            part.do(texts.games[key])
        else:
            part.carry_out(to_game)
        results.append(part)
    result.carry_out([command for command in found if command not in to_game])
    return _Answer(result, results)


def _asks_yes(letter: Letter, key: str) -> bool:
    """Whether a letter asks in this game what "yes" answers."""
    asked = asked_by(letter, key)
    return asked.suggestion is not None or asked.confirm is not None


def _lock(letter: Letter, keys: set[str]) -> None:
    """Lock the games in the order of all writers."""
    for game_id in sorted(letter.facts["games"][key]["game_id"] for key in keys):
        lock_game(game_id)


class _Answer:
    """The answer to a reply: the result, and those about each of several games."""

    def __init__(self, result: ReplyResult, games: Sequence[ReplyResult] = ()) -> None:
        self.result, self.games = result, games
        self.all = (result, *games)

    @property
    def done(self) -> list[str]:
        return [command for result in self.all for command in result.done]

    @property
    def said(self) -> list[str]:
        return [sentence for result in self.all for sentence in result.said]

    @property
    def code(self) -> str:
        """The code of the first refusal."""
        return next((result.code for result in self.all if result.code), "")

    def write(self, reply: str) -> None:
        """Queue the answer."""
        writer = self.result.writer
        assert writer.person.email is not None
        facts: Json = {"reply": reply} | self.result.facts()
        facts["receipt"] = all(result.is_receipt and not result.show for result in self.all)
        if self.games:
            facts["results"] = {str(part.writer.key): part.facts() for part in self.games}
        if writer.letter.facts.get("games") and writer.letter.game_id is None:
            asked = writer.letter.facts["games"]
            facts["asked_in"] = {key: asked[key]["game_id"] for key in asked}
        queue_letter(
            ANSWER,
            writer.person.email,
            facts,
            writer.at,
            person_id=writer.person.id,
            game_id=writer.letter.game_id,
        )
