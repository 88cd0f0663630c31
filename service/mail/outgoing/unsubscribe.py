"""Unsubscribing from mails about one game, or from all but codes and answers.

The link or the address in the headers of a letter allows it without a sign-in.
"""

from datetime import datetime
from enum import StrEnum

import structlog
from sqlalchemy import select, update

from service.db.models import Letter, Person, Seat
from service.db.session import db
from service.notify.invitation_refusals import refuse_invitations
from service.notify.notification_rules import FOR_STRANGERS
from service.notify.preferences import EVERY, OFF, TURNS, preferences

log = structlog.get_logger()


class Stopped(StrEnum):
    """Mails that were unsubscribed."""

    game = "game"  # about the game of the letter
    all = "all"  # all but sign-in codes and answers to mails
    invitations = "invitations"  # to the address of the letter
    nothing = "nothing"  # the account is gone


def is_muted(person_id: str, game_id: str) -> bool | None:
    """Whether a person gets no mails about a game; None if they have no seat in it."""
    return db.session.execute(
        select(Seat.quiet).where(Seat.game_id == game_id, Seat.person_id == person_id)
    ).scalar_one_or_none()


def set_muted(person_id: str, game_id: str, muted: bool) -> bool:
    """Stop or resume mails about a game; False if the person has no seat in it."""
    found = db.session.execute(
        update(Seat)
        .where(Seat.game_id == game_id, Seat.person_id == person_id)
        .values(quiet=muted)
        .returning(Seat.number)
        .execution_options(synchronize_session=False)
    )
    return found.first() is not None


def all_off(person_id: str) -> str:
    """Stop all mails; the previous preference for turns."""
    return _choose_turns(person_id, OFF)


def all_on(person_id: str, turns: str) -> str:
    """Resume mails with this preference for turns."""
    return _choose_turns(person_id, turns if turns in TURNS and turns != OFF else EVERY)


def _choose_turns(person_id: str, turns: str) -> str:
    person = db.session.get_one(
        Person, person_id, with_for_update={"key_share": True}, populate_existing=True
    )
    before = preferences(person.mail).turns
    if turns != before:
        person.mail = person.mail | {"turns": turns}
        person.version += 1
    return before


def off_by_letter(letter: Letter, at: datetime) -> Stopped:
    """Stop mails like this letter: about its game, or all if the person has no seat in one.
    Idempotent."""
    if letter.kind in FOR_STRANGERS and letter.person_id is None:
        refuse_invitations(letter.to, at)
        stopped = Stopped.invitations
    else:
        stopped = _stop(letter.person_id, letter.game_id)
    days = None if letter.sent_at is None else (at - letter.sent_at).days
    log.info("mails_stopped", what=stopped, letter=letter.id, kind=letter.kind, days_after=days)
    return stopped


def _stop(person_id: str | None, game_id: str | None) -> Stopped:
    if person_id is None:
        return Stopped.nothing
    if game_id is not None and set_muted(person_id, game_id, True):
        return Stopped.game
    all_off(person_id)
    return Stopped.all
