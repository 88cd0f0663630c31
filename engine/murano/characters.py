"""Value of a character on an island: points, or points for gold or beads."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from engine.murano.board import Board, boards
from engine.murano.board_checks import CHARACTERS, CUSTOMERS
from engine.murano.moves import BEADS
from engine.murano.tiles import Facts


class Worth(NamedTuple):
    """Plain points; or points by the gold table; or points for each bead of a colour."""

    points: int = 0
    for_gold: bool = False
    bead: int | None = None  # number in BEADS
    per_bead: int = 0
    most_beads: int = 0


NOTHING = Worth()


class Place(NamedTuple):
    """The island and seat for which a character is valued."""

    facts: Facts
    seat: int
    gondoliers: int  # of the seat, at this island
    tables: Mapping[str, Mapping[str, int]]


def worth(board: Board, number: int, code: str, facts: Facts, seat: int, gondoliers: int) -> Worth:
    """The value of the character for the seat on this island."""
    return _worth(board.key, number, code, facts, seat, gondoliers)


@lru_cache(maxsize=50_000)
def _worth(key: str, number: int, code: str, facts: Facts, seat: int, gondoliers: int) -> Worth:
    figures = boards()[key].figures
    character: dict[str, Any] = figures["characters"][str(number)]
    if character.get("island", code) != code:
        return NOTHING
    kind = next(kind for kind in CHARACTERS if kind in character)
    place = Place(facts, seat, gondoliers, figures["tables"])
    found = _KINDS[kind](character, place)
    return found if isinstance(found, Worth) else Worth(found)


def step_value(table: Mapping[str, int], count: int) -> int:
    """The value of the highest reached step; 0 below the first."""
    reached = [value for step, value in table.items() if int(step) <= count]
    return reached[-1] if reached else 0


def _if(holds: bool, character: dict[str, Any]) -> int:
    return int(character["vp"]) if holds else 0


def _per(character: dict[str, Any], place: Place) -> int:
    return place.facts.count(character["per"]) * int(character["vp"])


def _only_owner(character: dict[str, Any], place: Place) -> int:
    facts = place.facts
    if character["only_owner_of"] == "glassworks":
        by_seat = facts.glassworks
    else:
        by_seat = tuple(map(sum, zip(*facts.shops)))
    return _if(by_seat[place.seat] > 0 and sum(by_seat) == by_seat[place.seat], character)


def _gold(character: dict[str, Any], place: Place) -> Worth:
    needs = character["needs"].items()
    return Worth(for_gold=all(place.facts.count(what) >= least for what, least in needs))


def _few_customers(character: dict[str, Any], place: Place) -> int:
    red, blue, _ = place.facts.customers
    return _if(red + blue <= character["red_and_blue_customers_at_most"], character)


def _one_of_each(character: dict[str, Any], place: Place) -> int:
    return _if(all(place.facts.count(what) for what in character["at_least_one_of"]), character)


def _customers(character: dict[str, Any], place: Place) -> int:
    colour = character["customers_table"]
    if colour == "all":
        return step_value(place.tables["all_customers"], sum(place.facts.customers))
    count = place.facts.customers[CUSTOMERS.index(colour)]
    return step_value(place.tables["coloured_customers"], count)


def _per_building(character: dict[str, Any], place: Place) -> int:
    own = place.facts.own_buildings(place.seat)
    others = place.facts.marked_buildings - own
    return int(own * character["per_own_building"] + others * character["per_other_building"])


def _equal(character: dict[str, Any], place: Place) -> int:
    counts = {place.facts.count(what) for what in character["equal"]}
    return _if(len(counts) == 1 and min(counts) >= character["minimum"], character)


def _as_many_as_others(character: dict[str, Any], place: Place) -> int:
    own = place.facts.own_buildings(place.seat)
    return _if(own == place.facts.marked_buildings - own, character)


def _crests(character: dict[str, Any], place: Place) -> int:
    return _if(place.facts.crests == character["crests_exactly"], character)


def _own_buildings(character: dict[str, Any], place: Place) -> int:
    own = place.facts.own_buildings(place.seat)
    return _if(own >= character["own_buildings_at_least"], character)


def _own_gondoliers(character: dict[str, Any], place: Place) -> int:
    return _if(place.gondoliers >= character["own_gondoliers_at_least"], character)


def _beads(character: dict[str, Any], place: Place) -> Worth:
    return Worth(
        bead=BEADS.index(character["bead"]),
        per_bead=character["vp_each"],
        most_beads=character["at_most"],
    )


_KINDS: Mapping[str, Callable[[dict[str, Any], Place], int | Worth]] = {
    "per": _per,
    "only_owner_of": _only_owner,
    "gold_table": _gold,
    "red_and_blue_customers_at_most": _few_customers,
    "at_least_one_of": _one_of_each,
    "customers_table": _customers,
    "per_own_building": _per_building,
    "equal": _equal,
    "own_buildings_equal_all_others": _as_many_as_others,
    "crests_exactly": _crests,
    "own_buildings_at_least": _own_buildings,
    "own_gondoliers_at_least": _own_gondoliers,
    "bead": _beads,
}
