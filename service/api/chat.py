"""Chat of a game."""

from engine.contract import Json
from service.access.scopes import GAMES_PLAY, GAMES_READ
from service.api.authentication import seat_access
from service.api.decorators import idempotent, problems, scope
from service.api.play import blp
from service.api.schemas.play import LinesQuery, MessageSchema, MessagesSchema
from service.core.clock import now
from service.games.chat import messages, say
from service.games.inputs import NewMessageSchema

MESSAGE_BYTES = 16 * 1024  # room for the longest text with every character escaped


@blp.route("/games/<game_id>/messages", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(LinesQuery, location="query")
@blp.response(200, MessagesSchema)
@problems("not_seated")
def list_messages(query: Json, game_id: str) -> Json:
    """List chat messages"""
    items, after = messages(seat_access(game_id), query["after"], query["limit"])
    return {"items": items, "next_after": after}


@blp.route("/games/<game_id>/messages", methods=["POST"])
@scope(GAMES_PLAY)
@blp.arguments(NewMessageSchema, max_bytes=MESSAGE_BYTES)
@idempotent
@blp.response(201, MessageSchema)
@problems("not_seated", "not_running", "too_many_messages")
def post_message(body: Json, game_id: str) -> Json:
    """Post a chat message"""
    return say(seat_access(game_id), body["text"], now())
