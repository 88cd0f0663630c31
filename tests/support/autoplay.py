"""Autoplay as in the worker, which respects unread replies."""

from datetime import datetime

from service.games import autoplay
from service.games.moves import PlayedMoves
from service.mail.inbound.unread import has_unread_reply


def answer_automatically(
    game_id: str, decision: str, at: datetime, *_: object
) -> PlayedMoves | None:
    return autoplay.answer_automatically(game_id, decision, at, has_unread_reply)
