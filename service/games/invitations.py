"""Invitations to a table, by mail or by a link to pass on, and rematches."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select

from engine.contract import Json
from engine.options import renewed_options
from engine.registry import game_by_key
from service.access.accounts import accounts_of_same_person, lock_person
from service.access.credentials import Caller
from service.access.games import KnownAccess, SeatAccess, access_decided_game, played, still_good
from service.accounts.profile import person_with
from service.core.current_settings import settings
from service.core.email_address import mailbox_of, normal_address
from service.core.errors import Refused
from service.core.ids import digest, new_id, new_secret
from service.core.web_addresses import has_web_address
from service.db.models import Game, Invitation, LetterState, Person, Seat, Status, Visibility
from service.db.session import AnyRow, db, table
from service.games.persistence import touch_game
from service.games.tables import TableSpec, join, must_be_open, open_table
from service.mail.outgoing.invitation_refusals import why_unwanted
from service.mail.outgoing.mime import refusal_link
from service.mail.outgoing.templates import write_letter
from service.notify.event_log import Entry, record_events
from service.notify.rules import INVITATION

GOOD_FOR = timedelta(days=30)


class NewInvitation(NamedTuple):
    row: Invitation
    link: str


def invite(caller: Caller, game: AnyRow, email: str | None, at: datetime) -> NewInvitation:
    """Invite an address, or make a link that lets its holder in once.

    Whether the address is sent a mail depends on what its owner wants and on how many they had
    already; the inviter is told neither.
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
        _write_mail(invitation, email, caller, game, link, reason)
        if known is not None:
            record_events([Entry(known.id, "table.invited", game.id, {"by": caller.name})], at)
    return NewInvitation(invitation, link)


def _write_mail(
    invitation: Invitation,
    email: str,
    caller: Caller,
    game: AnyRow,
    link: str,
    not_sent: str | None,
) -> None:
    """Write the mail of an invitation; with a reason not to send it, it is stored as skipped.

    A name or title with a web address in it is left out: an invitation goes to people who never
    heard of us, and must not carry the advertisement of somebody they do not know.
    """
    at, letter_id = invitation.created_at, new_id()
    letter = write_letter(
        INVITATION,
        email,
        at,
        until=invitation.expires_at,
        language=db.session.get_one(Person, caller.person_id).language,
        letter_id=letter_id,
        host="" if has_web_address(caller.name) else caller.name,
        game=game_by_key(game.game, game.rules).meta.title,
        seats=game.seats,
        title="" if has_web_address(game.title) else game.title,
        link=link,
        refuse=refusal_link(letter_id, settings(), at),
    )
    letter.facts = letter.facts | {INVITATION: invitation.id}
    invitation.mailed = not_sent is None
    if not_sent is not None:
        letter.state, letter.reason, letter.next_try_at = LetterState.skipped, not_sent, None


def _too_many_mails(email: str, at: datetime) -> str | None:
    """Whether invitations of all inviters together fill the limit of this mailbox."""
    mailed = db.session.execute(
        select(func.count())
        .select_from(Invitation)
        .where(
            Invitation.mailbox == mailbox_of(email),
            Invitation.created_at > at - timedelta(days=1),
            Invitation.mailed,
        )
    ).scalar_one()
    most = settings().limits.invitation_mails_per_recipient_and_day
    return "too_many_for_recipient" if mailed >= most else None


def _check_numbers(caller: Caller, game: AnyRow, email: str | None, at: datetime) -> None:
    lock_person(caller.person_id)
    waiting = (
        select(func.count())
        .select_from(Invitation)
        .where(Invitation.game_id == game.id, Invitation.used_by.is_(None), still_good(at))
    )
    if (
        email is not None
        and db.session.execute(waiting.where(Invitation.email == email)).scalar_one()
    ):
        raise Refused("already_invited", "This address has an invitation to this table.")
    most = settings().limits
    if db.session.execute(waiting).scalar_one() >= most.invitations_per_game:
        raise Refused(
            "too_many_invitations",
            f"{most.invitations_per_game} invitations to this table wait for an answer.",
        )
    today = db.session.execute(
        select(func.count())
        .select_from(Invitation)
        .where(
            Invitation.invited_by.in_(accounts_of_same_person(caller.person_id)),
            Invitation.created_at > at - timedelta(days=1),
        )
    ).scalar_one()
    if today >= most.invitations_per_day:
        raise Refused(
            "too_many_invitations",
            f"You and your bots have sent {today} invitations within a day; wait a while.",
        )


def why_not_needed(facts: Json, at: datetime) -> str | None:
    """Why nobody needs the letter with these facts any more; None if its invitation is good."""
    found = db.session.execute(
        select(Invitation.used_by, Game.status, still_good(at).label("good"))
        .join(Game, Game.id == Invitation.game_id)
        .where(Invitation.id == facts.get(INVITATION))
    ).one_or_none()
    if found is None:  # deleted, or the letter is about none
        return "gone" if INVITATION in facts else None
    if found.status != Status.open:
        return "not_open"
    if found.used_by is not None:
        return "accepted"
    return None if found.good else "withdrawn"


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


class OpenRematch(NamedTuple):
    """A rematch that waits for somebody who played the old game."""

    game_id: str
    host_id: str


def rematches_for(caller: Caller) -> list[OpenRematch]:
    """Open rematches of the caller's games at which the caller does not sit yet."""
    seats = select(Seat.game_id).where(Seat.person_id == caller.person_id)
    found = db.session.execute(
        select(Game.id, Game.host_id)
        .where(Game.status == Status.open, Game.rematch_of.in_(seats), Game.id.not_in(seats))
        .order_by(Game.created_at, Game.id)
    )
    return [OpenRematch(*row) for row in found]


def withdraw(game_id: str, invitation_id: str, at: datetime) -> None:
    """Take an invitation back."""
    found = db.session.scalars(
        select(Invitation).where(Invitation.id == invitation_id, Invitation.game_id == game_id)
    ).one_or_none()
    if found is None:
        raise Refused("not_found", "There is no such invitation.")
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
            raise Refused("invitation_invalid", "Ask the host of the table for a new invitation.")
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


def table_of_link(secret: str, game_id: str) -> AnyRow:
    """The table to which the secret leads, and who invites: the link is the right to see it."""
    hidden = ("opening", "state", "seed")
    columns = [column for column in table(Game).c if column.name not in hidden]
    return db.session.execute(
        select(*columns, Person.name.label("host"))
        .join(Invitation, Invitation.game_id == Game.id)
        .join(Person, Person.id == Invitation.invited_by)
        .where(Game.id == game_id, Invitation.digest == digest(secret))
    ).one()


def rematch(access: SeatAccess, at: datetime) -> str:
    """Offer the same game again, or accept the offer; the new game's id.

    The first one to ask opens the table with the same bots, and the others are invited. It
    starts when all have accepted; nobody needs to be there at the same time.
    """
    row, caller = access.game, access.caller
    if row.status != Status.finished:
        raise Refused("not_finished", "A rematch can be offered when the game is over.")
    again = db.session.execute(
        select(Game.id, Game.status).where(Game.rematch_of == row.id)
    ).one_or_none()
    if again is not None and again.status != Status.cancelled:
        return _accept(caller, again.id, at)
    if again is not None:
        touch_game(again.id, rematch_of=None)  # it came to nothing and makes room for another
    seats = db.session.execute(
        select(Seat.number, Seat.person_id, Person.deleted_at)
        .outerjoin(Person, Person.id == Seat.person_id)
        .where(Seat.game_id == row.id)
        .order_by(Seat.number)
    ).all()
    others = [
        seat.person_id
        for seat in seats
        if seat.person_id not in (None, caller.person_id) and seat.deleted_at is None
    ]
    game_id = open_table(
        caller,
        TableSpec(
            game=row.game,
            seats=row.seats,
            options=renewed_options(game_by_key(row.game), row.options),
            clock=row.clock,
            title=row.title,
            visibility=Visibility.invitation,
            bots=row.seats - 1 - len(others),
            rematch_of=row.id,
        ),
        at,
    )
    record_events(
        [
            Entry(person, "table.rematch", game_id, {"by": caller.name, "of": row.id})
            for person in others
        ],
        at,
    )
    return game_id


def _accept(caller: Caller, game_id: str, at: datetime) -> str:
    row = access_decided_game(game_id)
    seat = db.session.scalars(
        select(Seat.number).where(Seat.game_id == game_id, Seat.person_id == caller.person_id)
    ).one_or_none()
    if seat is None:
        join(KnownAccess(caller, row, None, 0, False), at, as_invited=True)
    return game_id
