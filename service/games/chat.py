"""Chat at a table."""

from datetime import datetime, timedelta

from sqlalchemy import func, select

from engine.contract import Json
from service.access.accounts import accounts_of_same_person
from service.access.games import GameAccess, SeatAccess
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.models import Message, Person, Status
from service.db.session import count_rows, db
from service.games.loaded_game import load_game
from service.games.persistence import entries_for_all
from service.notify.event_log import record_events

LONGEST_MESSAGE = 1000


def say(access: SeatAccess, text: str, at: datetime) -> Json:
    """Post a message to everybody at the table."""
    caller, row = access.caller, access.game
    if row.status == Status.cancelled:
        raise Problem("not_running", "The table was cancelled; nobody is there.")
    recent = count_rows(
        Message.game_id == row.id,
        Message.person_id.in_(accounts_of_same_person(caller.person_id)),
        Message.at > at - timedelta(hours=1),
    )
    if recent >= settings().limits.messages_per_game_and_hour:
        raise Problem(
            "too_many_messages",
            "You have said a lot within an hour; let the others answer.",
            headers={"Retry-After": "600"},
        )
    message = Message(
        game_id=row.id,
        n=_last_number(row.id) + 1,
        person_id=caller.person_id,
        seat=access.seat,
        text=text,
        at=at,
    )
    db.session.add(message)
    posted = {"n": message.n, "seat": message.seat}
    record_events(entries_for_all(load_game(row), "message.posted", posted), at)
    return message_json(message, caller.name)


def _last_number(game_id: str) -> int:
    return db.session.execute(
        select(func.coalesce(func.max(Message.n), 0)).where(Message.game_id == game_id)
    ).scalar_one()


def message_json(message: Message, name: str) -> Json:
    return {
        "n": message.n,
        "seat": message.seat,
        "name": name,
        "text": message.text,
        "at": message.at,
    }


def latest_messages(access: GameAccess, most: int) -> list[Json]:
    """The last messages of a game, the oldest of them first."""
    return messages(access, max(0, _last_number(access.game.id) - most), most)[0]


def messages(access: GameAccess, after: int, limit: int) -> tuple[list[Json], int | None]:
    """The messages after number `after`, and the last number if there are more.

    Each has the name of its author: at an open table the seat may have another player by now."""
    found = db.session.execute(
        select(Message, Person.name)
        .join(Person, Person.id == Message.person_id)
        .where(Message.game_id == access.game.id, Message.n > after)
        .order_by(Message.n)
        .limit(limit + 1)
    ).all()
    items = [message_json(message, name) for message, name in found[:limit]]
    return items, items[-1]["n"] if len(found) > limit else None
