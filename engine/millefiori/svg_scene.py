"""Input of a drawing: the view, the players' names, and the changes."""

from collections import Counter
from collections.abc import Sequence
from gettext import NullTranslations
from typing import NamedTuple

from engine.contract import Event, Json
from engine.millefiori.names import area_names, card_name, translation
from engine.svg import short_name

NAME_ROOM = 8.4  # ems


class Changes(NamedTuple):
    """Changes by events."""

    places: Counter[str]
    ships: frozenset[int]
    points: Counter[int]
    bonuses: frozenset[tuple[str, int]]
    cards: Counter[str]  # laid on display

    @property
    def anything(self) -> bool:
        return any(self)


def changes(events: Sequence[Event]) -> Changes:
    points: Counter[int] = Counter()
    for event in events:
        if event["type"] == "points":
            points[event["seat"]] += event["points"]
    return Changes(
        places=Counter(event["to"] for event in events if event["type"] == "place"),
        ships=frozenset(event["seat"] for event in events if event["type"] == "sail"),
        points=points,
        bonuses=frozenset(
            (event["area"], event["seat"])
            for event in events
            if event["type"] == "points" and event["for"] == "bonus"
        ),
        cards=Counter(
            card for event in events if event["type"] == "left-over" for card in event["cards"]
        ),
    )


class Scene(NamedTuple):
    """The view to be drawn, with names that fit."""

    view: Json
    names: tuple[str, ...]
    changed: Changes
    language: str

    def owner(self, space: str) -> int | None:
        seat: int | None = self.view["spaces"].get(space)
        return seat

    @property
    def you(self) -> int | None:
        seat: int | None = self.view["you"] and self.view["you"]["seat"]
        return seat

    @property
    def translation(self) -> NullTranslations:
        return translation(self.language)

    def area(self, area: str) -> str:
        """An area's name as a title."""
        name = area_names(self.language)[area]
        return name[:1].upper() + name[1:]

    def card(self, card: str) -> str:
        return card_name(card, self.language)


def scene(view: Json, names: Sequence[str], events: Sequence[Event], language: str) -> Scene:
    shown = tuple(short_name(name, NAME_ROOM) for name in names)
    return Scene(view, shown, changes(events), language)
