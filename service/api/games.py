"""Games: the catalogue, lists of games, and one game as its viewer may see it."""

from flask import Response, request

from engine.contract import GameType, Json
from engine.registry import GAME_TYPES
from service.access.games import access_version
from service.access.scopes import GAMES_READ
from service.api.authentication import game_access, request_caller, request_key
from service.api.blueprint import Blueprint
from service.api.decorators import conditional, problems, scope
from service.api.links import GAME_LINKS
from service.api.pagination import page
from service.api.schemas.common import WordsQuery
from service.api.schemas.games import (
    CatalogueSchema,
    GamePageSchema,
    GameQuery,
    GameSchema,
    GamesQuery,
)
from service.core.etags import cached_json, conditional_json
from service.core.time_control import DEFAULT_CLOCK, PRESET_TITLES, PRESETS
from service.games.etags import game_etag, version_etag, view_parts
from service.games.queries import games_of
from service.games.views import game_json

blp = Blueprint("games", __name__, description="Games from the open table to the result")


@blp.route("/catalogue", methods=["GET"])
@blp.arguments(WordsQuery, location="query")
@blp.response(200, CatalogueSchema)
def list_catalogue(query: Json) -> Json:
    """List game types with their seats, options and rules"""
    return {
        "games": [_entry(game, query["language"]) for game in GAME_TYPES],
        "clock": dict(DEFAULT_CLOCK),
        "presets": [
            {"preset": name, "title": PRESET_TITLES[name], "clock": dict(clock)}
            for name, clock in PRESETS.items()
        ],
    }


def _entry(game: GameType, language: str) -> Json:
    """A game type of the catalogue in a language."""
    meta = game.about(language)
    return {
        "game": meta.key,
        "title": meta.title,
        "rules": meta.rules,
        "seats": list(meta.seats),
        "options": [
            {
                "key": option.key,
                "title": option.title,
                "choices": dict(option.choices),
                "default": option.default,
                "note": option.note,
            }
            for option in meta.options
        ],
        "summary": meta.summary,
        "guide": [
            {"topic": topic.key, "title": topic.title, "text": topic.text}
            for topic in game.guide(language)
        ],
    }


@blp.route("/games", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(GamesQuery, location="query")
@blp.response(200, GamePageSchema)
def list_games(query: Json) -> Response:
    """List your games, newest first"""
    caller = request_caller()
    cursor, status = query.get("cursor"), query.get("status")
    return page(*games_of(caller.person_id, caller, cursor, query["limit"], status))


@blp.route("/games/<game_id>", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(GameQuery, location="query")
@conditional
@blp.response(200, GameSchema, links=GAME_LINKS)
@problems("no_such_move")
def get_game(query: Json, game_id: str) -> Response:
    """Get a game as its viewer may see it

    Includes your decision with all legal moves, if your seat has one: each as JSON, as a line
    of notation, and as a sentence with its score. `?at=n` returns the position after an
    earlier move, as far as your seat knew it."""
    at, language = query.get("at"), query["language"]
    parts = view_parts(language, at)
    if "If-None-Match" in request.headers:  # probably unchanged: read a few columns only
        version = access_version(request_key(), GAMES_READ, game_id)
        cached = version and cached_json(version_etag(version, *parts), game_id)
        if cached is not None:
            return cached
    access = game_access(game_id)
    return conditional_json(
        game_etag(access, *parts), lambda: game_json(access, at, language), game_id
    )
