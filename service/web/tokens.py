"""Tokens, bot accounts and sessions of an account."""

from collections.abc import Callable

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from service.access.accounts import access_bot, access_credential, access_own_account
from service.access.credentials import Caller, access_session
from service.access.scopes import BOT_SCOPES, SCOPES
from service.accounts.deletion import delete_account
from service.accounts.inputs import NewBotSchema, NewTokenSchema
from service.accounts.profile import NewCredential, issue_token, make_bot, revoke
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.db.models import CredentialKind, Person
from service.db.session import transact
from service.games.queries import bots_of, sessions_of, tokens_of
from service.web import forms
from service.web.rendering import FormPage, attempt, pages, show, signed_in
from service.web.sessions import page_key

HERE = "/account/tokens"
LENGTHS = (30, 90, 365)  # in days; a token may also have no end
USUAL_LENGTH = 90


@pages.get(HERE)
def tokens() -> Response:
    return tokens_page()


def tokens_page(
    refusal: Problem | None = None, made: NewCredential | None = None, filled: Json | None = None
) -> Response:
    """All credentials of the caller; `filled` holds the fields of a refused form."""
    caller = signed_in()
    found = [token for token in tokens_of(caller) if token.revoked_at is None]
    return show(
        "tokens",
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
        filled=filled,
        refusal=refusal,
    )


TOKENS = FormPage(HERE, lambda refusal, **_: tokens_page(refusal))


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
    filled: Json = {
        "name": forms.field("name"),
        "scopes": [scope for scope in SCOPES if f"scope.{scope}" in request.form],
        "days": forms.number("days") if forms.field("days") else None,
    }

    def make() -> AnyResponse:
        if not filled["scopes"]:
            raise Problem("invalid_request", "Choose what the token may do.")
        body = forms.read(NewTokenSchema, filled)
        return tokens_page(made=transact(lambda: _made(account, body)))

    return attempt(make, lambda refusal: tokens_page(refusal, filled=filled | {"bot": bot_id}))


def _made(account: Callable[[Caller], Person], body: Json) -> NewCredential:
    caller = access_session(page_key())
    return issue_token(caller, account(caller), body["name"], body["scopes"], body["days"], now())


@TOKENS.form("/account/tokens/<token_id>/revoke", anchor="#tokens")
def revoke_token(token_id: str) -> None:
    """Revoke a token of the account or of a bot."""
    revoke(access_credential(access_session(page_key()), token_id, CredentialKind.token), now())


# Bot accounts


@TOKENS.form("/account/bots", anchor="#bots")
def create_bot() -> None:
    name = forms.read(NewBotSchema, {"name": forms.field("name")})["name"]
    make_bot(access_own_account(access_session(page_key())), name, now())


@TOKENS.form("/account/bots/<bot_id>/delete", anchor="#bots")
def delete_bot(bot_id: str) -> None:
    delete_account(access_bot(access_session(page_key()), bot_id, for_update=True), now())


# Sessions


@TOKENS.form("/account/sessions/<session_id>/end", anchor="#sessions")
def end_session(session_id: str) -> None:
    caller = access_session(page_key())
    revoke(access_credential(caller, session_id, CredentialKind.session), now())


@TOKENS.form("/account/sessions/end-others", anchor="#sessions")
def end_other_sessions() -> None:
    """Revoke all sessions but this one."""
    caller = access_session(page_key())
    for session in sessions_of(caller, now()):
        if session.id != caller.credential_id:
            revoke(session, now())
