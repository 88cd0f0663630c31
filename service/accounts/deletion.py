"""Deletion of an account. The games of the person go on without them."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import delete, func, select, update

from service.access.games import lock_game
from service.accounts.profile import rename_seats
from service.accounts.traces import FORMER, remove_traces, traces_of
from service.db.models import (
    Bounce,
    Credential,
    Event,
    Game,
    Incoming,
    Invitation,
    KeptAnswer,
    Letter,
    Message,
    PendingNotice,
    Person,
    Seat,
    SignIn,
    Status,
    Webhook,
)
from service.db.session import db
from service.games.agreements import give_up
from service.games.loaded_game import LoadedGame, load_game
from service.games.tables import give_seat_back
from service.notify.invitation_refusals import store_refusal
from service.notify.preferences import preferences


def delete_account(person: Person, at: datetime) -> None:
    """Delete a person's data: seats of running games go to bots, records keep a neutral name."""
    for bot in db.session.scalars(
        select(Person).where(Person.owner_id == person.id, Person.deleted_at.is_(None))
    ).all():
        delete_account(bot, at)
    traces = traces_of(person)
    rename_seats(person.id, FORMER, tuple(Status))
    _leave_games(person, at)
    remove_traces(person, traces)
    for owner in (Webhook, Event, KeptAnswer, PendingNotice):
        db.session.execute(delete(owner).where(owner.person_id == person.id))
    if person.email is not None:  # not of a bot; NULL is the address of invitation links
        if not preferences(person.mail).invitations:
            store_refusal(person.email, at)
        for address in (Invitation.email, SignIn.email, Letter.to, Bounce.address):
            db.session.execute(delete(address.class_).where(address == person.email))
        own = (Incoming.letter_id.is_(None), Incoming.sender == person.email)
        db.session.execute(delete(Incoming).where(*own))
    db.session.execute(update(Seat).where(Seat.person_id == person.id).values(note="", wishes=[]))
    db.session.execute(
        update(Message).where(Message.person_id == person.id).values(text="(deleted)")
    )
    db.session.execute(
        update(Credential)
        .where(Credential.person_id == person.id)
        .values(revoked_at=func.coalesce(Credential.revoked_at, at), name="", last_used_at=None)
    )
    person.email = None
    person.noticed = Person.last_event  # no letters follow without an address
    person.name = FORMER
    person.language, person.time_zone = "en", "UTC"
    person.sleep_from = person.sleep_to = None
    person.mail = {}
    person.absences = []
    person.unreachable_since = None
    person.deleted_at = at


def _leave_games(person: Person, at: datetime) -> None:
    for loaded, number in unfinished_seats(person):
        if loaded.running:
            give_up(loaded, number, at)
        else:
            give_seat_back(loaded, number, at)


def unfinished_seats(person: Person) -> Iterator[tuple[LoadedGame, int]]:
    """Seats of a person in games that are not over, each game locked and loaded in turn."""
    games = db.session.scalars(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person.id, Game.status.in_((Status.open, Status.running)))
        .order_by(Game.id)
    ).all()
    for game_id in games:
        loaded = load_game(lock_game(game_id))
        yield loaded, next(seat.number for seat in loaded.seats if seat.person_id == person.id)
