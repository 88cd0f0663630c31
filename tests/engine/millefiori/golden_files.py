"""What pins Mille Fiori down. The seeds were searched for games that show what the name says."""

from typing import Any

from engine import millefiori
from engine.chance import Chance
from engine.contract import GameType
from engine.millefiori.cards import NUMBER
from engine.millefiori.moves import Decline
from engine.policies import random_move
from tests.engine.golden import Golden, perft_file, playthrough_file, replay_file, replay_of

REASONS = {"deck", "diamonds"}  # why a game can end
STANDARD = {"variant": "standard"}
TACTICAL = {"variant": "tactical"}


def rather_sail(game: GameType, state: Any, seat: int, chance: Chance) -> Any:
    """Saves diamonds with short voyages: the only way two players ever see the last card."""
    moves = game.legal_moves(state, seat)
    for move in moves:
        if isinstance(move, Decline) or game.format(move).endswith("route"):
            return move
    return min(moves, key=lambda move: NUMBER[move.card])


def plan_and_change(game: GameType, state: Any, seat: int, chance: Chance) -> Any:
    """Leaves a plan with every other pick."""
    move = random_move(game, state, seat, chance)
    plans = game.premoves(state, seat, move)
    if plans and chance.below("plan?", 2):
        return plans[chance.below("plan", len(plans))]
    return move


GOLDEN: dict[str, Golden] = {
    "perft.jsonl": perft_file(
        millefiori,
        [
            (seats, options, after, depth)
            for seats in (2, 3, 4)
            for options, depths in ((STANDARD, (6, 5, 5)), (TACTICAL, (3, 3, 3)))
            for after, depth in zip((0, 30, 70), depths)
        ],
    ),
    "playthrough-3-standard.txt": playthrough_file(millefiori, 3, STANDARD, "1", "greedy"),
    "playthrough-2-tactical.txt": playthrough_file(millefiori, 2, TACTICAL, "1", "random"),
    "replays/deck-2-seats.jsonl": replay_of(millefiori, 2, STANDARD, "1", rather_sail),
    "replays/deck-3-seats.jsonl": replay_file(millefiori, 3, STANDARD, "141", "random"),
    "replays/deck-4-seats-tactical.jsonl": replay_file(millefiori, 4, TACTICAL, "1", "random"),
    "replays/diamonds-by-the-first-in-order.jsonl": replay_file(
        millefiori, 2, STANDARD, "3", "random"
    ),
    "replays/diamonds-by-the-last-in-order.jsonl": replay_file(
        millefiori, 2, STANDARD, "2", "random"
    ),
    "replays/diamonds-by-several.jsonl": replay_file(millefiori, 2, STANDARD, "1", "random"),
    "replays/diamonds-in-the-last-turn-of-all.jsonl": replay_file(
        millefiori, 3, STANDARD, "9", "random"
    ),
    "replays/diamonds-4-seats-greedy.jsonl": replay_file(millefiori, 4, STANDARD, "2", "greedy"),
    "replays/reserve-used-up-unmarked-bonus-and-discard.jsonl": replay_file(
        millefiori, 3, STANDARD, "115", "random"
    ),
    "replays/extra-cards-in-a-row.jsonl": replay_file(millefiori, 3, STANDARD, "76", "random"),
    "replays/extra-card-lapsed.jsonl": replay_file(millefiori, 3, STANDARD, "0", "greedy"),
    "replays/tie.jsonl": replay_file(millefiori, 2, STANDARD, "31", "random"),
    "replays/plans-and-changed-picks.jsonl": replay_of(
        millefiori, 3, STANDARD, "1", plan_and_change
    ),
}
