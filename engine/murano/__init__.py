"""Murano by Inka and Markus Brand. Its public names are the contract of `engine.contract.Game`."""

from collections.abc import Sequence

from engine.contract import Ink, Meta, Option
from engine.languages import ENGLISH
from engine.murano import data, vocabulary
from engine.murano import tongue as tongue_module
from engine.murano.advance import every_wish, planned_move, read_wishes, wished_moves, wishes_words
from engine.murano.bot import bot_move, ranked
from engine.murano.checks import faults
from engine.murano.data import Board, default_board, offered_boards, read_board
from engine.murano.final import outcome, ranking
from engine.murano.forced import forced
from engine.murano.guide import guide
from engine.murano.imagining import imagine
from engine.murano.labels import label
from engine.murano.legal import accepts, asks, legal_moves, plans
from engine.murano.moves import format_move as format
from engine.murano.moves import move_from_json, move_seen_by, move_to_json
from engine.murano.moves import parse_move as parse
from engine.murano.paths import BUTTONS, path
from engine.murano.previews import preview
from engine.murano.setup import new_game
from engine.murano.state import dump, load
from engine.murano.svg_board import board_svg
from engine.murano.text_board import board_text
from engine.murano.tongue import cause, tongue
from engine.murano.turns import apply, decision, pending, revisable, scores, within_turn
from engine.murano.views import view
from engine.murano.word_board import board_words
from engine.murano.words import question, sentence

OWN_BOARD = (
    "Rules and prices are those of the printed game. The order of the ring, the islands with their "
    "docks, customers, crests and parts of the tables are Laguna's own."
)


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
                retired={
                    key: board.title for key, board in data.BOARDS.items() if key not in offered
                },
                note=OWN_BOARD if default_board().key == data.DEFAULT.key else "",
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


meta = _meta()


def use_boards(others: Sequence[Board] = ()) -> None:
    """Play on these boards too, new games on the first of them; without any, on Laguna's own."""
    global meta
    data.use_boards(others)
    tongue_module.forget_boards()
    vocabulary.forget_boards()
    guide.cache_clear()
    meta = _meta()


def about(language: str = ENGLISH) -> Meta:
    """What `meta` says, in a language."""
    return meta.said(tongue(language).gettext)


__all__ = [
    "about",
    "accepts",
    "apply",
    "asks",
    "board_svg",
    "board_text",
    "board_words",
    "bot_move",
    "cause",
    "decision",
    "dump",
    "every_wish",
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
    "planned_move",
    "plans",
    "preview",
    "question",
    "ranked",
    "ranking",
    "read_board",
    "read_wishes",
    "revisable",
    "scores",
    "sentence",
    "use_boards",
    "view",
    "wished_moves",
    "wishes_words",
    "within_turn",
]
