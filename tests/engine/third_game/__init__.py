"""Nim: the smallest game type that keeps the whole contract of `engine.contract.GameContract`.

Three heaps of tokens; a move takes any number of tokens from one heap; the player who takes the
last token wins. `engine/README.md` follows this package step by step.
"""

from engine.contract import Ink, Meta, Option
from engine.languages import ENGLISH
from tests.engine.third_game.boards import board_summary, board_svg, board_text
from tests.engine.third_game.moves import (
    format_move as format,
)
from tests.engine.third_game.moves import (
    move_from_json,
    move_seen_by,
    move_to_json,
    parse,
)
from tests.engine.third_game.rules import (
    accepts,
    apply,
    asks,
    decision,
    dump,
    faults,
    forced,
    imagine,
    legal_moves,
    load,
    new_game,
    outcome,
    pending,
    premove,
    premoves,
    preview,
    ranking,
    revisable,
    scores,
    view,
    within_turn,
)
from tests.engine.third_game.strategy import (
    all_preferences,
    bot_move,
    preference_labels,
    preferred_moves,
    ranked,
    read_preferences,
)
from tests.engine.third_game.texts import cause, guide, label, path, question, sentence

meta = Meta(
    key="nim",
    title="Nim",
    rules=1,
    seats=(2, 3),
    options=(
        Option("heaps", "Heaps", {"small": "1, 2 and 3", "usual": "3, 4 and 5"}, default="usual"),
    ),
    uncovering={},
    revealing=frozenset(),
    buttons=frozenset({"take"}),
    inks=(Ink("#0072b2", "#56b4e9"), Ink("#c65200", "#f08a3c"), Ink("#7d6a00", "#f0e442")),
    summary="Take tokens from heaps; the last token wins.",
)


def about(language: str = ENGLISH) -> Meta:
    """`meta` in a language."""
    return meta


__all__ = [
    "about",
    "accepts",
    "all_preferences",
    "apply",
    "asks",
    "board_summary",
    "board_svg",
    "board_text",
    "bot_move",
    "cause",
    "decision",
    "dump",
    "faults",
    "forced",
    "format",
    "guide",
    "imagine",
    "label",
    "legal_moves",
    "load",
    "meta",
    "move_from_json",
    "move_seen_by",
    "move_to_json",
    "new_game",
    "outcome",
    "parse",
    "path",
    "pending",
    "preference_labels",
    "preferred_moves",
    "premove",
    "premoves",
    "preview",
    "question",
    "ranked",
    "ranking",
    "read_preferences",
    "revisable",
    "scores",
    "sentence",
    "view",
    "within_turn",
]
