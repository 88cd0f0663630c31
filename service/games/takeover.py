"""Takeover of a seat by a bot because its owner may not play."""

from datetime import datetime

from sqlalchemy import update

from service.core.worker_signal import wake
from service.db.models import Decision
from service.db.session import db
from service.games.decision_clock import NO_TIME
from service.games.loaded_game import LoadedGame, with_seat
from service.games.moves import settle_votes
from service.games.persistence import set_seat, touch_game
from service.games.presence import presence_entries
from service.notify.event_log import record_events


def take_over(loaded: LoadedGame, number: int, at: datetime) -> None:
    """Let a bot keep a seat, with what it has to decide now, until its owner takes it back."""
    seat = loaded.seats[number]
    if seat.bot or seat.resigned_at is not None:
        return
    changes = {"bot": True, "away_since": at, "wants_to_end": False, "wants_pause": False}
    set_seat(loaded, number, **changes)
    db.session.execute(
        update(Decision)
        .where(
            Decision.game_id == loaded.row.id,
            Decision.seat == number,
            Decision.closed_at.is_(None),
        )
        .values(person_id=None, remind_at=None, **NO_TIME)
        .execution_options(synchronize_session=False)
    )
    touch_game(loaded.row.id)
    wake("bots")
    entries = presence_entries(with_seat(loaded, number, **changes), number)
    if not loaded.frozen:
        entries += settle_votes(loaded.row.id, at)
    record_events(entries, at)
