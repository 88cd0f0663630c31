"""Autoplay as the worker does it: with the mails that wait to be read."""

from datetime import datetime

from service.games import autoplay
from service.games.moves import PlayedMoves
from service.mail.inbound.unread import has_unread_reply


def answer_for_absent(game_id: str, decision: str, at: datetime, *_: object) -> PlayedMoves | None:
    return autoplay.answer_for_absent(game_id, decision, at, has_unread_reply)
