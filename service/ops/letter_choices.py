"""The question of the letter that an incoming mail answers, for an operator who reads the mail."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.contract import GameType
from engine.registry import game_type_by_key
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.models import Game, Incoming, Letter
from service.db.session import db
from service.mail.inbound.imap_poller import recipients_of
from service.mail.inbound.mime_parts import head_of
from service.mail.outgoing.reply_address import read_address
from service.ops.incoming_admin import NO_TEXT, NOT_FOUND


class Question(NamedTuple):
    game_type: GameType
    choices: Sequence[str]
    labels: Sequence[str] = ()


def stored_mail(mail_id: str) -> tuple[bytes, Question | None]:
    """A stored mail as it was received, and the question that it answers; raises Problem."""
    row = db.session.get(Incoming, mail_id)
    if row is None:
        raise Problem("not_found", NOT_FOUND)
    if row.raw is None:
        raise Problem("not_found", NO_TEXT)
    return row.raw, None if row.letter_id is None else _question(row.letter_id)


def question_of(raw: bytes) -> Question | None:
    """The question of the letter to whose signed address a mail goes; None if it goes to none."""
    recipients = recipients_of(settings(), head_of(raw))
    if not recipients:
        return None
    letter_id = read_address(settings(), recipients[0], now()).letter_id
    return None if letter_id is None else _question(letter_id)


def _question(letter_id: str) -> Question | None:
    letter = db.session.get(Letter, letter_id)
    game = (
        None if letter is None or letter.game_id is None else db.session.get(Game, letter.game_id)
    )
    if letter is None or game is None:
        return None
    asked = letter.facts if letter.decision is not None else {}
    choices, labels = asked.get("choices", ()), asked.get("labels", ())
    return Question(game_type_by_key(game.game, game.rules), choices, labels)
