"""Early end, resignation, takeover and pauses of a game."""

from engine.contract import Json
from service.access.scopes import GAMES_PLAY
from service.api.authentication import seat_access
from service.api.decorators import idempotent, problems, scope
from service.api.play import IN_A_GAME, blp
from service.api.schemas.play import EndOfferSchema, PauseSchema
from service.core.clock import now
from service.games import agreements, early_end
from service.games.takeover import come_back


@blp.route("/games/<game_id>/resign", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems(*IN_A_GAME, "resigned")
def resign_game(game_id: str) -> None:
    """Resign

    With two or more other people in the game, a bot plays your seat to the end. A single
    other person wins (`outcome.reason` is `resigned`) and may continue against bots. Without
    other people the game is abandoned and has no winner."""
    agreements.resign(seat_access(game_id), now())


@blp.route("/games/<game_id>/play-on", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems("not_seated", "game_frozen", "cannot_play_on")
def play_on(game_id: str) -> None:
    """Continue against bots after the others resigned

    Only the winner may do this. The game runs again and the rules decide it; ending it early
    keeps the earlier win."""
    early_end.play_on(seat_access(game_id), now())


@blp.route("/games/<game_id>/end-offer", methods=["PUT"])
@scope(GAMES_PLAY)
@blp.response(200, EndOfferSchema)
@problems(*IN_A_GAME, "resigned", "seat_away", "too_many_offers")
def offer_end(game_id: str) -> Json:
    """Offer to end the game

    The game ends with its current scores as soon as every remaining player offers it. A
    single player against bots ends it at once: it is abandoned (`outcome.reason`) and has no
    winner."""
    return {"finished": agreements.offer_to_end(seat_access(game_id), now())}


@blp.route("/games/<game_id>/end-offer", methods=["DELETE"])
@scope(GAMES_PLAY)
@blp.response(204)
@problems(*IN_A_GAME)
def withdraw_end_offer(game_id: str) -> None:
    """Withdraw the offer to end the game"""
    agreements.withdraw_offer(seat_access(game_id), now())


@blp.route("/games/<game_id>/return", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(204)
@problems(*IN_A_GAME, "resigned")
def take_seat_back(game_id: str) -> None:
    """Take your seat back from a takeover

    Your open decision gets fresh time. Playing a move also takes the seat back. Without a
    takeover nothing changes."""
    come_back(seat_access(game_id), now())


@blp.route("/games/<game_id>/pause", methods=["POST"])
@scope(GAMES_PLAY)
@idempotent
@blp.response(200, PauseSchema)
@problems(*IN_A_GAME, "resigned", "seat_away", "too_many_offers")
def vote_for_pause(game_id: str) -> Json:
    """Vote for a pause

    All clocks stop, for at most 30 days, as soon as every remaining player has voted for it.
    Moves remain possible."""
    return {"paused_until": agreements.vote_for_pause(seat_access(game_id), now())}


@blp.route("/games/<game_id>/pause", methods=["DELETE"])
@scope(GAMES_PLAY)
@blp.response(204)
@problems(*IN_A_GAME, "resigned", "seat_away")
def end_pause(game_id: str) -> None:
    """End the pause or withdraw your vote for one

    Every player may end it; each clock continues with its remaining time."""
    agreements.end_pause(seat_access(game_id), now())
