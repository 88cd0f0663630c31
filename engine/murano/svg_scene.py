"""Input of a drawing: the view, the board, the players' names, and the changes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from gettext import NullTranslations
from typing import NamedTuple

from engine.contract import Event, Json
from engine.murano.board import Board, boards
from engine.murano.names import translation
from engine.svg import SeatStyle, short_name

NAME_ROOM = 8.4  # ems

# The shapes of markers by seat, about 12 wide.
SHAPES = (
    "M6 0A6 6 0 1 1-6 0A6 6 0 1 1 6 0Z",
    "M-5-5H5V5H-5Z",
    "M0-7L7 0L0 7L-7 0Z",
    "M0-7L7 5H-7Z",
)
# The colours of players by their names: as strong as a marker, and as pale as paper.
HUES = {
    "white": ("#ffffff", "#edf2f3"),
    "brown": ("#8f5b33", "#e2c7ae"),
    "orange": ("#f2891c", "#fbd9ae"),
    "grey": ("#7f8c94", "#cfd7da"),
    "black": ("#2b3f49", "#c3cbcf"),
    "red": ("#c23b32", "#f2c6c2"),
    "blue": ("#2f74b5", "#c0d8ee"),
    "green": ("#3f9a62", "#c3e3cf"),
    "yellow": ("#f0e442", "#faf5b4"),
    "purple": ("#8a63a8", "#dccbe8"),
}
OTHER_HUES = tuple(HUES.values())  # for a name we do not know, by seat


@cache
def seat_styles(colours: tuple[str, ...]) -> Mapping[str, SeatStyle]:
    """Styles of the seats, by colour."""
    return {
        colour: SeatStyle(*HUES.get(colour, OTHER_HUES[seat]), SHAPES[seat])
        for seat, colour in enumerate(colours)
    }


class Changes(NamedTuple):
    """Changes by events. Sums of points and gold are never 0."""

    spaces: frozenset[str]
    docks: frozenset[tuple[str, str]]
    ships: frozenset[tuple[str, bool]]  # where they are now, and whether it is the red one
    points: Mapping[int, int]
    gold: Mapping[int, int]
    of_seats: frozenset[tuple[str, int]]  # beads, gondoliers, characters, and kinds of tiles
    cards: frozenset[str]
    stacks: frozenset[str]
    chosen: frozenset[int]  # characters, as far as the viewer may know

    @property
    def anything(self) -> bool:
        return any(self)


# What of a player an event changes, besides points and gold.
_OF_SEATS = {
    "hire": "gondoliers",
    "dismiss": "gondoliers",
    "beads": "beads",
    "sell": "beads",
    "return": "beads",
    "recruited": "characters",
}


def changes(events: Sequence[Event]) -> Changes:
    points: Counter[int] = Counter()
    gold: Counter[int] = Counter()
    ships: set[tuple[str, bool]] = set()
    of_seats: set[tuple[str, int]] = set()
    for event in events:
        kind = event["type"]
        if kind == "points":
            points[event["seat"]] += event["points"]
        elif kind == "character":
            gold[event["seat"]] -= event.get("gold", 0)
        elif "seat" in event:
            gold[event["seat"]] += event.get("gold", 0) - event.get("paid", 0)
        if kind in ("sail", "pass"):
            ships.discard((event["from"], event["red"]))
            ships.add((event["to"], event["red"]))
        elif kind in ("buy", "taken"):
            of_seats.add((event["tile"], event["seat"]))
        elif kind in _OF_SEATS:
            of_seats.add((_OF_SEATS[kind], event["seat"]))
    by_type: dict[str, list[Event]] = {}
    for event in events:
        by_type.setdefault(event["type"], []).append(event)

    def facts(fact: str, *kinds: str) -> frozenset[str]:
        return frozenset(event[fact] for kind in kinds for event in by_type.get(kind, ()))

    streets = {"street"} if "street" in by_type else set()
    return Changes(
        spaces=facts("at", "lay", "build"),
        docks=frozenset((one["island"], one["dock"]) for one in by_type.get("gondolier", ())),
        ships=frozenset(ships),
        points={seat: sum_ for seat, sum_ in points.items() if sum_},
        gold={seat: sum_ for seat, sum_ in gold.items() if sum_},
        of_seats=frozenset(of_seats),
        cards=facts("card", "card"),
        stacks=facts("tile", "buy", "taken") | streets,
        chosen=frozenset(one["character"] for one in by_type.get("chosen", ())),
    )


class Scene(NamedTuple):
    """The view to be drawn, with names that fit."""

    view: Json
    board: Board
    names: tuple[str, ...]
    changed: Changes
    language: str

    @property
    def you(self) -> int | None:
        seat: int | None = self.view["you"] and self.view["you"]["seat"]
        return seat

    @property
    def translation(self) -> NullTranslations:
        return translation(self.language)

    def colour(self, colour: str) -> SeatStyle:
        return seat_styles(self.board.colours)[colour]

    def style(self, seat: int) -> SeatStyle:
        return self.colour(self.board.colours[seat])


def scene(view: Json, names: Sequence[str], events: Sequence[Event], language: str) -> Scene:
    shown = tuple(short_name(name, NAME_ROOM) for name in names)
    return Scene(view, boards()[view["board"]], shown, changes(events), language)


def in_lines(
    widths: Sequence[float], gap: float, room: float
) -> tuple[list[tuple[float, int]], int]:
    """Where things of these widths begin if lines have this room: how far along which line; and
    how many lines there are."""
    places: list[tuple[float, int]] = []
    x, line = 0.0, 0
    for width in widths:
        if x and x + width > room:
            x, line = 0.0, line + 1
        places.append((x, line))
        x += width + gap
    return places, line + 1
