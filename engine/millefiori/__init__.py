"""Mille Fiori by Reiner Knizia: the functions of `engine.contract.GameContract`."""

from engine.contract import Ink, Meta, Option
from engine.languages import ENGLISH
from engine.millefiori.board_summary import board_summary
from engine.millefiori.bot import bot_move, ranked
from engine.millefiori.checks import faults
from engine.millefiori.final_scoring import ranking
from engine.millefiori.forced import forced
from engine.millefiori.guide import guide
from engine.millefiori.imagine import imagine
from engine.millefiori.labels import label
from engine.millefiori.legal import accepts, asks, legal_moves, premoves
from engine.millefiori.moves import format_move as format
from engine.millefiori.moves import move_from_json, move_seen_by, move_to_json
from engine.millefiori.moves import parse_move as parse
from engine.millefiori.names import cause, translation
from engine.millefiori.paths import BUTTONS, path
from engine.millefiori.preferences import (
    all_preferences,
    preference_labels,
    preferred_moves,
    premove,
    read_preferences,
)
from engine.millefiori.previews import preview
from engine.millefiori.rounds import new_game, outcome
from engine.millefiori.sentences import question, sentence
from engine.millefiori.state import dump, load
from engine.millefiori.svg_board import board_svg
from engine.millefiori.text_board import board_text
from engine.millefiori.turns import apply, decision, pending, revisable, scores, within_turn
from engine.millefiori.views import view

meta = Meta(
    key="millefiori",
    title="Mille Fiori",
    rules=1,
    seats=(2, 3, 4),
    options=(
        Option(
            key="variant",
            title="When cards are chosen",
            choices={
                "standard": "everybody chooses a card at the same time, then all play",
                "tactical": "each player chooses a card when the turn comes",
            },
            default="standard",
        ),
    ),
    uncovering={
        "pass": frozenset(),
        "round": frozenset(),
        "left-over": frozenset({"cards"}),
    },
    revealing=frozenset(),
    buttons=BUTTONS,
    inks=(
        Ink("#0072b2", "#56b4e9"),
        Ink("#c65200", "#f08a3c"),
        Ink("#7d6a00", "#f0e442"),
        Ink("#b0467d", "#e79ac6"),
    ),
    summary="Draft cards and place diamonds on the Venetian lagoon; five areas score in five ways.",
)


def about(language: str = ENGLISH) -> Meta:
    """`meta` in a language."""
    return meta.translated(translation(language).gettext)


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
