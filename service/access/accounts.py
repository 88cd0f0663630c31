"""Accounts with their credentials, bots, webhooks and deliveries."""

from sqlalchemy import ScalarSelect, Select, bindparam, func, select
from sqlalchemy.orm import aliased

from service.access.credentials import Caller, not_found
from service.core.email_address import normal_address
from service.db.models import Credential, CredentialKind, Delivery, Game, Person, Seat, Webhook
from service.db.session import db, execute, table

_PERSON, _GAMES, _SEAT = (table(model) for model in (Person, Game, Seat))


def person_with(email: str) -> Person | None:
    """The person with this address; None if it has no account."""
    address = normal_address(email)
    return db.session.scalars(select(Person).where(Person.email == address)).one_or_none()


def access_own_account(caller: Caller, for_update: bool = False) -> Person:
    """The caller's own account; to change it, locked together with its games."""
    if for_update:
        _lock_with_games(caller.person_id)
    return db.session.get_one(Person, caller.person_id, populate_existing=True)


def access_own_habits(caller: Caller) -> Person:
    """The caller's own account, locked without its games: for changes that count only for decisions
    that open later."""
    execute(_PERSON_LOCKED, {"person": caller.person_id})
    return db.session.get_one(Person, caller.person_id, populate_existing=True)


def _lock_with_games(person_id: str) -> None:
    """Lock the rows that a change of an account may touch: its games in order, then the person.

    A move locks in this order; the other way round would be a deadlock.
    """
    execute(_OWN_GAMES_LOCKED, {"person": person_id})
    execute(_PERSON_LOCKED, {"person": person_id})


_OWN_GAMES_LOCKED = (
    select(_GAMES.c.id)
    .select_from(_GAMES.join(_SEAT, _SEAT.c.game_id == _GAMES.c.id))
    .where(_SEAT.c.person_id == bindparam("person"))
    .order_by(_GAMES.c.id)
    .with_for_update(of=_GAMES)
)
_PERSON_LOCKED = (
    select(_PERSON.c.id).where(_PERSON.c.id == bindparam("person")).with_for_update(key_share=True)
)


def accounts_of_same_person(person_id: str) -> Select[str]:
    """The ids of all accounts whose use counts for one person: a human account with all its bots,
    deleted ones included. Limits count by person, so that nobody multiplies them by bots."""
    human = _human(person_id)
    return select(Person.id).where((Person.id == human) | (Person.owner_id == human))


def lock_person(person_id: str) -> None:
    """Lock the human account for which a caller counts, so that the count stays true."""
    locked = select(Person.id).where(Person.id == _human(person_id))
    db.session.execute(locked.with_for_update(key_share=True))


def _human(person_id: str) -> ScalarSelect[str]:
    """The owner of a bot account, or the account itself."""
    one = aliased(Person)
    owner = select(func.coalesce(one.owner_id, one.id)).where(one.id == person_id)
    return owner.scalar_subquery()


def access_player(person_id: str) -> Person:
    """The account of a player, for their public profile."""
    person = db.session.get(Person, person_id)
    if person is None or person.deleted_at is not None:
        raise not_found("player")
    return person


def access_credential(caller: Caller, credential_id: str, kind: CredentialKind) -> Credential:
    """A token or session of the caller, or of a bot of theirs."""
    credential = db.session.execute(
        select(Credential)
        .join(Person, Person.id == Credential.person_id)
        .where(
            Credential.id == credential_id,
            Credential.kind == kind,
            (Person.id == caller.person_id) | (Person.owner_id == caller.person_id),
        )
    ).scalar_one_or_none()
    if credential is None:
        raise not_found(kind)
    return credential


def access_bot(caller: Caller, bot_id: str, for_update: bool = False) -> Person:
    """A bot account of the caller; to delete it, locked together with its games."""
    if for_update:
        _lock_with_games(bot_id)
    bot = db.session.execute(
        select(Person).where(
            Person.id == bot_id, Person.owner_id == caller.person_id, Person.deleted_at.is_(None)
        )
    ).scalar_one_or_none()
    if bot is None:
        raise not_found("bot account")
    return bot


def access_webhook(caller: Caller, webhook_id: str) -> Webhook:
    """A webhook of the caller."""
    webhook = db.session.execute(
        select(Webhook).where(Webhook.id == webhook_id, Webhook.person_id == caller.person_id)
    ).scalar_one_or_none()
    if webhook is None:
        raise not_found("webhook")
    return webhook


def access_delivery(webhook: Webhook, delivery_id: str) -> Delivery:
    delivery = db.session.execute(
        select(Delivery).where(Delivery.id == delivery_id, Delivery.webhook_id == webhook.id)
    ).scalar_one_or_none()
    if delivery is None:
        raise not_found("delivery")
    return delivery
