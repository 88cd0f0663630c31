"""Actions of a seat: moves, preferences lists, notes, resignation, pauses, agreed end, chat."""

from typing import Any

from flask import Response, jsonify

from engine.contract import Json
from engine.decisions import offered_premoves
from service.access.credentials import access_caller
from service.access.games import SeatAccess, access_seat, access_seats
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_PLAY, GAMES_READ
from service.api.authentication import request_key
from service.api.blueprint import Blueprint
from service.api.decorators import (
    atomic,
    conditional,
    idempotent,
    problems,
    read_only,
    scope,
    transactional,
)
from service.api.links import link
from service.api.pagination import page
from service.api.schemas.common import PageQuery, WordsQuery
from service.api.schemas.play import (
    AnsweredSchema,
    EndOfferSchema,
    GameMailsSchema,
    LinesQuery,
    MessageSchema,
    MessagesSchema,
    OpenDecisionPageSchema,
    OwnPlanSchema,
    PauseSchema,
)
from service.core.clock import now
from service.core.etags import conditional_json
from service.games.agreements import end_pause as let_clocks_run
from service.games.agreements import offer_to_end, resign, withdraw_offer
from service.games.agreements import vote_for_pause as vote
from service.games.chat import messages, say
from service.games.early_end import play_on as play_on_against_bots
from service.games.etags import game_etag, view_parts
from service.games.inputs import AnswerSchema, NewMessageSchema, NoteSchema, PlanSchema
from service.games.loaded_game import load_game
from service.games.moves import PlayedMoves, answer, leave_wishes, write_note
from service.games.queries import decisions_of
from service.games.results import result_by_rules
from service.games.takeover import come_back
from service.games.views import line_json
from service.mail.outgoing.unsubscribe import is_quiet, set_quiet

blp = Blueprint("play", __name__, description="Moves and other actions of a seat")

# Room for the longest texts with every character escaped.
MOVES_BYTES = MESSAGE_BYTES = 16 * 1024
PLAN_BYTES = 32 * 1024
NOTE_BYTES = 64 * 1024


@blp.route("/decisions", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(PageQuery, location="query")
@blp.response(200, OpenDecisionPageSchema)
@read_only
def list_decisions(query: Json) -> Response:
    """List your open decisions, earliest deadline first"""
    caller = access_caller(request_key(), GAMES_READ)
    return page(*decisions_of(caller, query.get("cursor"), query["limit"]))


@blp.route("/games/<game_id>/moves", methods=["POST"])
@scope(GAMES_PLAY)
@blp.arguments(AnswerSchema, max_bytes=MOVES_BYTES)
@idempotent
@blp.response(200, AnsweredSchema, links={"game": link("getGame", game_id="$response.body#/game")})
@problems(
    "not_seated",
    "not_running",
    "game_frozen",
    "resigned",
    "unreadable_move",
    "ambiguous_move",
    "illegal_move",
    "not_your_decision",
    "decision_closed",
    "game_over",
)
def play_move(body: Json, game_id: str) -> Response:
    """Play a move

    A choice that other players cannot see yet may be changed until the last one is in.
    Repeating a request is harmless: the second time the decision is closed."""
    moves = body.get("moves") or [body["move"] if "move" in body else body["text"]]

    def play() -> PlayedMoves:
        access = access_seat(request_key(), GAMES_PLAY, game_id)
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


def _own_seat(game_id: str) -> SeatAccess:
    """Read access to a game in which the caller has a seat."""
    return access_seat(request_key(), GAMES_READ, game_id, for_update=False)


@blp.route("/games/<game_id>/plan", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(WordsQuery, location="query")
@conditional
@blp.response(200, OwnPlanSchema)
@problems("not_seated")
@read_only
def get_plan(query: Json, game_id: str) -> Response:
    """Get your preferences list and the premoves your next move may carry"""
    access = _own_seat(game_id)
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
@problems("not_seated", "not_running", "game_over", "game_frozen", "unreadable_move")
@transactional
def put_plan(body: Json, game_id: str) -> Json:
    """Set your preferences list for a time-out"""
    wishes = leave_wishes(access_seat(request_key(), GAMES_PLAY, game_id), body["wishes"])
    return {"wishes": list(wishes)}


@blp.route("/games/<game_id>/note", methods=["GET"])
@scope(GAMES_READ)
@blp.response(200, NoteSchema)
@problems("not_seated")
@read_only
def get_note(game_id: str) -> Json:
    """Get your private note"""
    access = _own_seat(game_id)
    return {"text": access_seats(game_id)[access.seat].note}


@blp.route("/games/<game_id>/note", methods=["PUT"])
@scope(GAMES_PLAY)
@blp.arguments(NoteSchema, max_bytes=NOTE_BYTES)
@blp.response(200, NoteSchema)
@problems("not_seated")
@transactional
def put_note(body: Json, game_id: str) -> Json:
    """Set your private note"""
    write_note(access_seat(request_key(), GAMES_PLAY, game_id), body["text"])
    return body


@blp.route("/games/<game_id>/mails", methods=["GET"])
@scope(ACCOUNT_READ)
@blp.response(200, GameMailsSchema)
@problems("not_seated")
@read_only
def get_game_mails(game_id: str) -> Json:
    """Get your mail setting for a game"""
    access = access_seat(request_key(), ACCOUNT_READ, game_id, for_update=False)
    return {"wanted": not is_quiet(access.caller.person_id, game_id)}


@blp.route("/games/<game_id>/mails", methods=["PUT"])
@scope(ACCOUNT_WRITE)
@blp.arguments(GameMailsSchema)
@blp.response(200, GameMailsSchema)
@problems("not_seated")
@transactional
def put_game_mails(body: Json, game_id: str) -> Json:
    """Turn mails about a game off or on

    Responses to mails you send are not affected."""
    access = access_seat(request_key(), ACCOUNT_WRITE, game_id)
    set_quiet(access.caller.person_id, game_id, not body["wanted"])
    return body


@blp.route("/games/<game_id>/resign", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems("not_seated", "not_running", "resigned", "game_over", "game_frozen")
@transactional
def resign_game(game_id: str) -> Response:
    """Resign

    With two or more other people in the game, a bot plays your seat to the end. A single
    other person wins (`outcome.reason` is `resigned`) and may continue against bots. Without
    other people the game is abandoned and has no winner."""
    resign(access_seat(request_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@blp.route("/games/<game_id>/play-on", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems("not_seated", "game_frozen", "cannot_play_on")
@transactional
def play_on(game_id: str) -> Response:
    """Continue against bots after the others resigned

    Only the winner may do this. The game runs again and the rules decide it; ending it early
    keeps the earlier win."""
    play_on_against_bots(access_seat(request_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@blp.route("/games/<game_id>/end-offer", methods=["PUT"])
@scope(GAMES_PLAY)
@blp.response(200, EndOfferSchema)
@problems(
    "not_seated",
    "not_running",
    "resigned",
    "seat_away",
    "game_over",
    "game_frozen",
    "too_many_offers",
)
@transactional
def offer_end(game_id: str) -> Json:
    """Offer to end the game

    The game ends with its current scores as soon as every remaining player offers it. A
    single player against bots ends it at once: it is abandoned (`outcome.reason`) and has no
    winner."""
    return {"finished": offer_to_end(access_seat(request_key(), GAMES_PLAY, game_id), now())}


@blp.route("/games/<game_id>/end-offer", methods=["DELETE"])
@scope(GAMES_PLAY)
@blp.response(204)
@problems("not_seated", "not_running", "game_over", "game_frozen")
@transactional
def withdraw_end_offer(game_id: str) -> Response:
    """Withdraw the offer to end the game"""
    withdraw_offer(access_seat(request_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@blp.route("/games/<game_id>/return", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems("not_seated", "not_running", "resigned", "game_over", "game_frozen")
@transactional
def take_seat_back(game_id: str) -> Response:
    """Take your seat back from a takeover

    Your open decision gets fresh time. Playing a move also takes the seat back. Without a
    takeover nothing changes."""
    come_back(access_seat(request_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@blp.route("/games/<game_id>/pause", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(200, PauseSchema)
@problems(
    "not_seated",
    "not_running",
    "resigned",
    "seat_away",
    "game_over",
    "game_frozen",
    "too_many_offers",
)
@transactional
def vote_for_pause(game_id: str) -> Json:
    """Vote for a pause

    All clocks stop, for at most 30 days, as soon as every remaining player has voted for it.
    Moves remain possible."""
    return {"paused_until": vote(access_seat(request_key(), GAMES_PLAY, game_id), now())}


@blp.route("/games/<game_id>/pause", methods=["DELETE"])
@scope(GAMES_PLAY)
@blp.response(204)
@problems("not_seated", "not_running", "resigned", "seat_away", "game_over", "game_frozen")
@transactional
def end_pause(game_id: str) -> Response:
    """End the pause or withdraw your vote for one

    Every player may end it; each clock continues with its remaining time."""
    let_clocks_run(access_seat(request_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@blp.route("/games/<game_id>/messages", methods=["GET"])
@scope(GAMES_READ)
@blp.arguments(LinesQuery, location="query")
@blp.response(200, MessagesSchema)
@problems("not_seated")
@read_only
def list_messages(query: Json, game_id: str) -> Json:
    """List chat messages"""
    items, after = messages(_own_seat(game_id), query["after"], query["limit"])
    return {"items": items, "next_after": after}


@blp.route("/games/<game_id>/messages", methods=["POST"])
@scope(GAMES_PLAY)
@blp.arguments(NewMessageSchema, max_bytes=MESSAGE_BYTES)
@idempotent
@blp.response(201, MessageSchema)
@problems("not_seated", "not_running", "too_many_messages")
@transactional
def post_message(body: Json, game_id: str) -> Any:
    """Post a chat message"""
    return say(access_seat(request_key(), GAMES_PLAY, game_id), body["text"], now())
