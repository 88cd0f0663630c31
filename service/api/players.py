"""Public profiles of players."""

from flask import Response

from engine.contract import Json
from service.access.accounts import access_player
from service.access.scopes import GAMES_READ
from service.accounts.public_profile import public_profile
from service.api.authentication import request_visitor
from service.api.decorators import scope
from service.api.pagination import page
from service.api.schemas.common import PageQuery
from service.api.schemas.games import GamePageSchema
from service.api.schemas.people import PlayerSchema
from service.api.sessions import blp
from service.games.queries import games_of


@blp.route("/people/<person_id>", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.response(200, PlayerSchema)
def get_player(person_id: str) -> Json:
    """Get a player's public profile"""
    request_visitor()
    return public_profile(access_player(person_id))


@blp.route("/people/<person_id>/games", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(PageQuery, location="query")
@blp.response(200, GamePageSchema)
def list_player_games(query: Json, person_id: str) -> Response:
    """List a player's public games, newest first"""
    caller = request_visitor()
    player = access_player(person_id)
    return page(*games_of(player.id, caller, query.get("cursor"), query["limit"], public=True))
