"""Tokens and bot accounts."""

from datetime import timedelta

from flask import Response

from engine.contract import Json
from service.access.accounts import access_bot, access_credential, access_own_account
from service.access.credentials import Caller, access_caller
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE, BOTS_WRITE
from service.accounts.deletion import delete_account
from service.accounts.profile import NewCredential, make_bot, make_token, revoke
from service.api.operations import Noun
from service.api.request_data import shown_key
from service.api.schemas.people import (
    BotSchema,
    BotsSchema,
    CreatedTokenSchema,
    NewBotSchema,
    NewTokenSchema,
    TokensSchema,
)
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind, Person
from service.games.queries import bots_of, tokens_of

tokens = Noun("tokens", __name__, description="Tokens for programs")
bots = Noun("bots", __name__, description="Accounts for programs that play")


def token_json(credential: Credential) -> Json:
    return {
        "id": credential.id,
        "person": credential.person_id,
        "name": credential.name,
        "prefix": credential.prefix,
        "scopes": credential.scopes.split(),
        "created_at": credential.created_at,
        "expires_at": credential.expires_at,
        "last_used_at": credential.last_used_at,
        "revoked_at": credential.revoked_at,
    }


@tokens.operation("GET", "/tokens", scope=ACCOUNT_READ, answer=TokensSchema)
def list_tokens() -> Json:
    """List your tokens and those of your bots, newest first"""
    caller = access_caller(shown_key(), ACCOUNT_READ)
    return {"items": [token_json(token) for token in tokens_of(caller)]}


@tokens.operation(
    "POST",
    "/tokens",
    scope=ACCOUNT_WRITE,
    secret=True,
    body=NewTokenSchema,
    status=201,
    answer=CreatedTokenSchema,
    problems=["too_many_tokens", "humans_only"],
    links={
        "revoke": {
            "operationId": "revokeToken",
            "parameters": {"token_id": "$response.body#/id"},
        }
    },
)
def create_token(body: Json) -> Json:
    """Make a token

    A token cannot make one that may do more than itself, or for longer."""
    caller = access_caller(shown_key(), ACCOUNT_WRITE)
    beyond = set(body["scopes"]) - caller.scopes
    if beyond:
        raise Problem(
            "missing_scope",
            f"Your own token does not have the scope {min(beyond)}.",
            more={"scope": min(beyond)},
        )
    return _created(token_for(caller, access_own_account(caller), body))


def token_for(caller: Caller, person: Person, body: Json) -> NewCredential:
    """A new token for a person, or a bot of theirs, as a `NewTokenSchema` says it."""
    at = now()
    ends = None if body["days"] is None else at + timedelta(days=body["days"])
    if not caller.signed_in and caller.expires_at is not None:
        ends = min(ends or caller.expires_at, caller.expires_at)
    return make_token(person, body["name"], body["scopes"], at, ends)


def _created(new: NewCredential) -> Json:
    return token_json(new.row) | {"secret": new.secret}


@tokens.operation("DELETE", "/tokens/<token_id>", scope=ACCOUNT_WRITE, status=204)
def revoke_token(token_id: str) -> Response:
    """Revoke a token of yours or of a bot of yours"""
    caller = access_caller(shown_key(), ACCOUNT_WRITE)
    revoke(access_credential(caller, token_id, CredentialKind.token), now())
    return Response(status=204)


def _bot_json(bot: Person) -> Json:
    return {"id": bot.id, "name": bot.name, "created_at": bot.created_at}


@bots.operation("GET", "/bots", scope=BOTS_WRITE, answer=BotsSchema)
def list_bots() -> Json:
    """List your bot accounts"""
    caller = access_caller(shown_key(), BOTS_WRITE)
    return {"items": [_bot_json(bot) for bot in bots_of(caller)]}


@bots.operation(
    "POST",
    "/bots",
    scope=BOTS_WRITE,
    body=NewBotSchema,
    status=201,
    answer=BotSchema,
    problems=["too_many_bots", "humans_only"],
    links={
        "token": {
            "operationId": "createBotToken",
            "parameters": {"bot_id": "$response.body#/id"},
        },
        "delete": {"operationId": "deleteBot", "parameters": {"bot_id": "$response.body#/id"}},
    },
)
def create_bot(body: Json) -> Json:
    """Create an account for a program that plays

    It is shown as a bot wherever its name stands."""
    caller = access_caller(shown_key(), BOTS_WRITE)
    return _bot_json(make_bot(access_own_account(caller), body["name"], now()))


@bots.operation(
    "POST",
    "/bots/<bot_id>/tokens",
    scope=BOTS_WRITE,
    secret=True,
    body=NewTokenSchema,
    status=201,
    answer=CreatedTokenSchema,
    problems=["too_many_tokens", "humans_only"],
)
def create_bot_token(body: Json, bot_id: str) -> Json:
    """Make a token with which a bot account acts

    It may have the scopes for reading, playing, seeking and webhooks."""
    caller = access_caller(shown_key(), BOTS_WRITE)
    return _created(token_for(caller, access_bot(caller, bot_id), body))


@bots.operation("DELETE", "/bots/<bot_id>", scope=BOTS_WRITE, status=204)
def delete_bot(bot_id: str) -> Response:
    """Delete a bot account; our bots play its games to the end"""
    caller = access_caller(shown_key(), BOTS_WRITE)
    delete_account(access_bot(caller, bot_id, for_update=True), now())
    return Response(status=204)
