"""Invitations to a table, by mail or by a link to pass on."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select

from service.access.accounts import accounts_of_same_person, lock_person, person_with
from service.access.credentials import Caller
from service.access.games import KnownAccess, played, still_good
from service.access.rows import GameRow
from service.core.current_settings import settings
from service.core.email_address import mailbox_of, normal_address
from service.core.errors import Problem
from service.core.ids import digest, new_id, new_secret
from service.db.models import Game, Invitation, Person, Status
from service.db.session import count_rows, db
from service.games.tables import join, must_be_open
from service.notify.event_log import Entry, record_events
from service.notify.invitation_refusals import why_unwanted
from service.notify.letters import queue_letter
from service.notify.notification_rules import INVITATION

GOOD_FOR = timedelta(days=30)


class NewInvitation(NamedTuple):
    row: Invitation
    link: str


def invite(caller: Caller, game: GameRow, email: str | None, at: datetime) -> NewInvitation:
    """Invite an address, or make a link that lets its holder in once.

    Whether the address is sent a mail depends on the preferences of its owner and on the number of
    earlier invitations; the inviter learns neither.
    """
    must_be_open(game)
    email = None if email is None else normal_address(email)
    _check_numbers(caller, game, email, at)
    secret = new_secret("inv_")
    invitation = Invitation(
        id=new_id(),
        game_id=game.id,
        email=email,
        mailbox=None if email is None else mailbox_of(email),
        digest=digest(secret),
        invited_by=caller.person_id,
        created_at=at,
        expires_at=at + GOOD_FOR,
    )
    db.session.add(invitation)
    db.session.flush()
    link = f"{settings().public_url}/invitations/{secret}"
    if email is not None:
        known = person_with(email)
        reason = why_unwanted(email, known) or _too_many_mails(email, at)
        invitation.mailed = reason is None
        facts = {INVITATION: invitation.id} | ({"link": link} if reason is None else {})
        queue_letter(INVITATION, email, facts, at, skipped=reason)
        if known is not None:
            record_events([Entry(known.id, "table.invited", game.id, {"by": caller.name})], at)
    return NewInvitation(invitation, link)


def _too_many_mails(email: str, at: datetime) -> str | None:
    """Whether invitations of all inviters together fill the limit of this mailbox."""
    mailed = count_rows(
        Invitation.mailbox == mailbox_of(email),
        Invitation.created_at > at - timedelta(days=1),
        Invitation.mailed.is_(True),
    )
    most = settings().limits.invitation_mails_per_recipient_and_day
    return "too_many_for_recipient" if mailed >= most else None


def _check_numbers(caller: Caller, game: GameRow, email: str | None, at: datetime) -> None:
    lock_person(caller.person_id)
    waiting = (Invitation.game_id == game.id, Invitation.used_by.is_(None), still_good(at))
    if email is not None and count_rows(*waiting, Invitation.email == email):
        raise Problem("already_invited", "This address has an invitation to this table.")
    most = settings().limits
    if count_rows(*waiting) >= most.invitations_per_game:
        raise Problem(
            "too_many_invitations",
            f"{most.invitations_per_game} invitations to this table wait for an answer.",
        )
    today = count_rows(
        Invitation.invited_by.in_(accounts_of_same_person(caller.person_id)),
        Invitation.created_at > at - timedelta(days=1),
    )
    if today >= most.invitations_per_day:
        raise Problem(
            "too_many_invitations",
            f"You and your bots have sent {today} invitations within a day; wait a while.",
        )


class InvitationToMail(NamedTuple):
    """The facts of an invitation mail; `obsolete` is the reason if it need not be sent any more."""

    invitation: Invitation
    game: Game
    inviter: Person
    obsolete: str | None


def invitation_to_mail(invitation_id: str, at: datetime) -> InvitationToMail | None:
    """An invitation as its mail tells it now; None if it was deleted."""
    found = db.session.execute(
        select(Invitation, Game, Person)
        .select_from(Invitation)
        .join(Game, Game.id == Invitation.game_id)
        .join(Person, Person.id == Invitation.invited_by)
        .where(Invitation.id == invitation_id)
    ).one_or_none()
    if found is None:
        return None
    invitation, game, inviter = found
    obsolete = None
    if inviter.deleted_at is not None:
        obsolete = "gone"
    elif game.status != Status.open:
        obsolete = "not_open"
    elif invitation.used_by is not None:
        obsolete = "accepted"
    elif invitation.withdrawn_at is not None or invitation.expires_at <= at:
        obsolete = "withdrawn"
    return InvitationToMail(invitation, game, inviter, obsolete)


def invitations_of(game_id: str) -> list[Invitation]:
    """The invitations to a table that were not withdrawn, oldest first."""
    return list(
        db.session.scalars(
            select(Invitation)
            .where(Invitation.game_id == game_id, Invitation.withdrawn_at.is_(None))
            .order_by(Invitation.created_at, Invitation.id)
        )
    )


def invitations_for(caller: Caller, at: datetime) -> list[Invitation]:
    """Open invitations to the caller's address."""
    return list(
        db.session.scalars(
            select(Invitation)
            .join(Person, Person.email == Invitation.email)
            .join(Game, Game.id == Invitation.game_id)
            .where(
                Person.id == caller.person_id,
                Game.status == Status.open,
                Invitation.used_by.is_(None),
                still_good(at),
            )
            .order_by(Invitation.created_at, Invitation.id)
        )
    )


def withdraw(game_id: str, invitation_id: str, at: datetime) -> None:
    """Take an invitation back."""
    found = db.session.scalars(
        select(Invitation).where(Invitation.id == invitation_id, Invitation.game_id == game_id)
    ).one_or_none()
    if found is None:
        raise Problem("not_found", "There is no such invitation.")
    found.withdrawn_at = found.withdrawn_at or at


def letting_in(caller: Caller, game_id: str, secret: str | None, at: datetime) -> str | None:
    """The id of the invitation that lets the caller sit down: the one whose secret they have,
    or one to their address."""
    query = select(Invitation.id).where(
        Invitation.game_id == game_id,
        Invitation.used_by.is_(None),
        still_good(at),
    )
    if secret is not None:
        found = db.session.scalars(query.where(Invitation.digest == digest(secret))).first()
        if found is None:
            raise Problem("invitation_invalid", "Ask the host of the table for a new invitation.")
        return found
    own = select(Person.email).where(Person.id == caller.person_id).scalar_subquery()
    return db.session.scalars(query.where(Invitation.email == own)).first()


def sit_down(access: KnownAccess, secret: str | None, at: datetime) -> int:
    """Join a table with the invitation the caller has, if the table is by invitation."""
    invitation = letting_in(access.caller, access.game.id, secret, at)
    return join(access, at, invitation, as_invited=played(access.game.rematch_of, access.caller))


def game_of_link(secret: str, at: datetime) -> str | None:
    """The table to which this secret of a link still leads."""
    return db.session.scalars(
        select(Invitation.game_id).where(
            Invitation.digest == digest(secret),
            Invitation.used_by.is_(None),
            still_good(at),
        )
    ).first()


def is_invited(email: str, at: datetime) -> bool:
    """Whether an invitation to this address still waits for an answer."""
    waiting = (
        select(Invitation.id)
        .join(Game, Game.id == Invitation.game_id)
        .where(
            Invitation.email == normal_address(email),
            Invitation.used_by.is_(None),
            still_good(at),
            Game.status == Status.open,
        )
    )
    return db.session.scalars(waiting.limit(1)).first() is not None


def game_of_used_link(secret: str, caller: Caller) -> str | None:
    """The game whose invitation the caller has used: an old link still leads them to it."""
    return db.session.scalars(
        select(Invitation.game_id).where(
            Invitation.digest == digest(secret), Invitation.used_by == caller.person_id
        )
    ).first()


def table_of_link(secret: str, game_id: str) -> tuple[Game, str]:
    """The table to which the secret leads, and the name of the inviter: the link is the right to
    see it."""
    table, inviter = db.session.execute(
        select(Game, Person.name)
        .join(Invitation, Invitation.game_id == Game.id)
        .join(Person, Person.id == Invitation.invited_by)
        .where(Game.id == game_id, Invitation.digest == digest(secret))
    ).one()
    return table, inviter
