"""Tokens, bot accounts and sessions of an account."""

from collections.abc import Callable
from typing import NamedTuple

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from service.access.accounts import access_bot, access_credential, access_own_account
from service.access.credentials import Caller, access_session
from service.access.scopes import BOT_SCOPES, SCOPES
from service.accounts.deletion import delete_account
from service.accounts.inputs import NewBotSchema, NewTokenSchema
from service.accounts.profile import issue_token, make_bot, revoke
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.models import CredentialKind, Person
from service.db.session import transact
from service.games.queries import bots_of, sessions_of, tokens_of
from service.web import forms
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key

HERE = "/account/tokens"
LENGTHS = (30, 90, 365)  # in days; a token may also have no end
USUAL_LENGTH = 90


class Made(NamedTuple):
    """A new token with its secret, which is shown only once."""

    name: str
    secret: str


@pages.get(HERE)
def tokens() -> Response:
    return tokens_page()


def tokens_page(
    refusal: Problem | None = None, made: Made | None = None, said: Json | None = None
) -> Response:
    """All credentials of the caller; `said` holds the fields of a refused form."""
    caller = signed_in()
    found = [token for token in tokens_of(caller) if token.revoked_at is None]
    return show(
        "tokens",
        200 if refusal is None else refusal.status,
        tokens=[token for token in found if token.person_id == caller.person_id],
        bots=[
            (bot, [token for token in found if token.person_id == bot.id])
            for bot in bots_of(caller)
        ],
        sessions=sessions_of(caller, now()),
        here=caller.credential_id,
        scopes=SCOPES,
        bot_scopes=BOT_SCOPES,
        lengths=LENGTHS,
        usual={"bot": None, "name": "", "scopes": [], "days": USUAL_LENGTH},
        address=settings().public_url,
        now=now(),
        made=made,
        said=said,
        refusal=refusal,
    )


def _do(work: Callable[[Caller], object], anchor: str) -> AnyResponse:
    """Run a use case for the signed-in caller in one transaction, then show the page."""
    signed_in(HERE)

    def done() -> AnyResponse:
        transact(lambda: work(access_session(page_key())))
        return to("web.tokens", _anchor=anchor)

    return attempt(done, tokens_page)


# Tokens


@pages.post(HERE)
def make_own_token() -> AnyResponse:
    return _make_token(access_own_account, None)


@pages.post("/account/bots/<bot_id>/tokens")
def make_bot_token(bot_id: str) -> AnyResponse:
    return _make_token(lambda caller: access_bot(caller, bot_id), bot_id)


def _make_token(account: Callable[[Caller], Person], bot_id: str | None) -> AnyResponse:
    """Create a token and show it once."""
    signed_in(HERE)
    said: Json = {
        "name": forms.field("name"),
        "scopes": [scope for scope in SCOPES if f"scope.{scope}" in request.form],
        "days": forms.number("days") if forms.field("days") else None,
    }

    def make() -> AnyResponse:
        if not said["scopes"]:
            raise Problem("invalid_request", "Choose what the token may do.")
        body = forms.read(NewTokenSchema, said)
        return tokens_page(made=transact(lambda: _made(account, body)))

    return attempt(make, lambda refusal: tokens_page(refusal, said=said | {"bot": bot_id}))


def _made(account: Callable[[Caller], Person], body: Json) -> Made:
    caller = access_session(page_key())
    new = issue_token(caller, account(caller), body["name"], body["scopes"], body["days"], now())
    return Made(new.row.name, new.secret)


@pages.post("/account/tokens/<token_id>/revoke")
def revoke_token(token_id: str) -> AnyResponse:
    """Revoke a token of the account or of a bot."""
    return _do(
        lambda caller: revoke(access_credential(caller, token_id, CredentialKind.token), now()),
        anchor="tokens",
    )


# Bot accounts


@pages.post("/account/bots")
def create_bot() -> AnyResponse:
    def create(caller: Caller) -> None:
        body = forms.read(NewBotSchema, {"name": forms.field("name")})
        make_bot(access_own_account(caller), body["name"], now())

    return _do(create, anchor="bots")


@pages.post("/account/bots/<bot_id>/delete")
def delete_bot(bot_id: str) -> AnyResponse:
    return _do(
        lambda caller: delete_account(access_bot(caller, bot_id, for_update=True), now()),
        anchor="bots",
    )


# Sessions


@pages.post("/account/sessions/<session_id>/end")
def end_session(session_id: str) -> AnyResponse:
    return _do(
        lambda caller: revoke(access_credential(caller, session_id, CredentialKind.session), now()),
        anchor="sessions",
    )


@pages.post("/account/sessions/end-others")
def end_other_sessions() -> AnyResponse:
    """Revoke all sessions but this one."""

    def end(caller: Caller) -> None:
        for session in sessions_of(caller, now()):
            if session.id != caller.credential_id:
                revoke(session, now())

    return _do(end, anchor="sessions")
