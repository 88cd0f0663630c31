"""Tokens: personal credentials of programs."""

from flask import Response

from engine.contract import Json
from service.access.accounts import access_credential, access_own_account
from service.access.credentials import access_caller
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.accounts.inputs import NewTokenSchema
from service.accounts.profile import NewCredential, issue_token, revoke
from service.api.authentication import request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    problems,
    read_only,
    returns_secret,
    scope,
    transactional,
)
from service.api.links import ID, link
from service.api.schemas.people import CreatedTokenSchema, TokensSchema
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import Credential, CredentialKind
from service.games.queries import tokens_of

blp = Blueprint("tokens", __name__, description="Tokens for programs")


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


@blp.route("/tokens", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, TokensSchema)
@read_only
def list_tokens() -> Json:
    """List tokens of the account and its bots, newest first"""
    caller = access_caller(request_key(), ACCOUNT_READ)
    return {"items": [token_json(token) for token in tokens_of(caller)]}


@blp.route("/tokens", methods=["POST"])
@scope(ACCOUNT_WRITE)
@blp.arguments(NewTokenSchema)
@returns_secret
@blp.response(201, CreatedTokenSchema, links={"revoke": link("revokeToken", token_id=ID)})
@problems("too_many_tokens", "humans_only")
@transactional
def create_token(body: Json) -> Json:
    """Create a token

    A token cannot create one with more scopes or a later expiry than its own."""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    beyond = set(body["scopes"]) - caller.scopes
    if beyond:
        raise Problem(
            "missing_scope",
            f"Your token lacks the scope {min(beyond)}.",
            more={"scope": min(beyond)},
        )
    return created_json(
        issue_token(
            caller, access_own_account(caller), body["name"], body["scopes"], body["days"], now()
        )
    )


def created_json(new: NewCredential) -> Json:
    return token_json(new.row) | {"secret": new.secret}


@blp.route("/tokens/<token_id>", methods=["DELETE"])
@scope(ACCOUNT_WRITE)
@blp.response(204)
@transactional
def revoke_token(token_id: str) -> Response:
    """Revoke a token of the account or one of its bots"""
    caller = access_caller(request_key(), ACCOUNT_WRITE)
    revoke(access_credential(caller, token_id, CredentialKind.token), now())
    return Response(status=204)
