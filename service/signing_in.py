"""Signing in by mail: a code and a link prove an address, and become a session."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select

from engine.languages import ENGLISH
from service.channels import SIGN_IN
from service.database import db
from service.inbound.bounces import reachable
from service.keys import digest, keyed_digest, new_id, new_secret
from service.letters import write_letter
from service.models import CredentialKind, SignIn
from service.people import NewCredential, make_person, new_credential, normal_address, person_with
from service.problems import Refused
from service.scopes import SCOPES
from service.settings import settings

SIGN_IN_FOR = timedelta(minutes=15)
SESSION_FOR = timedelta(days=90)
CODE_DIGITS = 8
MOST_FAILURES = 5


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
        SIGN_IN,
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


def sign_in(email: str, name: str | None, device: str, at: datetime) -> NewCredential:
    """A session for the person with this proved address, who is new here or not."""
    person = person_with(email)
    if person is None:
        person = make_person(email, name or _first_name(email), at)
    elif person.unreachable_since is not None:
        reachable(person.id, at)
        db.session.refresh(person)
    return new_credential(
        person.id, CredentialKind.session, device, tuple(SCOPES), at, at + SESSION_FOR
    )


def _first_name(email: str) -> str:
    return email.partition("@")[0].replace(".", " ").replace("_", " ").title()[:40].strip() or "New"
