"""The view as a picture: one SVG document that needs nothing else."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from engine.contract import Event, Json
from engine.millefiori import svg_areas, svg_cards, svg_table
from engine.millefiori.svg_scene import Scene, scene
from engine.millefiori.svg_shapes import FONT, MIST, Box, box, element, titled

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


def board_svg(view: Json, names: Sequence[str], changed: Sequence[Event]) -> str:
    """The whole table as this viewer sees it; what the events have touched is ringed."""
    what = scene(view, names, changed)
    return element(
        "svg",
        titled("Mille Fiori"),
        element("desc", escape(_described(what))),
        *_drawn(what),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        **FONT,
    )


def _drawn(what: Scene) -> Iterator[str]:
    yield box(Box(0, 0, WIDTH, HEIGHT), MIST)
    yield from svg_table.head(what, HEAD)
    yield from svg_areas.workshops(what, WORKSHOPS)
    yield from svg_table.players(what, PLAYERS)
    yield from svg_areas.residences(what, RESIDENCES)
    yield from svg_areas.pyramid(what, NOBILI, "nobili")
    yield from svg_areas.pyramid(what, POPULI, "populi")
    yield from svg_areas.trade_and_harbor(what, TRADE_AND_HARBOR)
    yield from svg_table.route(what, ROUTE)
    beside = what.view["outcome"] or what.view["you"]
    shared = CARDS._replace(width=OWN_CARDS.x - 8 - CARDS.x)
    yield from svg_cards.display(what, shared if beside else CARDS)
    if what.view["outcome"]:
        yield from svg_cards.result(what, OWN_CARDS)
    elif what.view["you"]:
        yield from svg_cards.hand(what, OWN_CARDS)


def _described(what: Scene) -> str:
    view = what.view
    scores = ", ".join(f"{what.names[row['seat']]} {row['score']}" for row in view["players"])
    return (
        f"The board in round {view['round']} of {view['rounds']}, turn {view['turn']} of "
        f"{view['turns']}. {svg_table.standing(what)}. Points: {scores}."
    )
