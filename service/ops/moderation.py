"""Moderation by the operator: suspend, sign out and delete people, end games, delete messages.

Each change writes a line `operator_action` to the log, with the system user who made it.
"""

import getpass
from dataclasses import asdict, dataclass
from datetime import datetime

import structlog
from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute

from service.access.accounts import access_own_account
from service.access.games import lock_game
from service.access.impersonation import caller_for
from service.accounts.deletion import delete_account, unfinished_seats
from service.core.email_address import normal_address
from service.core.errors import Problem
from service.db.models import (
    Credential,
    CredentialKind,
    Game,
    Letter,
    Message,
    Person,
    Seat,
    Status,
    Webhook,
)
from service.db.session import db
from service.games.autoplay import hand_to_bot
from service.games.early_end import abandon
from service.games.loaded_game import load_game
from service.games.tables import give_seat_back
from service.notify.event_log import Entry, record_events

log = structlog.get_logger()
DELETED = "(deleted)"
MENTION = "mention"  # the kind of letter that quotes a message


@dataclass(frozen=True)
class FoundPerson:
    """A person in a list."""

    id: str
    name: str
    email: str | None
    kind: str  # person or bot
    state: str  # active, suspended or deleted
    created_at: datetime


@dataclass(frozen=True)
class PersonDetails(FoundPerson):
    """A person for the operator; of their games only the number."""

    suspended_at: datetime | None
    mail_stopped_since: datetime | None
    owner: str | None
    language: str
    time_zone: str
    bots: int
    sessions: int
    tokens: int
    webhooks: int
    open_tables: int
    running_games: int
    finished_games: int
    last_seen_at: datetime | None


@dataclass(frozen=True)
class GameDetails:
    """A game for the operator, without secrets of players."""

    id: str
    game: str
    title: str
    status: str
    visibility: str
    host: str
    seats: list[dict[str, object]]
    moves: int
    messages: int
    created_at: datetime
    started_at: datetime | None
    moved_at: datetime | None
    ended_at: datetime | None
    frozen_at: datetime | None


def find_people(text: str, most: int) -> list[FoundPerson]:
    """People whose id or address is this, or whose name or address contains it, newest first."""
    wanted = text.strip()
    found = db.session.scalars(
        select(Person)
        .where(
            or_(
                Person.id == wanted.lower(),
                Person.email.contains(normal_address(wanted), autoescape=True),
                func.lower(Person.name).contains(wanted.lower(), autoescape=True),
            )
        )
        .order_by(Person.created_at.desc(), Person.id)
        .limit(most)
    )
    return [_found(person) for person in found]


def _found(person: Person) -> FoundPerson:
    state = "active" if person.suspended_at is None else "suspended"
    if person.deleted_at is not None:
        state = "deleted"
    kind = "bot" if person.is_bot else "person"
    return FoundPerson(person.id, person.name, person.email, kind, state, person.created_at)


def person_named(text: str) -> Person:
    wanted = text.strip()
    found = db.session.scalars(
        select(Person).where(
            (Person.id == wanted.lower()) | (Person.email == normal_address(wanted))
        )
    ).one_or_none()
    if found is None or found.deleted_at is not None:
        raise Problem(
            "not_found",
            f"There is no person with the id or address {wanted[:80]}; `laguna person find` "
            "looks for a part of a name or address.",
        )
    return found


def person_details(text: str) -> PersonDetails:
    person = person_named(text)
    good = Credential.revoked_at.is_(None) & (Credential.person_id == person.id)
    seated = (Seat.person_id == person.id) & (Seat.game_id == Game.id)
    last_seen = select(func.max(Credential.last_used_at)).where(Credential.person_id == person.id)
    return PersonDetails(
        **asdict(_found(person)),
        suspended_at=person.suspended_at,
        mail_stopped_since=person.unreachable_since,
        owner=person.owner_id,
        language=person.language,
        time_zone=person.time_zone,
        bots=_count(Person.id, (Person.owner_id == person.id) & Person.deleted_at.is_(None)),
        sessions=_count(Credential.id, good & (Credential.kind == CredentialKind.session)),
        tokens=_count(Credential.id, good & (Credential.kind == CredentialKind.token)),
        webhooks=_count(Webhook.id, Webhook.person_id == person.id),
        open_tables=_count(Game.id, seated & (Game.status == Status.open)),
        running_games=_count(Game.id, seated & (Game.status == Status.running)),
        finished_games=_count(Game.id, seated & (Game.status == Status.finished)),
        last_seen_at=db.session.scalar(last_seen),
    )


def _count(column: InstrumentedAttribute[str], which: ColumnElement[bool]) -> int:
    return db.session.execute(select(func.count(column)).where(which)).scalar_one()


def suspend(text: str, at: datetime) -> Person:
    """Suspend a person and their bot accounts: no sign-in, no tokens, no mails. Bots take over the
    seats in running games, seats at open tables become free."""
    person = person_named(text)
    for account in _with_bots(person):
        if account.suspended_at is None:
            account.suspended_at = at
            db.session.flush()
            _give_seats_away(account, at)
    _note("suspend", person=person.id)
    return person


def unsuspend(text: str) -> Person:
    """End the suspension of a person and their bot accounts; they may take their seats back."""
    person = person_named(text)
    for account in _with_bots(person):
        account.suspended_at = None
    _note("unsuspend", person=person.id)
    return person


def _with_bots(person: Person) -> list[Person]:
    """The account and its bots, each locked together with its games."""
    bots = db.session.scalars(
        select(Person)
        .where(Person.owner_id == person.id, Person.deleted_at.is_(None))
        .order_by(Person.id)
    ).all()
    return [access_own_account(caller_for(one), for_update=True) for one in (person, *bots)]


def _give_seats_away(person: Person, at: datetime) -> None:
    for loaded, number in unfinished_seats(person):
        if loaded.running:
            hand_to_bot(loaded, number, at)
        else:
            give_seat_back(loaded, number, at)


def sign_out(text: str, tokens: bool, at: datetime) -> int:
    """End all sessions of a person, and all tokens if wanted; their number."""
    person = person_named(text)
    kinds = [CredentialKind.session, *([CredentialKind.token] if tokens else [])]
    ended = db.session.execute(
        update(Credential)
        .where(
            Credential.person_id == person.id,
            Credential.kind.in_(kinds),
            Credential.revoked_at.is_(None),
        )
        .values(revoked_at=at)
        .returning(Credential.id)
        .execution_options(synchronize_session=False)
    ).all()
    _note("sign_out", person=person.id, tokens=tokens, ended=len(ended))
    return len(ended)


def delete_person(text: str, at: datetime) -> str:
    """Delete an account, as its owner may do; the id of the person."""
    person = person_named(text)
    delete_account(access_own_account(caller_for(person), for_update=True), at)
    _note("delete_person", person=person.id)
    return person.id


def game_details(game_id: str) -> GameDetails:
    row = _game(game_id)
    seats = db.session.scalars(
        select(Seat).where(Seat.game_id == row.id).order_by(Seat.number)
    ).all()
    return GameDetails(
        id=row.id,
        game=row.game,
        title=row.title,
        status=row.status,
        visibility=row.visibility,
        host=row.host_id,
        seats=[
            {
                "seat": seat.number,
                "name": seat.name,
                "person": seat.person_id,
                "bot": seat.bot,
                "resigned": seat.resigned_at is not None,
            }
            for seat in seats
        ],
        moves=row.moves,
        messages=_count(Message.game_id, Message.game_id == row.id),
        created_at=row.created_at,
        started_at=row.started_at,
        moved_at=row.moved_at,
        ended_at=row.ended_at,
        frozen_at=row.frozen_at,
    )


def _game(game_id: str) -> Game:
    found = db.session.get(Game, game_id.strip().lower())
    if found is None:
        raise Problem("not_found", f"There is no game {game_id[:40]}.")
    return found


def cancel_game(game_id: str, at: datetime) -> str:
    """Close a table, or end a running game without a winner; a sentence about the result."""
    row = lock_game(_game(game_id).id)
    loaded = load_game(row)
    if row.status == Status.open:
        db.session.execute(
            update(Game)
            .where(Game.id == row.id)
            .values(status=Status.cancelled, ended_at=at, version=Game.version + 1)
            .execution_options(synchronize_session=False)
        )
        record_events(
            [Entry(person, "table.cancelled", row.id, {}) for _, person in loaded.people], at
        )
        done = "The table is cancelled."
    elif row.status == Status.running:
        record_events(abandon(loaded, at), at)
        done = "The game is over: abandoned, without a winner."
    else:
        raise Problem("not_running", f"The game is {row.status} already.")
    _note("cancel_game", game=row.id)
    return done


def delete_message(game_id: str, number: int) -> str:
    """Delete the text of a message, and of mails that quote it; the id of its author."""
    row = _game(game_id)
    message = db.session.get(Message, (row.id, number))
    if message is None:
        raise Problem("not_found", f"Game {row.id} has no message {number}.")
    message.text = DELETED
    letters = db.session.scalars(
        select(Letter).where(Letter.game_id == row.id, Letter.kind == MENTION)
    )
    for letter in letters:
        if letter.facts.get("n") == number and letter.text is not None:
            letter.text, letter.html = f"{DELETED}\n", None
    _note("delete_message", game=row.id, message=number, author=message.person_id)
    return message.person_id


def _note(action: str, **about: object) -> None:
    try:
        operator = getpass.getuser()
    except (OSError, KeyError):  # a container may have users without a name
        operator = "unknown"
    log.info("operator_action", action=action, operator=operator, **about)
