"""The view as a picture: one SVG document that needs nothing else.

The first group is the printed board, which is the same in every position and drawn once a
process; the position follows.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from xml.sax.saxutils import escape

from engine.contract import Event, Json
from engine.languages import ENGLISH
from engine.murano import svg_islands, svg_own, svg_ring, svg_table
from engine.murano.svg_scene import Scene, scene
from engine.svg import FONT, MIST, ROUNDED, Box, box, element, group, titled

WIDTH = 1000
HEAD = Box(0, 0, WIDTH, 44)
LAGOON = Box(12, 52, 976, 676)
TABLE = 736  # where the table of the players begins
GAP = 8


class Layout(NamedTuple):
    """Areas of the parts below the lagoon. The last one has the result, the secrets of a seat
    (with the items to choose from), or nothing."""

    table: Box
    last: Box
    below: str
    height: int


def _layout(seats: int, below: str) -> Layout:
    table = Box(12, TABLE, 976, svg_table.height(seats))
    tall = {"": -GAP, "result": 64}.get(below, 96)
    last = Box(12, table.bottom + GAP, 976, tall)
    return Layout(table, last, below, int(last.bottom) + GAP)


def _below(view: Json) -> str:
    if view["outcome"]:
        return "result"
    if not view["you"]:
        return ""
    return "choice" if svg_own.choice(view) else "own"


def board_svg(
    view: Json, names: Sequence[str], changed: Sequence[Event], language: str = ENGLISH
) -> str:
    """The whole board for this viewer; rings mark the changes of the events."""
    what = scene(view, names, changed, language)
    layout = _layout(view["seats"], _below(view))
    parts = [
        titled("Murano"),
        element("desc", escape(_described(what))),
        _board(view["board"], view["seats"], language, layout.below),
        *_position(what, layout),
    ]
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {layout.height}",
        role="img",
        **FONT,
        **ROUNDED,
    )


@lru_cache(maxsize=100)
def _board(board: str, seats: int, language: str, below: str) -> str:
    """The printed parts, which never change."""
    what = scene({"board": board, "seats": seats}, (), (), language)
    return group(_printed(what, _layout(seats, below)))


def _printed(what: Scene, layout: Layout) -> Iterator[str]:
    yield box(Box(0, 0, WIDTH, layout.height), MIST)
    yield from svg_table.head_board(HEAD)
    yield group(svg_ring.ring_board(what, LAGOON), data_topic="ring")
    yield from svg_islands.islands_board(what, svg_ring.inside(LAGOON))
    yield from svg_table.players_board(what, layout.table)
    yield from svg_table.stacks_board(what, layout.table)
    if layout.below == "result":
        yield group(svg_own.result_board(what, layout.last), data_topic="end")
    elif layout.below == "choice":
        yield from svg_own.choice_board(what, layout.last)
    elif layout.below == "own":
        yield from svg_own.own_board(what, layout.last)


def _position(what: Scene, layout: Layout) -> Iterator[str]:
    yield group(svg_table.head(what, HEAD), data_topic="turn")
    yield group(svg_ring.ring_position(what, LAGOON), data_topic="ring")
    yield from svg_islands.islands(what, svg_ring.inside(LAGOON))
    yield from svg_table.players(what, layout.table)
    yield from svg_table.stacks(what, layout.table)
    if layout.below == "result":
        yield group(svg_own.result(what, layout.last), data_topic="end")
    elif layout.below == "choice":
        yield from svg_own.own_and_choice(what, layout.last)
    elif layout.below == "own":
        yield from svg_own.own(what, layout.last)


def _described(what: Scene) -> str:
    told = what.translation.gettext("The board in turn %(turn)d. %(standing)s. Points: %(scores)s.")
    rows = what.view["players"]
    scores = ", ".join(f"{what.names[row['seat']]} {row['score']}" for row in rows)
    return told % {
        "turn": what.view["turn"],
        "standing": svg_table.status_line(what),
        "scores": scores,
    }
