"""Public profile of a player."""

from sqlalchemy import func, select

from engine.contract import Json
from service.db.models import Decision, Game, Person, Seat, Status
from service.db.session import db


def public_profile(person: Person) -> Json:
    """The public facts about a player: games, wins and punctuality."""
    games = db.session.execute(
        select(Game.status, Game.outcome, Seat.number, Seat.resigned_at)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person.id, Game.status.in_((Status.running, Status.finished)))
    ).all()
    finished = [game for game in games if game.status == Status.finished]
    return {
        "id": person.id,
        "name": person.name,
        "kind": "bot" if person.is_bot else "person",
        "owner": person.owner_id,
        "since": person.created_at,
        "running": len(games) - len(finished),
        "finished": {
            "games": len(finished),
            "wins": sum(
                game.number in game.outcome["winners"] and game.resigned_at is None
                for game in finished
            ),
        },
        "on_time": on_time(person),
    }


def on_time(person: Person) -> float | None:
    """The share of decisions answered before their deadline; None if there were none.

    Decisions of a bot that kept the seat do not count, nor do those of running games: that a
    decision exists would reveal that the seat had a choice.
    """
    in_time = Decision.due_at.is_(None) | (Decision.closed_at <= Decision.due_at)
    total, kept = db.session.execute(
        select(func.count(), func.count().filter(in_time))
        .select_from(Decision)
        .join(Game, Game.id == Decision.game_id)
        .where(
            Decision.person_id == person.id,
            Decision.via.is_not(None),
            Game.status == Status.finished,
        )
    ).one()
    return round(kept / total, 4) if total else None
