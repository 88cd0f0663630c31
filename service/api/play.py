"""Playing: moves, plans, notes, resigning, coming back, pauses, ending together, talking."""

from collections.abc import Callable
from typing import Any

from flask import Response, jsonify

from engine.contract import Json
from engine.offers import carried_plans
from service.access.credentials import access_caller
from service.access.games import SeatAccess, access_seat, access_seats
from service.access.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_PLAY, GAMES_READ
from service.api.etags import conditional_json
from service.api.games import game_tag, words_tag
from service.api.operations import Noun
from service.api.pages import page
from service.api.request_data import shown_key
from service.api.schemas.common import PageQuery, WordsQuery
from service.api.schemas.play import (
    AnsweredSchema,
    AnswerSchema,
    EndOfferSchema,
    GameMailsSchema,
    LinesQuery,
    MessageSchema,
    MessagesSchema,
    NewMessageSchema,
    NoteSchema,
    OpenDecisionPageSchema,
    OwnPlanSchema,
    PauseSchema,
    PlanSchema,
)
from service.core.clock import now
from service.games.chat import messages, say
from service.games.early_end import play_on as play_on_against_bots
from service.games.loaded_game import load_game
from service.games.moves import (
    Result,
    answer,
    leave_wishes,
    offer_to_end,
    resign,
    withdraw_offer,
    write_note,
)
from service.games.pauses import end_pause as let_clocks_run
from service.games.pauses import vote_for_pause as vote
from service.games.persistence import outcome_json
from service.games.presence import come_back
from service.games.queries import decisions_of
from service.games.views import line_json
from service.mail.outgoing.unsubscribe import is_quiet, set_quiet

play = Noun("play", __name__, description="Deciding, and everything a seat may do")

# The longest texts when a client escapes every character.
MOVES_BYTES = MESSAGE_BYTES = 16 * 1024
PLAN_BYTES = 32 * 1024
NOTE_BYTES = 64 * 1024


@play.operation(
    "GET", "/decisions", scope=GAMES_READ, query=PageQuery, answer=OpenDecisionPageSchema
)
def list_decisions(query: Json) -> Response:
    """List everything that waits for you, soonest first"""
    caller = access_caller(shown_key(), GAMES_READ)
    return page(*decisions_of(caller, query.get("cursor"), query["limit"]))


@play.operation(
    "POST",
    "/games/<game_id>/moves",
    scope=GAMES_PLAY,
    body=AnswerSchema,
    body_bytes=MOVES_BYTES,
    answer=AnsweredSchema,
    problems=[
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
    ],
    links={"game": {"operationId": "getGame", "parameters": {"game_id": "$response.body#/game"}}},
)
def play_move(body: Json, game_id: str) -> Callable[[], Response]:
    """Answer a decision

    A pick that others cannot see yet may be answered again, until the last one is in. Sending
    an answer twice is harmless: the second time the decision is closed."""
    access = access_seat(shown_key(), GAMES_PLAY, game_id)
    moves = body.get("moves") or [body["move"] if "move" in body else body["text"]]
    result = answer(access, body["decision"], moves, now())
    return lambda: jsonify(played_json(result))


def played_json(result: Result) -> Json:
    """What came of an answer, as the seat that gave it may see it."""
    game, state, seat = result.loaded.game, result.state, result.seat
    pending = list(game.pending(state))
    return {
        "game": result.loaded.row.id,
        "version": result.version,
        "played": [
            line_json(result.loaded, seat, n, line, result.at)
            for n, line in enumerate(result.lines, start=result.first)
        ],
        "decision": game.decision(state, seat) if seat in pending else None,
        "waiting_for": pending,
        "outcome": outcome_json(game, state),
        "stopped": result.stopped and result.stopped.as_json(),
    }


def _own_seat(game_id: str) -> SeatAccess:
    """A game in which the caller has a seat, to look at."""
    return access_seat(shown_key(), GAMES_READ, game_id, for_update=False)


@play.operation(
    "GET",
    "/games/<game_id>/plan",
    scope=GAMES_READ,
    query=WordsQuery,
    answer=OwnPlanSchema,
    problems=["not_seated"],
    conditional=True,
)
def get_plan(query: Json, game_id: str) -> Response:
    """See what you left in advance, and the plans your next move may carry"""
    access = _own_seat(game_id)
    return conditional_json(
        game_tag(access, "plan", *words_tag(query)),
        lambda: _plan_json(access, query["language"]),
    )


def _plan_json(access: SeatAccess, language: str) -> Json:
    loaded, seat = load_game(access.game), access.seat
    plans: list[Json] = []
    if loaded.running and not loaded.frozen and not access.resigned:
        plans = carried_plans(loaded.game, loaded.state, seat, loaded.names, language)
    return {"wishes": list(loaded.seats[seat].wishes), "plans": plans}


@play.operation(
    "PUT",
    "/games/<game_id>/plan",
    scope=GAMES_PLAY,
    body=PlanSchema,
    body_bytes=PLAN_BYTES,
    answer=PlanSchema,
    problems=["not_seated", "not_running", "game_over", "game_frozen", "unreadable_move"],
)
def put_plan(body: Json, game_id: str) -> Json:
    """Leave a ranked list for the time when your clock runs out"""
    wishes = leave_wishes(access_seat(shown_key(), GAMES_PLAY, game_id), body["wishes"])
    return {"wishes": list(wishes)}


@play.operation(
    "GET",
    "/games/<game_id>/note",
    scope=GAMES_READ,
    answer=NoteSchema,
    problems=["not_seated"],
)
def get_note(game_id: str) -> Json:
    """Read your note"""
    access = _own_seat(game_id)
    return {"text": access_seats(game_id)[access.seat].note}


@play.operation(
    "PUT",
    "/games/<game_id>/note",
    scope=GAMES_PLAY,
    body=NoteSchema,
    body_bytes=NOTE_BYTES,
    answer=NoteSchema,
    problems=["not_seated"],
)
def put_note(body: Json, game_id: str) -> Json:
    """Write a note for your eyes only"""
    write_note(access_seat(shown_key(), GAMES_PLAY, game_id), body["text"])
    return body


@play.operation(
    "GET",
    "/games/<game_id>/mails",
    scope=ACCOUNT_READ,
    answer=GameMailsSchema,
    problems=["not_seated"],
)
def get_game_mails(game_id: str) -> Json:
    """See whether you get mails about this game"""
    access = access_seat(shown_key(), ACCOUNT_READ, game_id, for_update=False)
    return {"wanted": not is_quiet(access.caller.person_id, game_id)}


@play.operation(
    "PUT",
    "/games/<game_id>/mails",
    scope=ACCOUNT_WRITE,
    body=GameMailsSchema,
    answer=GameMailsSchema,
    problems=["not_seated"],
)
def put_game_mails(body: Json, game_id: str) -> Json:
    """Get no mails about this game, or get them again

    Answers to what you mail come all the same."""
    access = access_seat(shown_key(), ACCOUNT_WRITE, game_id)
    set_quiet(access.caller.person_id, game_id, not body["wanted"])
    return body


@play.operation(
    "POST",
    "/games/<game_id>/resign",
    scope=GAMES_PLAY,
    status=204,
    problems=["not_seated", "not_running", "resigned", "game_over", "game_frozen"],
)
def resign_game(game_id: str) -> Response:
    """Resign

    With two other people or more at the table a bot plays your seat to the end. A single other
    person has won (`outcome.reason` is `resigned`), and may play on against bots. Without other
    people the game is abandoned: nobody wins."""
    resign(access_seat(shown_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@play.operation(
    "POST",
    "/games/<game_id>/play-on",
    scope=GAMES_PLAY,
    status=204,
    problems=["not_seated", "game_frozen", "cannot_play_on"],
)
def play_on(game_id: str) -> Response:
    """Play on against bots after the others resigned

    Only the winner may. The game runs again, and the rules decide it; if you end it early after
    all you have won as before."""
    play_on_against_bots(access_seat(shown_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@play.operation(
    "PUT",
    "/games/<game_id>/end-offer",
    scope=GAMES_PLAY,
    answer=EndOfferSchema,
    problems=[
        *("not_seated", "not_running", "resigned", "seat_away", "game_over", "game_frozen"),
        "too_many_offers",
    ],
)
def offer_end(game_id: str) -> Json:
    """Offer to end the game as it stands

    It ends, with the scores of the moment, as soon as everybody who still plays offers it. Alone
    against bots you end it at once: it is abandoned (`outcome.reason`), and nobody wins."""
    return {"finished": offer_to_end(access_seat(shown_key(), GAMES_PLAY, game_id), now())}


@play.operation(
    "DELETE",
    "/games/<game_id>/end-offer",
    scope=GAMES_PLAY,
    status=204,
    problems=["not_seated", "not_running", "game_over", "game_frozen"],
)
def withdraw_end_offer(game_id: str) -> Response:
    """Take the offer to end back"""
    withdraw_offer(access_seat(shown_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@play.operation(
    "POST",
    "/games/<game_id>/return",
    scope=GAMES_PLAY,
    status=204,
    problems=["not_seated", "not_running", "resigned", "game_over", "game_frozen"],
)
def take_seat_back(game_id: str) -> Response:
    """Take your seat back from the bot that keeps it

    You have fresh time for what your seat is asked now. To answer a decision takes the seat back
    as well; who was not away changes nothing."""
    come_back(access_seat(shown_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@play.operation(
    "POST",
    "/games/<game_id>/pause",
    scope=GAMES_PLAY,
    answer=PauseSchema,
    problems=[
        *("not_seated", "not_running", "resigned", "seat_away", "game_over", "game_frozen"),
        "too_many_offers",
    ],
)
def vote_for_pause(game_id: str) -> Json:
    """Vote for a pause

    As soon as everybody who still plays wants it, all clocks stand still, for 30 days at most.
    Moves can be made all the same."""
    return {"paused_until": vote(access_seat(shown_key(), GAMES_PLAY, game_id), now())}


@play.operation(
    "DELETE",
    "/games/<game_id>/pause",
    scope=GAMES_PLAY,
    status=204,
    problems=["not_seated", "not_running", "resigned", "seat_away", "game_over", "game_frozen"],
)
def end_pause(game_id: str) -> Response:
    """End the pause, or take your vote for one back

    Everybody who plays may end it; what was left of each clock begins to run again."""
    let_clocks_run(access_seat(shown_key(), GAMES_PLAY, game_id), now())
    return Response(status=204)


@play.operation(
    "GET",
    "/games/<game_id>/messages",
    scope=GAMES_READ,
    query=LinesQuery,
    answer=MessagesSchema,
    problems=["not_seated"],
)
def list_messages(query: Json, game_id: str) -> Json:
    """Read what was said at the table"""
    items, after = messages(_own_seat(game_id), query["after"], query["limit"])
    return {"items": items, "next_after": after}


@play.operation(
    "POST",
    "/games/<game_id>/messages",
    scope=GAMES_PLAY,
    body=NewMessageSchema,
    body_bytes=MESSAGE_BYTES,
    status=201,
    answer=MessageSchema,
    problems=["not_seated", "not_running", "too_many_messages"],
)
def post_message(body: Json, game_id: str) -> Any:
    """Say something at the table"""
    return say(access_seat(shown_key(), GAMES_PLAY, game_id), body["text"], now())
