"""The view as a picture: one SVG document that needs nothing else.

The first group is the printed board, which is the same in every position and drawn once a
process; the position follows.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from xml.sax.saxutils import escape

from engine.contract import Event, Json
from engine.languages import ENGLISH
from engine.millefiori import svg_areas, svg_cards, svg_table
from engine.millefiori.svg_scene import Scene, scene
from engine.svg import FONT, MIST, Box, box, element, group, titled

WIDTH, HEIGHT = 1000, 760

HEAD = Box(0, 0, WIDTH, 44)
WORKSHOPS = Box(12, 52, 566, 238)
PLAYERS = Box(586, 52, 402, 238)
RESIDENCES = Box(12, 298, 976, 84)
NOBILI = Box(12, 390, 256, 172)
POPULI = Box(276, 390, 256, 172)
TRADE_AND_HARBOR = Box(540, 390, 448, 172)
ROUTE = Box(12, 570, 976, 90)
CARDS = Box(12, 668, 976, 84)
OWN_CARDS = Box(680, 668, 308, 84)


def board_svg(
    view: Json, names: Sequence[str], changed: Sequence[Event], language: str = ENGLISH
) -> str:
    """The whole board for this viewer; rings mark the changes of the events."""
    what = scene(view, names, changed, language)
    parts = [
        titled("Mille Fiori"),
        element("desc", escape(_described(what))),
        _board(view["seats"], language, _beside(what)),
        *_position(what),
    ]
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        **FONT,
    )


def _beside(what: Scene) -> str:
    """The part beside the display."""
    if what.view["outcome"]:
        return "result"
    return "hand" if what.view["you"] else ""


def _display(beside: str) -> Box:
    return CARDS._replace(width=OWN_CARDS.x - 8 - CARDS.x) if beside else CARDS


@cache
def _board(seats: int, language: str, beside: str) -> str:
    """The printed parts, which never change."""
    return group(_printed(scene({"seats": seats}, (), (), language), beside))


def _printed(what: Scene, beside: str) -> Iterator[str]:
    yield box(Box(0, 0, WIDTH, HEIGHT), MIST)
    yield from svg_table.head_board(HEAD)
    yield group(svg_areas.workshops_board(what, WORKSHOPS), data_topic="workshops")
    yield from svg_table.players_board(what, PLAYERS)
    yield group(svg_areas.residences_board(what, RESIDENCES), data_topic="residences")
    yield group(svg_areas.pyramid_board(what, NOBILI, "nobili"), data_topic="nobili")
    yield group(svg_areas.pyramid_board(what, POPULI, "populi"), data_topic="populi")
    yield group(svg_areas.trade_and_harbor_board(what, TRADE_AND_HARBOR), data_topic="trade")
    yield group(svg_table.route_board(what, ROUTE), data_spot="route", data_topic="route")
    yield group(svg_cards.display_board(what, _display(beside)), data_topic="display")
    if beside == "result":
        yield group(svg_cards.result_board(what, OWN_CARDS), data_topic="end")
    elif beside == "hand":
        yield group(svg_cards.hand_board(what, OWN_CARDS), data_topic="hand")


def _position(what: Scene) -> Iterator[str]:
    yield group(svg_table.head(what, HEAD), data_topic="order")
    yield group(svg_areas.workshops(what, WORKSHOPS), data_topic="workshops")
    yield from svg_table.players(what, PLAYERS)
    yield group(svg_areas.residences(what, RESIDENCES), data_topic="residences")
    yield group(svg_areas.pyramid(what, NOBILI, "nobili"), data_topic="nobili")
    yield group(svg_areas.pyramid(what, POPULI, "populi"), data_topic="populi")
    yield group(svg_areas.trade_and_harbor(what, TRADE_AND_HARBOR), data_topic="trade")
    yield group(svg_table.ships(what, ROUTE), data_topic="route")
    beside = _beside(what)
    yield group(svg_cards.display(what, _display(beside)), data_topic="display")
    if beside == "result":
        yield group(svg_cards.result(what, OWN_CARDS), data_topic="end")
    elif beside == "hand":
        yield group(svg_cards.hand(what, OWN_CARDS), data_topic="hand")


def _described(what: Scene) -> str:
    told = what.translation.gettext(
        "The board in round %(round)d of at most %(rounds)d, turn %(turn)d of %(turns)d. "
        "%(standing)s. Points: %(scores)s."
    )
    rows = what.view["players"]
    scores = ", ".join(f"{what.names[row['seat']]} {row['score']}" for row in rows)
    return told % (what.view | {"standing": svg_table.status_line(what), "scores": scores})
