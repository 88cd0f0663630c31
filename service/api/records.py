"""Looking closer: the log, the record, boards and figures."""

from flask import Response

from engine.contract import Json
from service.access.games import access_game
from service.access.scopes import GAMES_READ
from service.api.etags import conditional, conditional_json
from service.api.games import game_tag, words_tag
from service.api.operations import Noun
from service.api.request_data import shown_key
from service.api.schemas.common import WordsQuery
from service.api.schemas.games import GameQuery
from service.api.schemas.play import LogQuery, LogSchema, RecordQuery, StatisticsSchema
from service.core.compression import compressed
from service.games import views
from service.mail.outgoing.pictures import picture_of

looks = Noun("looks", __name__, description="The log, the record, boards and figures")

TEXT = {"type": "string"}
FILE = {"type": "string", "format": "binary"}


@looks.operation(
    "GET",
    "/games/<game_id>/log",
    scope=GAMES_READ,
    public=True,
    query=LogQuery,
    answer=LogSchema,
    conditional=True,
    problems=["game_frozen"],
)
def get_log(query: Json, game_id: str) -> Response:
    """Read what happened, move by move, with sentences"""
    access = access_game(shown_key(), GAMES_READ, game_id)
    after, limit = query["after"], query["limit"]

    def render() -> Json:
        lines, more = views.log_json(access, after, limit, query["language"])
        return {"items": lines, "next_after": lines[-1]["n"] if more else None}

    return conditional_json(game_tag(access, "log", after, limit, *words_tag(query)), render)


@looks.operation(
    "GET",
    "/games/<game_id>/record",
    scope=GAMES_READ,
    public=True,
    query=RecordQuery,
    content={"application/jsonl": TEXT},
    conditional=True,
    problems=["not_running", "game_frozen"],
)
def get_record(query: Json, game_id: str) -> Response:
    """Get the game record, one JSON object a line

    While the game runs it holds what your seat may know; afterwards everything, with the seed,
    and `laguna verify` proves it."""
    access = access_game(shown_key(), GAMES_READ, game_id)
    legal = query["legal"]
    response = conditional(
        game_tag(access, "record", legal),
        lambda: "".join(f"{line}\n" for line in views.record(access, legal)),
        "application/jsonl",
    )
    response.headers["Content-Disposition"] = f'attachment; filename="laguna-{game_id}.jsonl"'
    return response


@looks.operation(
    "GET",
    "/games/<game_id>/board.txt",
    scope=GAMES_READ,
    public=True,
    query=GameQuery,
    content={"text/plain": TEXT},
    conditional=True,
    problems=["not_running", "game_frozen", "no_such_move"],
)
def get_board_text(query: Json, game_id: str) -> Response:
    """See the board as text, now or after an earlier move"""
    access = access_game(shown_key(), GAMES_READ, game_id)
    return conditional(
        game_tag(access, "txt", *words_tag(query)),
        lambda: views.board_text(access, query["language"], query.get("at")),
        "text/plain; charset=utf-8",
    )


@looks.operation(
    "GET",
    "/games/<game_id>/board.svg",
    scope=GAMES_READ,
    public=True,
    query=GameQuery,
    content={"image/svg+xml": TEXT},
    conditional=True,
    problems=["not_running", "game_frozen", "no_such_move"],
)
def get_board_svg(query: Json, game_id: str) -> Response:
    """See the board as a drawing, with what changed since your last turn marked

    After an earlier move (`at`) what that move changed is marked. What can be touched has a
    `data-spot`, which the `path` of an offered move names; what the guide of the game explains has
    a `data-topic`."""
    access = access_game(shown_key(), GAMES_READ, game_id)
    return compressed(
        conditional(
            game_tag(access, "svg", *words_tag(query)),
            lambda: views.board_svg(access, query["language"], query.get("at")),
            "image/svg+xml",
        )
    )


@looks.operation(
    "GET",
    "/games/<game_id>/board.png",
    scope=GAMES_READ,
    public=True,
    query=GameQuery,
    content={"image/png": FILE},
    conditional=True,
    problems=["not_running", "game_frozen", "no_such_move"],
)
def get_board_png(query: Json, game_id: str) -> Response:
    """See the board as a picture, with what changed since your last turn marked"""
    access = access_game(shown_key(), GAMES_READ, game_id)

    def draw() -> bytes:
        return picture_of(views.board_svg(access, query["language"], query.get("at"))).png

    return conditional(game_tag(access, "png", *words_tag(query)), draw, "image/png")


@looks.operation(
    "GET",
    "/games/<game_id>/statistics",
    scope=GAMES_READ,
    public=True,
    query=WordsQuery,
    answer=StatisticsSchema,
    conditional=True,
    problems=["not_finished"],
)
def get_statistics(query: Json, game_id: str) -> Response:
    """See the figures of a finished game: how the scores grew, and from what"""
    access = access_game(shown_key(), GAMES_READ, game_id)
    return conditional_json(
        game_tag(access, "statistics", *words_tag(query)),
        lambda: views.statistics(access, query["language"]),
    )
