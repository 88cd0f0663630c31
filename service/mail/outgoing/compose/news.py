"""News of a letter: what happened in a game since the reader's last answer, a line a turn."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import select

from engine.contract import Event, GameType, Json, may_see
from engine.narration import narrate
from engine.record import Sight, visible_events
from service.db.models import Move
from service.db.session import execute
from service.mail.outgoing.answer_links import BY_PLAYER

MOST_LINES = 6  # the others are in the log of the game


class StoredMove(NamedTuple):
    n: int
    seat: int
    via: str
    move: Json
    events: list[Json]


class News(NamedTuple):
    lines: list[str]
    earlier: int  # lines that are left out


def moves_of(game_id: str) -> list[StoredMove]:
    """All moves of a game."""
    moves = select(Move.n, Move.seat, Move.via, Move.move, Move.events)
    rows = execute(moves.where(Move.game_id == game_id).order_by(Move.n)).all()
    return [StoredMove._make(row) for row in rows]


def news_for(
    game: GameType,
    moves: Sequence[StoredMove],
    seat: int,
    sight: Sight,
    names: Sequence[str],
    language: str,
) -> News:
    """What happened since the seat's player last answered, the moves of bots and premoves on the
    seat included."""
    answered = (move.n for move in moves if move.seat == seat and move.via == BY_PLAYER)
    last = max(answered, default=0)
    turns = _turns(game, [move for move in moves if move.n > last], seat, sight)
    lines = [line for turn in turns if (line := narrate(game, turn, names, language, seat))]
    return News(lines[-MOST_LINES:], max(0, len(lines) - MOST_LINES))


def _turns(
    game: GameType, moves: Sequence[StoredMove], seat: int, sight: Sight
) -> Iterator[list[Event]]:
    """The events of each turn that the seat may see. A turn of nothing but secret moves, such as
    the pick of a card, tells nothing yet."""
    for mover, turn in groupby(moves, lambda move: move.seat):
        together = list(turn)
        audiences = [game.move_seen_by(mover, game.move_from_json(one.move)) for one in together]
        if any(may_see(audience, seat) for audience in audiences):
            yield [event for one in together for event in visible_events(one.events, sight)]
