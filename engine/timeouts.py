"""Time-outs: the moves for a seat whose time is up."""

from collections.abc import Sequence
from typing import Any

from engine.contract import GameType
from engine.decisions import bot_view
from engine.errors import NotPending
from engine.play import Line, Via, play


def bot_move(game: GameType, state: Any, seat: int) -> Any:
    """The move of the bot for a seat, from its view alone."""
    return _best(game, state, seat, game.legal_moves(state, seat))


def timeout_move(
    game: GameType, state: Any, seat: int, wishes: Sequence[str] = ()
) -> tuple[Any, Via]:
    """The move for an absent seat, and its origin for the log.

    The preferences list decides as far as it goes; the bot chooses among several matching moves,
    and without a list. Raises NotPending for a seat that owes no decision.
    """
    if seat not in game.pending(state):
        raise NotPending(f"Seat {seat} owes nothing, so its time cannot run out.")
    wished = game.preferred_moves(state, seat, wishes) if wishes else ()
    if not wished:
        return bot_move(game, state, seat), "timeout"
    return _best(game, state, seat, wished), "plan"


def play_for_absent(
    game: GameType, state: Any, seed: bytes, seat: int, decision: str, wishes: Sequence[str] = ()
) -> tuple[Line, ...]:
    """Answer the decision of an absent seat and all further decisions of the same turn, so that the
    others wait only once."""
    asked: str | None = decision
    lines: tuple[Line, ...] = ()
    while asked or (seat in game.pending(state) and game.within_turn(state, seat)):
        move, via = timeout_move(game, state, seat, wishes)
        played = play(game, state, seed, seat, asked, move, via)
        state, lines, asked = played.state, lines + played.lines, None
    return lines


def _best(game: GameType, state: Any, seat: int, moves: Sequence[Any]) -> Any:
    return game.bot_move(bot_view(game, state, seat, moves))
