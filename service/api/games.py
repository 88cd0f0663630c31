"""Games: the catalogue, tables, and looking at a game."""

from dataclasses import replace

from flask import Response, jsonify, request

from engine.contract import AnyGame, Json
from engine.languages import ENGLISH
from engine.registry import GAMES
from service.access.credentials import access_caller, access_visitor
from service.access.games import (
    GameAccess,
    Glance,
    access_game,
    access_glance,
    access_hosted,
    access_known_game,
    access_seat,
)
from service.access.scopes import GAMES_READ, TABLES_SEEK
from service.api.etags import conditional_json, kept_json, tag
from service.api.operations import Noun
from service.api.pages import page
from service.api.request_data import shown_key
from service.api.schemas.common import WordsQuery
from service.api.schemas.games import (
    CatalogueSchema,
    GamePageSchema,
    GameQuery,
    GameSchema,
    GamesQuery,
    JoinSchema,
    NewGameSchema,
    StartSchema,
    TablesQuery,
)
from service.core.clock import now
from service.core.time_control import DEFAULT_CLOCK, PRESET_TITLES, PRESETS
from service.games.invitations import rematch, sit_down
from service.games.queries import games_of, open_tables
from service.games.table_creation import create_table
from service.games.tables import TableSpec, cancel, leave, start
from service.games.views import game_json

games = Noun("games", __name__, description="Games from the open table to the result")
tables = Noun("tables", __name__, description="Finding people to play with")

_TO_GAME = {"game_id": "$response.body#/id"}
GAME_LINKS = {
    name: {"operationId": name, "parameters": _TO_GAME}
    for name in (
        "getGame",
        "joinGame",
        "leaveGame",
        "startGame",
        "cancelGame",
        "offerRematch",
        "listInvitations",
        "createInvitation",
        "getLog",
        "getRecord",
        "getBoardText",
        "getBoardSvg",
        "getBoardPng",
        "getStatistics",
        "getPlan",
        "putPlan",
        "getNote",
        "putNote",
        "listMessages",
        "postMessage",
        "offerEnd",
        "withdrawEndOffer",
        "resignGame",
        "playOn",
        "takeSeatBack",
        "voteForPause",
        "endPause",
    )
} | {
    "playMove": {
        "operationId": "playMove",
        "parameters": _TO_GAME,
        "requestBody": {
            "decision": "$response.body#/decision/id",
            "move": "$response.body#/decision/moves/0/move",
        },
    },
    "getPlayer": {
        "operationId": "getPlayer",
        "parameters": {"person_id": "$response.body#/host"},
    },
    "listPlayerGames": {
        "operationId": "listPlayerGames",
        "parameters": {"person_id": "$response.body#/host"},
    },
}


@games.operation("GET", "/catalogue", query=WordsQuery, answer=CatalogueSchema)
def list_catalogue(query: Json) -> Json:
    """See which games can be played, with which seats and options, and by what rules"""
    return {
        "games": [_entry(game, query["language"]) for game in GAMES],
        "clock": dict(DEFAULT_CLOCK),
        "presets": [
            {"preset": name, "title": PRESET_TITLES[name], "clock": dict(clock)}
            for name, clock in PRESETS.items()
        ],
    }


def _entry(game: AnyGame, language: str) -> Json:
    """A game of the catalogue for people who read a language."""
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


@tables.operation(
    "GET", "/tables", scope=GAMES_READ, public=True, query=TablesQuery, answer=GamePageSchema
)
def list_tables(query: Json) -> Response:
    """List public tables that look for players, newest first"""
    caller = access_visitor(shown_key(), GAMES_READ)
    return page(*open_tables(caller, query, query.get("cursor"), query["limit"]))


@games.operation("GET", "/games", scope=GAMES_READ, query=GamesQuery, answer=GamePageSchema)
def list_games(query: Json) -> Response:
    """List your games, newest first"""
    caller = access_caller(shown_key(), GAMES_READ)
    return page(
        *games_of(
            caller.person_id, caller, query.get("cursor"), query["limit"], query.get("status")
        )
    )


@tables.operation(
    "POST",
    "/games",
    scope=TABLES_SEEK,
    body=NewGameSchema,
    status=201,
    answer=GameSchema,
    problems=["bad_setup", "too_many_tables", "too_many_games", "too_many_invitations"],
    links=GAME_LINKS,
)
def create_game(body: Json) -> Response:
    """Open a table

    You sit on its first seat. With bots on all other seats the game begins at once."""
    caller = access_caller(shown_key(), TABLES_SEEK)
    table = create_table(caller, table_spec(body), body["invite"], now())
    return _shown(table.game_id, status=201)


def table_spec(body: Json) -> TableSpec:
    """A checked `NewGameSchema` as the table that somebody would like to open."""
    spec = {name: value for name, value in body.items() if name not in ("invite", "clock")}
    return TableSpec(clock=body["clock"] or DEFAULT_CLOCK, **spec)


def _changed(game_id: str) -> GameAccess:
    return access_game(shown_key(), TABLES_SEEK, game_id)


def _shown(game_id: str, status: int = 200) -> Response:
    """The game after a change, as its GET shows it."""
    access = _changed(game_id)
    if access.caller and not access.caller.signed_in and GAMES_READ not in access.caller.scopes:
        access = replace(access, seat=None, seat_version=0)  # who may not look sees what all see
    response = jsonify(game_json(access))
    response.status_code = status
    response.headers["ETag"] = game_tag(access)
    if status == 201:
        response.headers["Location"] = f"/v1/games/{game_id}"
    return response


def game_tag(access: GameAccess, *more: object) -> str:
    """The ETag of a game, or of a form of it, for its viewer."""
    return _tag(Glance(access.game.version, access.seat, access.seat_version), *more)


def words_tag(query: Json) -> tuple[str, ...]:
    """What the query of a reading adds to the ETag: a language other than the usual, and when."""
    at, language = query.get("at"), query["language"]
    return (*(() if language == ENGLISH else (language,)), *(() if at is None else (f"at{at}",)))


def _tag(seen: Glance, *more: object) -> str:
    """It hides what others keep secret: the version counts what all can see, the seat's own
    what only that seat can."""
    viewer = "w" if seen.seat is None else f"s{seen.seat}.{seen.seat_version}"
    return tag(f"v{seen.version}", viewer, *more)


@games.operation(
    "GET",
    "/games/<game_id>",
    scope=GAMES_READ,
    public=True,
    query=GameQuery,
    answer=GameSchema,
    conditional=True,
    problems=["no_such_move"],
    links=GAME_LINKS,
)
def get_game(query: Json, game_id: str) -> Response:
    """See a game as you may see it

    With your decision and all legal moves, if your seat is asked something: each as JSON, as a
    line of notation and as a sentence with what it scores. `?at=n` shows the position after an
    earlier move, as far as your seat knew it."""
    at, language = query.get("at"), query["language"]
    then = words_tag(query)
    if "If-None-Match" in request.headers:  # most likely nothing has changed
        glance = access_glance(shown_key(), GAMES_READ, game_id)
        if glance is not None and (kept := kept_json(_tag(glance, *then), game_id)) is not None:
            return kept
    access = access_game(shown_key(), GAMES_READ, game_id)
    return conditional_json(
        game_tag(access, *then), lambda: game_json(access, at, language), game_id
    )


@tables.operation(
    "POST",
    "/games/<game_id>/join",
    scope=TABLES_SEEK,
    body=JoinSchema,
    answer=GameSchema,
    problems=[
        "already_seated",
        "table_full",
        "not_open",
        "invitation_needed",
        "invitation_invalid",
        "too_many_games",
        "too_many_joins",
    ],
)
def join_game(body: Json, game_id: str) -> Response:
    """Take a free seat

    The game begins when it was the last one."""
    secret = body["invitation"]
    access = access_known_game(shown_key(), TABLES_SEEK, game_id, invitation=secret)
    sit_down(access, secret, now())
    return _shown(game_id)


@tables.operation(
    "POST",
    "/games/<game_id>/leave",
    scope=TABLES_SEEK,
    status=204,
    problems=["not_seated", "not_open"],
)
def leave_game(game_id: str) -> Response:
    """Leave a table before it starts"""
    leave(access_seat(shown_key(), TABLES_SEEK, game_id), now())
    return Response(status=204)


@tables.operation(
    "POST",
    "/games/<game_id>/start",
    scope=TABLES_SEEK,
    body=StartSchema,
    answer=GameSchema,
    problems=["not_host", "not_open", "seats_free"],
)
def start_game(body: Json, game_id: str) -> Response:
    """Start a table that is not full, with our bots on the free seats"""
    start(access_hosted(shown_key(), TABLES_SEEK, game_id), body["bots"], now())
    return _shown(game_id)


@tables.operation(
    "POST",
    "/games/<game_id>/cancel",
    scope=TABLES_SEEK,
    answer=GameSchema,
    problems=["not_host", "not_open"],
)
def cancel_game(game_id: str) -> Response:
    """Close a table before it starts"""
    cancel(access_hosted(shown_key(), TABLES_SEEK, game_id), now())
    return _shown(game_id)


@tables.operation(
    "POST",
    "/games/<game_id>/rematch",
    scope=TABLES_SEEK,
    answer=GameSchema,
    problems=[
        "not_seated",
        "not_finished",
        "not_open",
        "table_full",
        "too_many_tables",
        "too_many_games",
        "too_many_joins",
    ],
)
def offer_rematch(game_id: str) -> Response:
    """Offer the same game again, or accept the offer

    The first to ask opens a table with the same settings and bots; it begins when everybody of
    the old game has asked too. Nobody needs to be there at the same time."""
    access = access_seat(shown_key(), TABLES_SEEK, game_id)
    return _shown(rematch(access, now()))
