"""Bot accounts: players that are programs, owned by a person."""

from flask import Response

from engine.contract import Json
from service.access.accounts import access_bot, access_own_account
from service.access.credentials import access_caller
from service.access.scopes import BOTS_WRITE
from service.accounts.deletion import delete_account
from service.accounts.inputs import NewBotSchema, NewTokenSchema
from service.accounts.profile import issue_token, make_bot
from service.api.authentication import request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    idempotent,
    problems,
    read_only,
    returns_secret,
    scope,
    transactional,
)
from service.api.links import ID, link
from service.api.schemas.people import BotSchema, BotsSchema, CreatedTokenSchema
from service.api.tokens import created_json
from service.core.clock import now
from service.db.models import Person
from service.games.queries import bots_of

blp = Blueprint("bots", __name__, description="Bot accounts")

BOT_LINKS = {
    "token": link("createBotToken", bot_id=ID),
    "delete": link("deleteBot", bot_id=ID),
}


def _bot_json(bot: Person) -> Json:
    return {"id": bot.id, "name": bot.name, "created_at": bot.created_at}


@blp.route("/bots", methods=["GET"])
@scope(BOTS_WRITE)
@blp.response(200, BotsSchema)
@read_only
def list_bots() -> Json:
    """List bot accounts"""
    caller = access_caller(request_key(), BOTS_WRITE)
    return {"items": [_bot_json(bot) for bot in bots_of(caller)]}


@blp.route("/bots", methods=["POST"])
@scope(BOTS_WRITE)
@blp.arguments(NewBotSchema)
@idempotent
@blp.response(201, BotSchema, links=BOT_LINKS)
@problems("too_many_bots", "humans_only")
@transactional
def create_bot(body: Json) -> Json:
    """Create a bot account

    It is shown as a bot wherever its name appears."""
    caller = access_caller(request_key(), BOTS_WRITE)
    return _bot_json(make_bot(access_own_account(caller), body["name"], now()))


@blp.route("/bots/<bot_id>/tokens", methods=["POST"])
@scope(BOTS_WRITE)
@blp.arguments(NewTokenSchema)
@returns_secret
@blp.response(201, CreatedTokenSchema)
@problems("too_many_tokens", "humans_only")
@transactional
def create_bot_token(body: Json, bot_id: str) -> Json:
    """Create a token for a bot account

    Its scopes are limited to reading, playing, seeking tables and webhooks."""
    caller = access_caller(request_key(), BOTS_WRITE)
    bot = access_bot(caller, bot_id)
    return created_json(issue_token(caller, bot, body["name"], body["scopes"], body["days"], now()))


@blp.route("/bots/<bot_id>", methods=["DELETE"])
@scope(BOTS_WRITE)
@blp.response(204)
@transactional
def delete_bot(bot_id: str) -> Response:
    """Delete a bot account

    The service's bots play its running games to the end."""
    caller = access_caller(request_key(), BOTS_WRITE)
    delete_account(access_bot(caller, bot_id, for_update=True), now())
    return Response(status=204)
