"""People: signing in by mail, tokens, sessions, bot accounts, and leaving for good."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select, update

from engine.languages import ENGLISH
from service.access import access_decided_game
from service.clock import now
from service.database import db
from service.inbound.bounces import reachable
from service.keys import digest, keyed_digest, new_id, new_secret
from service.ledger import touch_game
from service.letters import write_letter
from service.lobby import give_seat_back
from service.models import (
    Bounce,
    Credential,
    CredentialKind,
    Event,
    Game,
    Invitation,
    KeptAnswer,
    Letter,
    Message,
    Person,
    Seat,
    SignIn,
    Status,
    Webhook,
)
from service.play import give_up
from service.preferences import preferences
from service.problems import Refused
from service.reminders import set_anew
from service.scopes import BOT_SCOPES, SCOPES, joined
from service.settings import settings
from service.sitting import take_up

SIGN_IN_FOR = timedelta(minutes=15)
SESSION_FOR = timedelta(days=90)
CODE_DIGITS = 8
MOST_FAILURES = 5
TOKEN_PREFIX = "lag_"  # noqa: S105 - what all of them begin with
FORMER = "Former player"


class NewCredential(NamedTuple):
    """A credential with its secret, which is told this once."""

    row: Credential
    secret: str


def normal_address(email: str) -> str:
    """The form in which addresses are compared."""
    return email.strip().lower()


class NewSignIn(NamedTuple):
    """Two ways to prove an address, told only by mail."""

    code: str
    link: str
    expires_at: datetime


def prepare_sign_in(email: str, at: datetime, next_path: str | None = None) -> NewSignIn:
    """A code and a link for this address; known or not, nobody is told which."""
    email = normal_address(email)
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"
    secret = new_secret("in_")
    expires_at = at + SIGN_IN_FOR
    db.session.add(
        SignIn(
            id=new_id(),
            email=email,
            code_digest=_code_digest(email, code),
            link_digest=digest(secret),
            next_path=next_path,
            created_at=at,
            expires_at=expires_at,
        )
    )
    return NewSignIn(code, f"{settings().public_url}/sign-in/{secret}", expires_at)


def ask_to_sign_in(
    email: str, at: datetime, next_path: str | None = None, language: str = ENGLISH
) -> None:
    """Mail a code and a link to this address, but not so often that it would be a nuisance; to
    somebody without an account in this language."""
    asked = db.session.execute(
        select(func.count())
        .select_from(SignIn)
        .where(SignIn.email == normal_address(email), SignIn.created_at > at - timedelta(hours=1))
    ).scalar_one()
    if asked >= settings().limits.sign_ins_per_address_and_hour:
        raise Refused(
            "too_many_sign_ins",
            "Several mails went to this address within an hour; use one of them or wait.",
            headers={"Retry-After": "3600"},
        )
    new = prepare_sign_in(email, at, next_path)
    write_letter(
        "sign_in",
        normal_address(email),
        at,
        until=new.expires_at,
        language=language,
        code=f"{new.code[:4]} {new.code[4:]}",
        link=new.link,
    )


def _code_digest(email: str, code: str) -> str:
    return keyed_digest(settings().secret_key, email, code)


def use_code(email: str, code: str, at: datetime) -> SignIn | None:
    """The sign-in of this address that the code belongs to; a wrong code counts against it."""
    email = normal_address(email)
    candidates = db.session.scalars(
        select(SignIn)
        .where(SignIn.email == email, SignIn.used_at.is_(None), SignIn.expires_at > at)
        .order_by(SignIn.created_at.desc())
        .limit(3)
        .with_for_update()
    ).all()
    wanted = _code_digest(email, "".join(code.split()))
    for candidate in candidates:
        if candidate.failures >= MOST_FAILURES:
            continue
        if secrets.compare_digest(candidate.code_digest, wanted):
            candidate.used_at = at
            return candidate
    for candidate in candidates:
        candidate.failures += 1
    return None


def find_link(secret: str, at: datetime) -> SignIn | None:
    """The sign-in of a mailed link, if it is still good."""
    return db.session.scalars(
        select(SignIn)
        .where(
            SignIn.link_digest == digest(secret), SignIn.used_at.is_(None), SignIn.expires_at > at
        )
        .with_for_update()
    ).one_or_none()


def use_link(secret: str, at: datetime) -> SignIn | None:
    """The sign-in of a mailed link, which works once."""
    sign_in = find_link(secret, at)
    if sign_in is not None:
        sign_in.used_at = at
    return sign_in


def person_with(email: str) -> Person | None:
    """The person with this address."""
    address = normal_address(email)
    return db.session.scalars(select(Person).where(Person.email == address)).one_or_none()


def make_person(email: str, name: str, at: datetime) -> Person:
    """An account for an address that was proved, or that the operator vouches for."""
    person = Person(id=new_id(), email=normal_address(email), name=name, mail={}, created_at=at)
    db.session.add(person)
    db.session.flush()
    return person


def sign_in(email: str, name: str | None, device: str, at: datetime) -> NewCredential:
    """A session for the person with this proved address, who is new here or not."""
    person = person_with(email)
    if person is None:
        person = make_person(email, name or _first_name(email), at)
    elif person.unreachable_since is not None:
        reachable(person.id, at)
        db.session.refresh(person)
    return _new_credential(
        person.id, CredentialKind.session, device, tuple(SCOPES), at, at + SESSION_FOR
    )


def _first_name(email: str) -> str:
    return email.partition("@")[0].replace(".", " ").replace("_", " ").title()[:40].strip() or "New"


def _new_credential(
    person_id: str,
    kind: CredentialKind,
    name: str,
    scopes: Sequence[str],
    at: datetime,
    expires_at: datetime | None,
) -> NewCredential:
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


def make_token(
    person: Person, name: str, scopes: Sequence[str], at: datetime, expires_at: datetime | None
) -> NewCredential:
    """A personal access token for a program."""
    if person.is_bot and (beyond := set(scopes) - set(BOT_SCOPES)):
        raise Refused("humans_only", f"A bot account cannot have the scope {min(beyond)}.")
    count = db.session.execute(
        select(func.count())
        .select_from(Credential)
        .where(
            Credential.person_id == person.id,
            Credential.kind == CredentialKind.token,
            Credential.revoked_at.is_(None),
        )
    ).scalar_one()
    if count >= settings().limits.tokens:
        raise Refused("too_many_tokens", f"You have {count} tokens; revoke one first.")
    return _new_credential(person.id, CredentialKind.token, name, scopes, at, expires_at)


def revoke(credential: Credential, at: datetime) -> None:
    """End a token or session; doing it again changes nothing."""
    credential.revoked_at = credential.revoked_at or at


def make_bot(owner: Person, name: str, at: datetime) -> Person:
    """An account for a program that plays; its owner answers for it."""
    if owner.is_bot:
        raise Refused("humans_only", "A bot account cannot have bots of its own.")
    count = db.session.execute(
        select(func.count())
        .select_from(Person)
        .where(Person.owner_id == owner.id, Person.deleted_at.is_(None))
    ).scalar_one()
    if count >= settings().limits.bots:
        raise Refused("too_many_bots", f"You have {count} bot accounts; delete one first.")
    bot = Person(id=new_id(), owner_id=owner.id, name=name, mail={}, created_at=at)
    db.session.add(bot)
    db.session.flush()
    return bot


def change_settings(person: Person, changes: Mapping[str, Any]) -> None:
    """Change what a person set about themselves.

    A new name also shows in their games, and what reminders depend on also counts for what waits
    for them already.
    """
    before = _reminded_by(person)
    name = changes.get("name")
    if name is not None and name != person.name:
        rename(person, name)
    for key, value in changes.items():
        setattr(person, key, person.mail | value if key == "mail" else value)
    person.version += 1
    if _reminded_by(person) != before:
        set_anew(person, now())


def _reminded_by(person: Person) -> tuple[object, ...]:
    """What decides when somebody is reminded."""
    chosen = preferences(person.mail).reminders
    return chosen, person.time_zone, person.sleep_from, person.sleep_to


def rename(person: Person, name: str) -> None:
    person.name = name
    _rename_seats(person.id, name, (Status.open, Status.running))


def _rename_seats(person_id: str, name: str, statuses: Sequence[Status]) -> None:
    """Games that go on show the new name; those that are over keep the one they were played
    under, so that their records stay as they were read."""
    games = db.session.scalars(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person_id, Game.status.in_(statuses))
        .order_by(Game.id)
    ).all()
    for game_id in games:
        access_decided_game(game_id)  # in order, as a move would lock it
        touch_game(game_id)
        db.session.execute(
            update(Seat)
            .where(Seat.game_id == game_id, Seat.person_id == person_id)
            .values(name=name)
            .execution_options(synchronize_session=False)
        )


def delete_account(person: Person, at: datetime) -> None:
    """Forget a person: seats of running games go to bots, records keep a neutral name."""
    for bot in db.session.scalars(
        select(Person).where(Person.owner_id == person.id, Person.deleted_at.is_(None))
    ).all():
        delete_account(bot, at)
    _rename_seats(person.id, FORMER, tuple(Status))
    _leave_games(person, at)
    db.session.execute(delete(Webhook).where(Webhook.person_id == person.id))
    db.session.execute(delete(Event).where(Event.person_id == person.id))
    db.session.execute(delete(KeptAnswer).where(KeptAnswer.person_id == person.id))
    if person.email is not None:  # a bot has none, and no address is that of links to pass on
        db.session.execute(delete(Invitation).where(Invitation.email == person.email))
        db.session.execute(delete(SignIn).where(SignIn.email == person.email))
        db.session.execute(delete(Letter).where(Letter.to == person.email))
        db.session.execute(delete(Bounce).where(Bounce.address == person.email))
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
    person.noticed = Person.last_event  # with no address there is nothing to settle
    person.name = FORMER
    person.language, person.time_zone = "en", "UTC"
    person.sleep_from = person.sleep_to = None
    person.mail = {}
    person.absences = []
    person.unreachable_since = None
    person.deleted_at = at


def _leave_games(person: Person, at: datetime) -> None:
    games = db.session.scalars(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person.id, Game.status.in_((Status.open, Status.running)))
        .order_by(Game.id)
    ).all()
    for game_id in games:
        sitting = take_up(access_decided_game(game_id))
        seat = next(seat for seat in sitting.seats if seat.person_id == person.id)
        if sitting.running:
            give_up(sitting, seat.number, at)
        else:
            give_seat_back(sitting, seat.number, at)
