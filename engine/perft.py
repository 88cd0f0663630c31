"""Perft: the number of move sequences from a position, which nearly every wrong rule changes."""

from collections.abc import Mapping
from typing import Any

from engine.chance import Chance
from engine.contract import GameType
from engine.play import begin
from engine.policies import random_move


def position_after(
    game: GameType, seats: int, options: Mapping[str, str], seed: bytes, moves: int
) -> Any:
    """The position after this many random moves, or the last one before the end."""
    state = begin(game, seats, options, seed).start
    chance = Chance(seed, "perft")
    for _ in range(moves):
        seat = game.pending(state)[0]
        following = game.apply(state, seat, random_move(game, state, seat, chance), chance).state
        if not game.pending(following):
            break
        state = following
    return state


def perft(game: GameType, state: Any, seed: bytes, depth: int) -> int:
    """The number of sequences of `depth` moves, in which the first pending seat moves."""
    pending = game.pending(state)
    if depth == 0 or not pending:
        return 1
    seat = pending[0]
    moves = game.legal_moves(state, seat)
    if depth == 1:
        return len(moves)
    chance = Chance(seed, game.decision(state, seat))
    return sum(
        perft(game, game.apply(state, seat, move, chance).state, seed, depth - 1) for move in moves
    )
