"""Tables: open, join, leave, start and cancel a game that has not begun."""

from dataclasses import replace

from flask import Response, jsonify

from engine.contract import Json
from service.access.games import access_known_game
from service.access.scopes import GAMES_READ, TABLES_SEEK
from service.api.authentication import (
    game_access,
    hosted_access,
    request_caller,
    request_key,
    request_visitor,
    seat_access,
)
from service.api.blueprint import Blueprint
from service.api.decorators import idempotent, problems, scope
from service.api.links import GAME_LINKS
from service.api.pagination import page
from service.api.schemas.games import GamePageSchema, GameSchema, TablesQuery
from service.core.clock import now
from service.games.etags import game_etag
from service.games.inputs import JoinSchema, NewGameSchema, StartSchema, table_spec
from service.games.invitations import sit_down
from service.games.queries import open_tables
from service.games.rematches import rematch
from service.games.table_creation import create_table
from service.games.tables import cancel, leave, start
from service.games.views import game_json

blp = Blueprint("tables", __name__, description="Open tables and invitations")


@blp.route("/tables", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(TablesQuery, location="query")
@blp.response(200, GamePageSchema)
def list_tables(query: Json) -> Response:
    """List public open tables, newest first"""
    return page(*open_tables(request_visitor(), query, query.get("cursor"), query["limit"]))


@blp.route("/games", methods=["POST"])
@scope(TABLES_SEEK)
@blp.arguments(NewGameSchema)
@idempotent
@blp.response(201, GameSchema, links=GAME_LINKS)
@problems("bad_setup", "too_many_tables", "too_many_games", "too_many_invitations")
def create_game(body: Json) -> Response:
    """Open a table

    You take its first seat. The game starts at once if bots fill all other seats."""
    table = create_table(request_caller(), table_spec(body), body["invite"], now())
    return _shown(table.game_id, status=201)


def _shown(game_id: str, status: int = 200) -> Response:
    """The game after a change, as `getGame` returns it."""
    access = game_access(game_id)
    if access.caller and not access.caller.signed_in and GAMES_READ not in access.caller.scopes:
        access = replace(access, seat=None, seat_version=0)  # the public view
    response = jsonify(game_json(access))
    response.status_code = status
    response.headers["ETag"] = game_etag(access)
    if status == 201:
        response.headers["Location"] = f"/v1/games/{game_id}"
    return response


@blp.route("/games/<game_id>/join", methods=["POST"])
@scope(TABLES_SEEK)
@blp.arguments(JoinSchema)
@idempotent
@blp.response(200, GameSchema)
@problems(
    "already_seated",
    "table_full",
    "not_open",
    "invitation_needed",
    "invitation_invalid",
    "too_many_games",
    "too_many_joins",
)
def join_game(body: Json, game_id: str) -> Response:
    """Join a table

    The game starts when the last seat is taken."""
    secret = body["invitation"]
    access = access_known_game(request_key(), TABLES_SEEK, game_id, invitation=secret)
    sit_down(access, secret, now())
    return _shown(game_id)


@blp.route("/games/<game_id>/leave", methods=["POST"])
@scope(TABLES_SEEK)
@idempotent
@blp.response(204)
@problems("not_seated", "not_open")
def leave_game(game_id: str) -> None:
    """Leave a table before it starts"""
    leave(seat_access(game_id), now())


@blp.route("/games/<game_id>/start", methods=["POST"])
@scope(TABLES_SEEK)
@blp.arguments(StartSchema)
@idempotent
@blp.response(200, GameSchema)
@problems("not_host", "not_open", "seats_free")
def start_game(body: Json, game_id: str) -> Response:
    """Start a table with bots on its free seats"""
    start(hosted_access(game_id), body["bots"], now())
    return _shown(game_id)


@blp.route("/games/<game_id>/cancel", methods=["POST"])
@scope(TABLES_SEEK)
@idempotent
@blp.response(200, GameSchema)
@problems("not_host", "not_open")
def cancel_game(game_id: str) -> Response:
    """Cancel a table before it starts"""
    cancel(hosted_access(game_id), now())
    return _shown(game_id)


@blp.route("/games/<game_id>/rematch", methods=["POST"])
@scope(TABLES_SEEK)
@idempotent
@blp.response(200, GameSchema)
@problems(
    "not_seated",
    "not_finished",
    "not_open",
    "table_full",
    "too_many_tables",
    "too_many_games",
    "too_many_joins",
)
def offer_rematch(game_id: str) -> Response:
    """Offer or accept a rematch

    The first request opens a table with the same settings and bots. The game starts when all
    players of the finished game have joined."""
    return _shown(rematch(seat_access(game_id), now()))
