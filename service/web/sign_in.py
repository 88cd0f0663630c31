"""Sign-in by mail. Opening the link changes nothing, because mail scanners open links too."""

from datetime import datetime
from typing import NamedTuple

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from service.access.accounts import access_credential
from service.accounts.inputs import SignInSchema
from service.accounts.profile import NewCredential, revoke
from service.accounts.sign_in import (
    CODE_DIGITS,
    SIGN_IN_FOR,
    Requester,
    UsedCode,
    ask_to_sign_in,
    count_sign_in,
    find_link,
    use_code,
    use_link,
)
from service.accounts.sign_in import sign_in as begin_session
from service.core.client_address import client_address
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.time_control import is_time_zone
from service.db.models import CredentialKind, Person
from service.db.session import db, transact
from service.web import forms
from service.web.locale import page_language
from service.web.rendering import attempt, back_to, pages, show, signed_in, to
from service.web.sessions import forget_session, form_holder, keep_session, local_path

MINUTES = int(SIGN_IN_FOR.total_seconds() // 60)


def _wrong() -> Problem:
    return Problem(
        "wrong_code",
        "It may be mistyped, used or too old. Look again, or ask for a new mail.",
    )


def _dead() -> Problem:
    return Problem("dead_code", "The right code is refused now, too. Ask for a new one.")


def requester() -> Requester:
    """This browser: a code works only in the browser that requested it."""
    return Requester(form_holder())


@pages.get("/sign-in")
def sign_in() -> Response:
    return _ask(local_path(request.args.get("next")))


def _ask(after: str, refusal: Problem | None = None, email: str = "") -> Response:
    return show("sign_in", refusal=refusal, after=after, email=email)


@pages.post("/sign-in")
def ask_for_mail() -> AnyResponse:
    """Request a code. The page is the same whether or not the address has an account."""
    after, email = local_path(forms.field("next")), forms.field("email")

    def send() -> AnyResponse:
        address = forms.read(SignInSchema, {"email": email})["email"]
        count_sign_in(client_address())
        back = None if after == "/" else after
        transact(
            lambda: ask_to_sign_in(
                address, now(), requester(), back, page_language(), _invitation_in(after)
            )
        )
        return code_form(address, after)

    return attempt(send, lambda refusal: _ask(after, refusal, email))


def _invitation_in(path: str) -> str | None:
    """Secret of the invitation in the path to show after the sign-in."""
    start = "/invitations/"
    return path.removeprefix(start) if path.startswith(start) else None


def code_form(email: str, after: str = "/", refusal: Problem | None = None) -> Response:
    """Form for the mailed code."""
    return show(
        "sign_in_code",
        email=email,
        after=after,
        minutes=MINUTES,
        kept_here=settings().smtp_url is None,
        refusal=refusal,
    )


@pages.post("/sign-in/code")
def sign_in_by_code() -> AnyResponse:
    email, after = forms.field("email"), local_path(forms.field("next"))

    def use() -> AnyResponse:
        code, at = "".join(forms.field("code").split()), now()
        if not (len(code) == CODE_DIGITS and code.isascii() and code.isdigit()):
            raise Problem("wrong_code", "A code has digits only, as many as the mail shows.")
        address = forms.read(SignInSchema, {"email": email})["email"]
        return _begin(transact(lambda: _session(use_code(address, code, requester(), at), at)))

    return attempt(
        use,
        lambda refusal: (
            _ask(after, refusal, email)
            if refusal.code == "suspended"
            else code_form(email, after, refusal)
        ),
    )


@pages.get("/sign-in/<secret>")
def sign_in_link(secret: str) -> Response:
    """Page with one button."""
    found = find_link(secret, now())
    address = None if found is None else found.email
    db.session.rollback()  # opening the page locks nothing
    if address is None:
        return _ask("/", _wrong())
    return show("sign_in_link", secret=secret, to=address)


@pages.post("/sign-in/<secret>")
def sign_in_by_link(secret: str) -> AnyResponse:
    at = now()
    return attempt(
        lambda: _begin(transact(lambda: _session(UsedCode(use_link(secret, at)), at))),
        lambda refusal: _ask("/", refusal),
    )


class _Begun(NamedTuple):
    """A new session, its destination, and whether the account is new."""

    session: NewCredential
    after: str
    new: bool


def _session(used: UsedCode, at: datetime) -> _Begun | Problem:
    """Session of a used code or link. A refusal is returned, not raised: a wrong code counts,
    and the count must be committed."""
    found = used.sign_in
    if found is None:
        return _dead() if used.dead else _wrong()
    after, found.next_path = local_path(found.next_path), None  # it may hold an invitation
    session = begin_session(found.email, None, _device(), at, _time_zone())
    person = db.session.get_one(Person, session.row.person_id)
    if new := person.created_at == at:
        person.language = page_language()
    return _Begun(session, after, new)


def _time_zone() -> str | None:
    """Time zone of the browser, which a script adds to the form."""
    name = forms.field("time_zone")
    return name if is_time_zone(name) else None


def _device() -> str:
    return (request.user_agent.string or "Browser")[:80]


def _begin(begun: _Begun | Problem) -> AnyResponse:
    if isinstance(begun, Problem):
        raise begun
    response = to("web.account", next=begun.after) if begun.new else back_to(begun.after)
    keep_session(response, begun.session.secret)
    return response


@pages.post("/sign-out")
def sign_out() -> AnyResponse:
    caller = signed_in("/")
    transact(
        lambda: revoke(
            access_credential(caller, caller.credential_id, CredentialKind.session), now()
        )
    )
    response = to("web.home")
    forget_session(response)
    return response
