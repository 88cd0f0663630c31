"""Accounts of people and of their bots, with settings and credentials."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import func, select, update

from service.access.accounts import accounts_of_same_person
from service.access.credentials import Caller
from service.access.games import lock_game
from service.access.scopes import BOT_SCOPES, joined
from service.core.clock import now
from service.core.current_settings import settings
from service.core.email_address import normal_address
from service.core.errors import Problem
from service.core.ids import digest, new_id, new_secret
from service.db.models import Credential, CredentialKind, Game, Person, Seat, Status
from service.db.session import db
from service.games.persistence import touch_game
from service.notify.invitation_refusals import take_over_refusal
from service.notify.preferences import preferences
from service.notify.reminders import set_anew

TOKEN_PREFIX = "lag_"  # noqa: S105 - not a secret


class NewCredential(NamedTuple):
    """A credential with its secret, which is not stored."""

    row: Credential
    secret: str


def make_person(email: str, name: str, at: datetime) -> Person:
    """Create an account for an address that is proved, or confirmed by the operator."""
    address = normal_address(email)
    mail = take_over_refusal(address)
    person = Person(id=new_id(), email=address, name=name, mail=mail, created_at=at)
    db.session.add(person)
    db.session.flush()
    return person


def new_credential(
    person_id: str,
    kind: CredentialKind,
    name: str,
    scopes: Sequence[str],
    at: datetime,
    expires_at: datetime | None,
) -> NewCredential:
    """Create a session or a token."""
    secret = new_secret(TOKEN_PREFIX)
    credential = Credential(
        id=new_id(),
        person_id=person_id,
        kind=kind,
        digest=digest(secret),
        prefix=secret[:10],
        name=name[:80],
        scopes=joined(scopes),
        created_at=at,
        expires_at=expires_at,
    )
    db.session.add(credential)
    db.session.flush()
    return NewCredential(credential, secret)


def issue_token(
    issuer: Caller,
    person: Person,
    name: str,
    scopes: Sequence[str],
    days: int | None,
    at: datetime,
) -> NewCredential:
    """Create a token for the issuer or a bot of theirs. It expires no later than the token that
    issues it."""
    expires_at = None if days is None else at + timedelta(days=days)
    if not issuer.signed_in and issuer.expires_at is not None:
        expires_at = min(expires_at or issuer.expires_at, issuer.expires_at)
    return make_token(person, name, scopes, at, expires_at)


def make_token(
    person: Person, name: str, scopes: Sequence[str], at: datetime, expires_at: datetime | None
) -> NewCredential:
    """Create a personal access token."""
    if person.is_bot and (beyond := set(scopes) - set(BOT_SCOPES)):
        raise Problem("humans_only", f"A bot account cannot have the scope {min(beyond)}.")
    count = db.session.execute(
        select(func.count())
        .select_from(Credential)
        .where(
            Credential.person_id.in_(accounts_of_same_person(person.id)),
            Credential.kind == CredentialKind.token,
            Credential.revoked_at.is_(None),
        )
    ).scalar_one()
    if count >= settings().limits.tokens:
        raise Problem(
            "too_many_tokens", f"You and your bots have {count} tokens; revoke one first."
        )
    return new_credential(person.id, CredentialKind.token, name, scopes, at, expires_at)


def revoke(credential: Credential, at: datetime) -> None:
    """Revoke a token or session. Idempotent."""
    credential.revoked_at = credential.revoked_at or at


def make_bot(owner: Person, name: str, at: datetime) -> Person:
    """Create a bot account of an owner."""
    if owner.is_bot:
        raise Problem("humans_only", "A bot account cannot have bots of its own.")
    count = db.session.execute(
        select(func.count())
        .select_from(Person)
        .where(Person.owner_id == owner.id, Person.deleted_at.is_(None))
    ).scalar_one()
    if count >= settings().limits.bots:
        raise Problem("too_many_bots", f"You have {count} bot accounts; delete one first.")
    bot = Person(id=new_id(), owner_id=owner.id, name=name, mail={}, created_at=at)
    db.session.add(bot)
    db.session.flush()
    return bot


def change_settings(person: Person, changes: Mapping[str, Any]) -> None:
    """Change settings of a person, with the name in their games and the reminders of their open
    decisions."""
    before = _reminder_settings(person)
    name = changes.get("name")
    if name is not None and name != person.name:
        rename_seats(person.id, name, (Status.open, Status.running))
    for key, value in changes.items():
        setattr(person, key, person.mail | value if key == "mail" else value)
    person.version += 1
    if _reminder_settings(person) != before:
        set_anew(person, now())


def _reminder_settings(person: Person) -> tuple[object, ...]:
    chosen = preferences(person.mail).reminders
    return chosen, person.time_zone, person.sleep_from, person.sleep_to


def rename_seats(person_id: str, name: str, statuses: Sequence[Status]) -> None:
    """Change a person's name in games with these statuses. Finished games keep the old name in
    their records."""
    games = db.session.scalars(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person_id, Game.status.in_(statuses))
        .order_by(Game.id)
    ).all()
    for game_id in games:
        lock_game(game_id)  # lock it, in the order of all writers
        touch_game(game_id)
        db.session.execute(
            update(Seat)
            .where(Seat.game_id == game_id, Seat.person_id == person_id)
            .values(name=name)
            .execution_options(synchronize_session=False)
        )
