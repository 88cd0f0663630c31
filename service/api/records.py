"""Log, record, boards and statistics of a game."""

from flask import Response

from engine.contract import Json
from service.access.scopes import GAMES_READ
from service.api.authentication import game_access
from service.api.blueprint import Blueprint
from service.api.decorators import conditional, problems, scope
from service.api.schemas.common import WordsQuery
from service.api.schemas.games import GameQuery
from service.api.schemas.play import LogQuery, LogSchema, RecordQuery, StatisticsSchema
from service.core.compression import compressed
from service.core.etags import conditional_json, conditional_response
from service.games import boards, views
from service.games.etags import game_etag, view_parts
from service.games.statistics import statistics
from service.mail.outgoing.board_png import picture_of

blp = Blueprint("looks", __name__, description="Log, record, boards and statistics of a game")

TEXT = {"type": "string"}
FILE = {"type": "string", "format": "binary"}


def _view_parts(query: Json) -> tuple[str, ...]:
    return view_parts(query["language"], query.get("at"))


@blp.route("/games/<game_id>/log", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(LogQuery, location="query")
@conditional
@blp.response(200, LogSchema)
@problems("game_frozen")
def get_log(query: Json, game_id: str) -> Response:
    """Get the log, move by move, with sentences"""
    access = game_access(game_id)
    after, limit = query["after"], query["limit"]

    def render() -> Json:
        lines, more = views.log_json(access, after, limit, query["language"])
        last = lines[-1]["n"] if more else None
        undone = views.undone_json(access, after, last, query["language"])
        return {"items": lines, "next_after": last, "undone": undone}

    return conditional_json(game_etag(access, "log", after, limit, *_view_parts(query)), render)


@blp.route("/games/<game_id>/record", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(RecordQuery, location="query")
@conditional
@blp.response(200, TEXT, content_type="application/jsonl")
@problems("not_running", "game_frozen")
def get_record(query: Json, game_id: str) -> Response:
    """Get the game record as JSON Lines

    While the game runs it contains only information of your seat; afterwards it contains
    everything including the seed, and `laguna verify` proves it."""
    access = game_access(game_id)
    legal = query["legal"]
    response = conditional_response(
        game_etag(access, "record", legal),
        lambda: "".join(f"{line}\n" for line in views.record(access, legal)),
        "application/jsonl",
    )
    response.headers["Content-Disposition"] = f'attachment; filename="laguna-{game_id}.jsonl"'
    return response


@blp.route("/games/<game_id>/board.txt", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(GameQuery, location="query")
@conditional
@blp.response(200, TEXT, content_type="text/plain")
@problems("not_running", "game_frozen", "no_such_move")
def get_board_text(query: Json, game_id: str) -> Response:
    """Get the board as text, now or after an earlier move"""
    access = game_access(game_id)
    return conditional_response(
        game_etag(access, "txt", *_view_parts(query)),
        lambda: boards.board_text(access, query["language"], query.get("at")),
        "text/plain; charset=utf-8",
    )


@blp.route("/games/<game_id>/board.svg", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(GameQuery, location="query")
@conditional
@blp.response(200, TEXT, content_type="image/svg+xml")
@problems("not_running", "game_frozen", "no_such_move")
def get_board_svg(query: Json, game_id: str) -> Response:
    """Get the board as SVG, with the changes since your last turn marked

    With `at` the changes of that move are marked. Elements to touch have a `data-spot`, which
    the `path` of a legal move names; elements that the guide of the game explains have a
    `data-topic`."""
    access = game_access(game_id)
    return compressed(
        conditional_response(
            game_etag(access, "svg", *_view_parts(query)),
            lambda: boards.board_svg(access, query["language"], query.get("at")),
            "image/svg+xml",
        )
    )


@blp.route("/games/<game_id>/board.png", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(GameQuery, location="query")
@conditional
@blp.response(200, FILE, content_type="image/png")
@problems("not_running", "game_frozen", "no_such_move")
def get_board_png(query: Json, game_id: str) -> Response:
    """Get the board as PNG, with the changes since your last turn marked"""
    access = game_access(game_id)

    def draw() -> bytes:
        return picture_of(boards.board_svg(access, query["language"], query.get("at"))).png

    return conditional_response(game_etag(access, "png", *_view_parts(query)), draw, "image/png")


@blp.route("/games/<game_id>/statistics", methods=["GET"])
@scope(GAMES_READ, public=True)
@blp.arguments(WordsQuery, location="query")
@conditional
@blp.response(200, StatisticsSchema)
@problems("not_finished")
def get_statistics(query: Json, game_id: str) -> Response:
    """Get the statistics of a finished game"""
    access = game_access(game_id)
    return conditional_json(
        game_etag(access, "statistics", *_view_parts(query)),
        lambda: statistics(access, query["language"]),
    )
