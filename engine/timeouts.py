"""What is played for a seat whose time is up."""

from collections.abc import Sequence
from typing import Any

from engine.contract import AnyGame
from engine.decisions import bot_view
from engine.errors import NotPending
from engine.play import Line, Via, play


def bot_move(game: AnyGame, state: Any, seat: int) -> Any:
    """The bot's choice for a seat, from what that seat may see."""
    return _best(game, state, seat, game.legal_moves(state, seat))


def timeout_move(
    game: AnyGame, state: Any, seat: int, wishes: Sequence[str] = ()
) -> tuple[Any, Via]:
    """The move for an absent seat and how to log it.

    The seat's ranked list decides as far as it goes; among several moves that fulfil a wish,
    and without a list, the bot chooses. Raises NotPending for a seat that owes nothing.
    """
    if seat not in game.pending(state):
        raise NotPending(f"Seat {seat} owes nothing, so its time cannot run out.")
    wished = game.preferred_moves(state, seat, wishes) if wishes else ()
    if not wished:
        return bot_move(game, state, seat), "timeout"
    return _best(game, state, seat, wished), "plan"


def play_for_absent(
    game: AnyGame, state: Any, seed: bytes, seat: int, decision: str, wishes: Sequence[str] = ()
) -> tuple[Line, ...]:
    """Answer the decision of an absent seat, and all that its turn still asks: nobody waits for
    the rest of a turn that somebody else has begun for them."""
    asked: str | None = decision
    lines: tuple[Line, ...] = ()
    while asked or (seat in game.pending(state) and game.within_turn(state, seat)):
        move, via = timeout_move(game, state, seat, wishes)
        played = play(game, state, seed, seat, asked, move, via)
        state, lines, asked = played.state, lines + played.lines, None
    return lines


def _best(game: AnyGame, state: Any, seat: int, moves: Sequence[Any]) -> Any:
    return game.bot_move(bot_view(game, state, seat, moves))
