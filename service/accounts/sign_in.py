"""Sign-in by mail: a code and a link prove an address."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from sqlalchemy import func, select

from engine.languages import ENGLISH
from service.access.accounts import person_with
from service.access.scopes import SCOPES
from service.accounts.profile import NewCredential, make_person, new_credential
from service.core.current_settings import settings
from service.core.email_address import mailbox_of, normal_address
from service.core.errors import Problem
from service.core.ids import digest, keyed_digest, new_id, new_secret
from service.core.names import is_visible_name
from service.core.rate_limits import check_rate
from service.db.models import CredentialKind, LetterState, SignIn
from service.db.session import db
from service.games.invitations import game_of_link, is_invited
from service.mail.outgoing.suppression import lift_suppression
from service.mail.outgoing.templates import write_letter
from service.notify.notification_rules import SIGN_IN

SIGN_IN_FOR = timedelta(minutes=15)
SESSION_FOR = timedelta(days=90)
CODE_DIGITS = 8
MOST_FAILURES = 5
NO_CODE = "Your Laguna code"
NOT_SENT = "This address has no account and may not sign up here. The mail was not sent.\n"

log = structlog.get_logger()


class NewSignIn(NamedTuple):
    """Two proofs of an address."""

    code: str
    link: str
    expires_at: datetime


class Requester(NamedTuple):
    """The browser or program that requests a code, which works for no other one.

    `shown` is a secret of the requester; without one it is identified by its network address,
    `client`.
    """

    shown: str | None = None
    client: str | None = None


NOBODY = Requester()


def count_sign_in(client: str) -> None:
    """Limit the codes that one network address requests; see also `ask_to_sign_in`."""
    check_rate(
        settings().limits.sign_ins_per_client,
        "sign-in",
        client,
        "too_many_sign_ins",
        "Too many codes were asked for",
    )


def prepare_sign_in(
    email: str, at: datetime, next_path: str | None = None, requester: Requester = NOBODY
) -> NewSignIn:
    """Create a code and a link for an address; without a requester only the link works."""
    email = normal_address(email)
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"
    secret = new_secret("in_")
    expires_at = at + SIGN_IN_FOR
    db.session.add(
        SignIn(
            id=new_id(),
            email=email,
            mailbox=mailbox_of(email),
            code_digest=_code_digest(email, code),
            requester=requester.shown and digest(requester.shown),
            client=requester.client and _client_digest(requester.client),
            link_digest=digest(secret),
            next_path=next_path,
            created_at=at,
            expires_at=expires_at,
        )
    )
    return NewSignIn(code, f"{settings().public_url}/sign-in/{secret}", expires_at)


def ask_to_sign_in(
    email: str,
    at: datetime,
    requester: Requester = NOBODY,
    next_path: str | None = None,
    language: str = ENGLISH,
    invitation: str | None = None,
) -> None:
    """Mail a code and a link to an address, in this language if there is no account.

    No mail is sent if the mailbox got several within an hour and one of them is still valid, nor
    to an address without an account that may not sign up. The caller cannot tell.
    """
    email = normal_address(email)
    known = person_with(email) is not None
    if _mailed_enough(email, known, at):
        log.info("sign_in_mail_not_repeated")
        return
    allowed = known or may_sign_up(email, invitation, at)
    new = prepare_sign_in(email, at, next_path, requester if allowed else NOBODY)
    letter = write_letter(
        SIGN_IN,
        email,
        at,
        until=new.expires_at,
        language=language,
        code=f"{new.code[:4]} {new.code[4:]}",
        link=new.link,
    )
    if not allowed:  # the same work, so that timing reveals nothing
        letter.state, letter.reason, letter.next_try_at = LetterState.skipped, "sign_up", None
        letter.subject, letter.text, letter.html = NO_CODE, NOT_SENT, None


def _mailed_enough(email: str, known: bool, at: datetime) -> bool:
    """Whether to send no further mail for now.

    Addresses without an account share the limit of their mailbox, so that `+tags` do not multiply
    it; an account has its own limit.
    """
    same = SignIn.email == email if known else SignIn.mailbox == mailbox_of(email)
    asked, valid = db.session.execute(
        select(
            func.count(),
            func.count().filter(SignIn.used_at.is_(None), SignIn.expires_at > at),
        ).where(same, SignIn.created_at > at - timedelta(hours=1))
    ).one()
    return bool(asked >= settings().limits.sign_ins_per_address_and_hour and valid)


def may_sign_up(email: str, invitation: str | None, at: datetime) -> bool:
    """Whether an address without an account may have one: by `LAGUNA_SIGN_UP`, and if that says
    `invited` by an invitation to the address or the secret of an invitation link."""
    match settings().sign_up:
        case "open":
            return True
        case "invited":
            by_link = invitation is not None and game_of_link(invitation, at) is not None
            return by_link or is_invited(email, at)
        case _:
            return False


def _code_digest(email: str, code: str) -> str:
    return keyed_digest(settings().secret_key, email, code)


def _client_digest(client: str) -> str:
    return keyed_digest(settings().secret_key, "client", client)


class UsedCode(NamedTuple):
    """The sign-in of a code; without one, whether all codes are locked."""

    sign_in: SignIn | None
    dead: bool = False


def use_code(email: str, code: str, requester: Requester, at: datetime) -> UsedCode:
    """Use a code of this requester; a wrong one counts as a failure.

    Codes of other requesters are neither found nor counted, so that nobody uses up the attempts
    of another person.
    """
    email = normal_address(email)
    if requester.shown is not None:
        same = SignIn.requester == digest(requester.shown)
    else:
        same = SignIn.client == _client_digest(requester.client or "")
    candidates = db.session.scalars(
        select(SignIn)
        .where(same, SignIn.email == email, SignIn.used_at.is_(None), SignIn.expires_at > at)
        .order_by(SignIn.created_at.desc())
        .limit(3)
        .with_for_update()
    ).all()
    wanted = _code_digest(email, "".join(code.split()))
    alive = [candidate for candidate in candidates if candidate.failures < MOST_FAILURES]
    for candidate in alive:
        if secrets.compare_digest(candidate.code_digest, wanted):
            _void_all(email, at)
            return UsedCode(candidate)
    for candidate in alive:
        candidate.failures += 1
    return UsedCode(
        None, bool(candidates) and all(one.failures >= MOST_FAILURES for one in candidates)
    )


def _void_all(email: str, at: datetime) -> None:
    """Void all codes and links of an address."""
    outstanding = select(SignIn).where(SignIn.email == email, SignIn.used_at.is_(None))
    for one in db.session.scalars(outstanding.order_by(SignIn.id).with_for_update()):
        one.used_at = at


def find_link(secret: str, at: datetime) -> SignIn | None:
    """The sign-in of a mailed link, if it is valid."""
    return db.session.scalars(
        select(SignIn)
        .where(
            SignIn.link_digest == digest(secret), SignIn.used_at.is_(None), SignIn.expires_at > at
        )
        .with_for_update()
    ).one_or_none()


def use_link(secret: str, at: datetime) -> SignIn | None:
    """Use a mailed link, which works once, for any requester."""
    sign_in = find_link(secret, at)
    if sign_in is not None:
        _void_all(sign_in.email, at)
    return sign_in


def sign_in(
    email: str, name: str | None, device: str, at: datetime, time_zone: str | None = None
) -> NewCredential:
    """Create a session for a proved address. Name and time zone are those of a new account."""
    person = person_with(email)
    if person is None:
        person = make_person(email, name or name_from_address(email), at)
        person.time_zone = time_zone or "UTC"
    elif person.suspended_at is not None:
        raise Problem("suspended", "Contact the operator of this server.")
    elif person.unreachable_since is not None:
        lift_suppression(person.id, at)
        db.session.refresh(person)
    return new_credential(
        person.id, CredentialKind.session, device, tuple(SCOPES), at, at + SESSION_FOR
    )


def name_from_address(email: str) -> str:
    """A name made of the part of an address before the @."""
    name = email.partition("@")[0].replace(".", " ").replace("_", " ").title()[:40].strip()
    return name if is_visible_name(name) else "New"
