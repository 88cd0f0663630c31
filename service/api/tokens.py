"""Tokens: personal credentials of programs."""

from flask import Response, jsonify

from engine.contract import Json
from service.access.accounts import access_credential, access_own_account
from service.access.credentials import Caller
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE
from service.accounts.inputs import NewTokenSchema
from service.accounts.profile import issue_token, revoke
from service.api.authentication import request_caller
from service.api.blueprint import Blueprint
from service.api.decorators import problems, returns_secret, scope
from service.api.links import ID, link
from service.api.schemas.people import CreatedTokenSchema, TokenSchema, TokensSchema
from service.core.clock import now
from service.core.errors import Problem
from service.db.models import CredentialKind, Person
from service.games.queries import tokens_of

blp = Blueprint("tokens", __name__, description="Tokens for programs")


@blp.route("/tokens", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, TokensSchema)
def list_tokens() -> Json:
    """List tokens of the account and its bots, newest first"""
    return {"items": tokens_of(request_caller())}


@blp.route("/tokens", methods=["POST"])
@scope(ACCOUNT_WRITE)
@blp.arguments(NewTokenSchema)
@returns_secret
@blp.response(201, CreatedTokenSchema, links={"revoke": link("revokeToken", token_id=ID)})
@problems("too_many_tokens", "humans_only")
def create_token(body: Json) -> tuple[Response, int]:
    """Create a token

    A token cannot create one with more scopes or a later expiry than its own."""
    caller = request_caller()
    beyond = set(body["scopes"]) - caller.scopes
    if beyond:
        raise Problem(
            "missing_scope",
            f"Your token lacks the scope {min(beyond)}.",
            more={"scope": min(beyond)},
        )
    return created_token(caller, access_own_account(caller), body)


def created_token(caller: Caller, account: Person, body: Json) -> tuple[Response, int]:
    """A new token of an account with its secret."""
    new = issue_token(caller, account, body["name"], body["scopes"], body["days"], now())
    return jsonify(TokenSchema().dump(new.row) | {"secret": new.secret}), 201


@blp.route("/tokens/<token_id>", methods=["DELETE"])
@scope(ACCOUNT_WRITE)
@blp.response(204)
def revoke_token(token_id: str) -> None:
    """Revoke a token of the account or one of its bots"""
    revoke(access_credential(request_caller(), token_id, CredentialKind.token), now())
