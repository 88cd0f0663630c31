"""Bot accounts: players that are programs, owned by a person."""

from flask import Response

from engine.contract import Json
from service.access.accounts import access_bot, access_own_account
from service.access.scopes import BOTS_WRITE
from service.accounts.deletion import delete_account
from service.accounts.inputs import NewBotSchema, NewTokenSchema
from service.accounts.profile import make_bot
from service.api.authentication import request_caller
from service.api.blueprint import Blueprint
from service.api.decorators import idempotent, problems, returns_secret, scope
from service.api.links import ID, link
from service.api.schemas.people import BotSchema, BotsSchema, CreatedTokenSchema
from service.api.tokens import created_token
from service.core.clock import now
from service.db.models import Person
from service.games.queries import bots_of

blp = Blueprint("bots", __name__, description="Bot accounts")

BOT_LINKS = {
    "token": link("createBotToken", bot_id=ID),
    "delete": link("deleteBot", bot_id=ID),
}


@blp.route("/bots", methods=["GET"])
@scope(BOTS_WRITE)
@blp.response(200, BotsSchema)
def list_bots() -> Json:
    """List bot accounts"""
    return {"items": bots_of(request_caller())}


@blp.route("/bots", methods=["POST"])
@scope(BOTS_WRITE)
@blp.arguments(NewBotSchema)
@idempotent
@blp.response(201, BotSchema, links=BOT_LINKS)
@problems("too_many_bots", "humans_only")
def create_bot(body: Json) -> Person:
    """Create a bot account

    It is shown as a bot wherever its name appears."""
    return make_bot(access_own_account(request_caller()), body["name"], now())


@blp.route("/bots/<bot_id>/tokens", methods=["POST"])
@scope(BOTS_WRITE)
@blp.arguments(NewTokenSchema)
@returns_secret
@blp.response(201, CreatedTokenSchema)
@problems("too_many_tokens", "humans_only")
def create_bot_token(body: Json, bot_id: str) -> tuple[Response, int]:
    """Create a token for a bot account

    Its scopes are limited to reading, playing, seeking tables and webhooks."""
    caller = request_caller()
    return created_token(caller, access_bot(caller, bot_id), body)


@blp.route("/bots/<bot_id>", methods=["DELETE"])
@scope(BOTS_WRITE)
@blp.response(204)
def delete_bot(bot_id: str) -> None:
    """Delete a bot account

    The service's bots play its running games to the end."""
    delete_account(access_bot(request_caller(), bot_id, for_update=True), now())
