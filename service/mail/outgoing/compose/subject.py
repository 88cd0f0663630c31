"""Subject of the letters about a game: the same for all of them, so that programs show them
together."""

from collections.abc import Sequence

from sqlalchemy import or_, select

from engine.registry import game_type_by_key
from service.access.rows import GameRow, SeatRow
from service.db.models import Game, Seat
from service.db.session import execute
from service.mail.outgoing.compose.context import LetterContext


def subject_of_game(context: LetterContext, game: GameRow, seats: Sequence[SeatRow]) -> str:
    """The game type and the other players, or the title of the game; with a part of its id if an
    earlier game of the reader had the same subject and was running when this one began."""
    others = [seat.name for seat in seats if seat.person_id != context.reader.id and seat.name]
    subject = game.title or game_type_by_key(game.game, game.rules).meta.title
    if not game.title and others:
        table, names = subject, context.listed(others)
        subject = context.say("%(table)s with %(others)s", table=table, others=names)
    if game.started_at is not None and _has_twin(context.reader.id, game, others):
        return f"{subject} ({game.id[:4]})"
    return subject


def _has_twin(person: str, game: GameRow, others: Sequence[str]) -> bool:
    earlier = (
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(
            Seat.person_id == person,
            Game.game == game.game,
            Game.title == game.title,
            or_(
                Game.started_at < game.started_at,
                (Game.started_at == game.started_at) & (Game.id < game.id),
            ),
            Game.ended_at.is_(None) | (Game.ended_at > game.started_at),
        )
    )
    names = (
        select(Seat.game_id, Seat.name)
        .where(Seat.game_id.in_(earlier), Seat.person_id.is_(None) | (Seat.person_id != person))
        .order_by(Seat.game_id, Seat.number)
    )
    found: dict[str, list[str]] = {}
    for game_id, name in execute(names):
        found.setdefault(game_id, []).append(name)
    return bool(found) if game.title else list(others) in found.values()
