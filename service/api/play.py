"""Open decisions, moves, and what a seat keeps for itself: preferences list, note, mail setting."""

from flask import Response, jsonify

from engine.contract import Json
from engine.decisions import offered_premoves
from service.access.games import SeatAccess, access_seats
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_PLAY, GAMES_READ
from service.api.authentication import request_caller, seat_access
from service.api.blueprint import Blueprint
from service.api.decorators import atomic, conditional, idempotent, problems, scope
from service.api.links import link
from service.api.pagination import page
from service.api.schemas.common import PageQuery, WordsQuery
from service.api.schemas.play import (
    AnsweredSchema,
    GameMailsSchema,
    OpenDecisionPageSchema,
    OwnPlanSchema,
    UndoResultSchema,
)
from service.core.clock import now
from service.core.etags import conditional_json
from service.games.etags import game_etag, view_parts
from service.games.inputs import AnswerSchema, NoteSchema, PlanSchema, UndoSchema
from service.games.loaded_game import load_game
from service.games.moves import PlayedMoves, answer, leave_wishes, write_note
from service.games.queries import decisions_of
from service.games.results import result_by_rules
from service.games.undo import undo_step
from service.games.views import line_json
from service.mail.outgoing.unsubscribe import is_muted, set_muted

blp = Blueprint("play", __name__, description="Moves and other actions of a seat")

IN_A_GAME = ("not_seated", "not_running", "game_over", "game_frozen")
PLAYED_LINKS = {"game": link("getGame", game_id="$response.body#/game")}
# Room for the longest texts with every character escaped.
MOVES_BYTES = 16 * 1024
PLAN_BYTES = 32 * 1024
NOTE_BYTES = 64 * 1024


@blp.route("/decisions", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(PageQuery, location="query")
@blp.response(200, OpenDecisionPageSchema)
def list_decisions(query: Json) -> Response:
    """List your open decisions, earliest deadline first"""
    return page(*decisions_of(request_caller(), query.get("cursor"), query["limit"]))


@blp.route("/games/<game_id>/moves", methods=["POST"])
@scope(GAMES_PLAY)
@blp.arguments(AnswerSchema, max_bytes=MOVES_BYTES)
@idempotent
@blp.response(200, AnsweredSchema, links=PLAYED_LINKS, own_transaction=True)
@problems(*IN_A_GAME, "resigned", "unreadable_move", "ambiguous_move", "illegal_move")
@problems("not_your_decision", "decision_closed")
def play_move(body: Json, game_id: str) -> Response:
    """Play a move

    A choice that other players cannot see yet may be changed until the last one is in.
    Repeating a request is harmless: the second time the decision is closed."""
    moves = body.get("moves") or [body["move"] if "move" in body else body["text"]]

    def play() -> PlayedMoves:
        access = seat_access(game_id)
        return answer(access, body["decision"], moves, now())

    return jsonify(played_json(atomic(play)))  # rendered after the commit, because writers queue


def played_json(result: PlayedMoves) -> Json:
    """Result of a move, as the seat that played it may see it."""
    game, state, seat = result.loaded.game, result.state, result.seat
    pending = list(game.pending(state))
    ended = result_by_rules(game, state)
    return {
        "game": result.loaded.row.id,
        "version": result.version,
        "played": [
            line_json(result.loaded, seat, n, line, result.at)
            for n, line in enumerate(result.lines, start=result.first)
        ],
        "decision": game.decision(state, seat) if seat in pending else None,
        "waiting_for": pending,
        "outcome": None if ended is None else ended.as_json(),
        "stopped": result.stopped and result.stopped.as_json(),
    }


@blp.route("/games/<game_id>/undo", methods=["POST"])
@scope(GAMES_PLAY)
@blp.arguments(UndoSchema)
@idempotent
@blp.response(200, UndoResultSchema, links=PLAYED_LINKS)
@problems(*IN_A_GAME, "resigned", "seat_away", "nothing_to_undo")
def undo_move(body: Json, game_id: str) -> Json:
    """Take back the last step of your turn

    Possible while your turn and the time for that step last, if the step revealed nothing and
    nobody else was asked. The clock runs on as if the step had not been made.
    Repeating a request is harmless: it names the answer that it takes back."""
    undone = undo_step(seat_access(game_id), now(), body["decision"])
    return {
        "game": game_id,
        "version": undone.version,
        "undone": undone.texts,
        "revisable": undone.revisable,
        "decision": undone.decision,
        "due_at": undone.due_at,
    }


@blp.route("/games/<game_id>/plan", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(WordsQuery, location="query")
@conditional
@blp.response(200, OwnPlanSchema)
@problems("not_seated")
def get_plan(query: Json, game_id: str) -> Response:
    """Get your preferences list and the premoves your next move may carry"""
    access = seat_access(game_id)
    return conditional_json(
        game_etag(access, "plan", *view_parts(query["language"])),
        lambda: _plan_json(access, query["language"]),
    )


def _plan_json(access: SeatAccess, language: str) -> Json:
    loaded, seat = load_game(access.game), access.seat
    plans: list[Json] = []
    if loaded.running and not loaded.frozen and not access.resigned:
        plans = offered_premoves(loaded.game, loaded.state, seat, loaded.names, language)
    return {"wishes": list(loaded.seats[seat].wishes), "plans": plans}


@blp.route("/games/<game_id>/plan", methods=["PUT"])
@scope(GAMES_PLAY)
@blp.arguments(PlanSchema, max_bytes=PLAN_BYTES)
@blp.response(200, PlanSchema)
@problems(*IN_A_GAME, "unreadable_move")
def put_plan(body: Json, game_id: str) -> Json:
    """Set your preferences list for a time-out"""
    wishes = leave_wishes(seat_access(game_id), body["wishes"])
    return {"wishes": list(wishes)}


@blp.route("/games/<game_id>/note", methods=["GET"])
@scope(GAMES_READ)
@blp.response(200, NoteSchema)
@problems("not_seated")
def get_note(game_id: str) -> Json:
    """Get your private note"""
    return {"text": access_seats(game_id)[seat_access(game_id).seat].note}


@blp.route("/games/<game_id>/note", methods=["PUT"])
@scope(GAMES_PLAY)
@blp.arguments(NoteSchema, max_bytes=NOTE_BYTES)
@blp.response(200, NoteSchema)
@problems("not_seated")
def put_note(body: Json, game_id: str) -> Json:
    """Set your private note"""
    write_note(seat_access(game_id), body["text"])
    return body


@blp.route("/games/<game_id>/mails", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, GameMailsSchema)
@problems("not_seated")
def get_game_mails(game_id: str) -> Json:
    """Get your mail setting for a game"""
    access = seat_access(game_id)
    return {"wanted": not is_muted(access.caller.person_id, game_id)}


@blp.route("/games/<game_id>/mails", methods=["PUT"])
@scope(ACCOUNT_WRITE)
@blp.arguments(GameMailsSchema)
@blp.response(200, GameMailsSchema)
@problems("not_seated")
def put_game_mails(body: Json, game_id: str) -> Json:
    """Turn mails about a game off or on

    Responses to mails you send are not affected."""
    access = seat_access(game_id)
    set_muted(access.caller.person_id, game_id, not body["wanted"])
    return body
