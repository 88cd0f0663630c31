"""Takeover of a seat by a bot because its owner may not play."""

from datetime import datetime

from sqlalchemy import update

from service.database import db
from service.ledger import set_seat, touch_game
from service.models import Decision
from service.play import settle_votes
from service.presence import presence_entries
from service.sitting import Sitting, with_seat
from service.telling import tell
from service.timekeeping import NO_TIME
from service.waking import wake


def take_over(sitting: Sitting, number: int, at: datetime) -> None:
    """Let a bot keep a seat, with what it has to decide now, until its owner takes it back."""
    seat = sitting.seats[number]
    if seat.bot or seat.resigned_at is not None:
        return
    changes = {"bot": True, "away_since": at, "wants_to_end": False, "wants_pause": False}
    set_seat(sitting, number, **changes)
    db.session.execute(
        update(Decision)
        .where(
            Decision.game_id == sitting.row.id,
            Decision.seat == number,
            Decision.closed_at.is_(None),
        )
        .values(person_id=None, remind_at=None, **NO_TIME)
        .execution_options(synchronize_session=False)
    )
    touch_game(sitting.row.id)
    wake("bots")
    entries = presence_entries(with_seat(sitting, number, **changes), number)
    if not sitting.frozen:
        entries += settle_votes(sitting.row.id, at)
    tell(entries, at)
