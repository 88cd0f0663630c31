"""No more mails: about one game, or about anything that mails need not be sent for.

Whoever has a letter may say so without signing in, by the link or the address in its head.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from sqlalchemy import select, update

from service.db.models import Person, Seat
from service.db.session import db
from service.notify.invitation_refusals import refuse_invitations
from service.notify.preferences import EVERY, OFF, TURNS, preferences
from service.notify.rules import INVITATION

log = structlog.get_logger()


class Stopped(StrEnum):
    """What is not mailed any more."""

    game = "game"  # what happens in the letter's game
    all = "all"  # anything but codes to sign in and answers to mails
    invitations = "invitations"  # to the address of the letter
    nothing = "nothing"  # there is nobody any more to whom it would be mailed


def is_quiet(person_id: str, game_id: str) -> bool | None:
    """Whether somebody wants no mails about a game; None if they have no seat in it."""
    return db.session.execute(
        select(Seat.quiet).where(Seat.game_id == game_id, Seat.person_id == person_id)
    ).scalar_one_or_none()


def set_quiet(person_id: str, game_id: str, quiet: bool) -> bool:
    """Want no mails about a game, or want them again; whether they have a seat in it."""
    found = db.session.execute(
        update(Seat)
        .where(Seat.game_id == game_id, Seat.person_id == person_id)
        .values(quiet=quiet)
        .returning(Seat.number)
        .execution_options(synchronize_session=False)
    )
    return found.first() is not None


def all_off(person_id: str) -> str:
    """Want no mails at all; the choice for turns that held before."""
    return _choose_turns(person_id, OFF)


def all_on(person_id: str, turns: str) -> str:
    """Want mails again, for turns by this choice."""
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


def off_by_letter(letter: Any, at: datetime) -> Stopped:
    """Stop the mails of which this letter is one: those about its game, or all of them if it is
    about no game or not one of theirs. To do it again changes nothing."""
    if letter.kind == INVITATION:
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
    if game_id is not None and set_quiet(person_id, game_id, True):
        return Stopped.game
    all_off(person_id)
    return Stopped.all
