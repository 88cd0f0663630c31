"""Murano by Inka and Markus Brand: the functions of `engine.contract.GameContract`."""

from typing import Any

from engine.contract import Ink, Meta, Option
from engine.languages import ENGLISH
from engine.murano.board import (
    board_cache,
    boards,
    default_board,
    offered_boards,
    read_board,
    use_boards,
    uses_own_board,
)
from engine.murano.board_summary import board_summary
from engine.murano.bot import bot_move, ranked
from engine.murano.checks import faults
from engine.murano.final_scoring import outcome, ranking
from engine.murano.forced import forced
from engine.murano.guide import guide
from engine.murano.imagine import imagine
from engine.murano.labels import label
from engine.murano.legal import accepts, asks, legal_moves, premoves
from engine.murano.moves import format_move as format
from engine.murano.moves import move_from_json, move_seen_by, move_to_json
from engine.murano.moves import parse_move as parse
from engine.murano.names import cause, translation
from engine.murano.paths import BUTTONS, path
from engine.murano.preferences import (
    all_preferences,
    preference_labels,
    preferred_moves,
    premove,
    read_preferences,
)
from engine.murano.previews import preview
from engine.murano.sentences import question, sentence
from engine.murano.setup import new_game
from engine.murano.state import dump, load
from engine.murano.svg_board import board_svg
from engine.murano.text_board import board_text
from engine.murano.turns import apply, decision, pending, revisable, scores, within_turn
from engine.murano.views import view

OWN_BOARD = (
    "Rules and prices are those of the printed game. The order of the ring, the islands with their "
    "docks, customers, crests and parts of the tables are Laguna's own."
)


meta: Meta  # made by `__getattr__` when it is first used: its options are the boards


@board_cache
def _meta() -> Meta:
    offered = offered_boards()
    return Meta(
        key="murano",
        title="Murano",
        rules=1,
        seats=(2, 3, 4),
        options=(
            Option(
                key="board",
                title="Board",
                choices={key: board.title for key, board in offered.items()},
                default=default_board().key,
                retired={key: board.title for key, board in boards().items() if key not in offered},
                note=OWN_BOARD if uses_own_board() else "",
            ),
        ),
        uncovering={
            "street": frozenset({"street"}),
            "bought": frozenset({"kind"}),
            "search": frozenset(),  # what lies in the stack is in the view of who looks through it
            "characters": frozenset({"characters"}),
            "cards-shown": frozenset({"cards"}),
        },
        revealing=frozenset({"scoring"}),
        buttons=BUTTONS,
        inks=(
            Ink("#1d2f38", "#ffffff"),
            Ink("#7b4a1e", "#c79a6d"),
            Ink("#d06a00", "#ffa53a"),
            Ink("#6b7a80", "#9fb0b7"),
        ),
        summary="Steer ships around the lagoon, build up its islands and bring characters to them.",
    )


def __getattr__(name: str) -> Any:
    if name == "meta":
        return _meta()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def about(language: str = ENGLISH) -> Meta:
    """`meta` in a language."""
    return _meta().translated(translation(language).gettext)


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
    "read_board",
    "read_preferences",
    "revisable",
    "scores",
    "sentence",
    "use_boards",
    "view",
    "within_turn",
]
