"""The figures of Laguna's own board, read as plain JSON, and what follows from them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

BOARDS = Path(__file__).parents[4] / "engine" / "murano" / "boards"
FIGURES: dict[str, Any] = json.loads((BOARDS / "laguna-2.json").read_text(encoding="utf-8"))
FIRST: dict[str, Any] = json.loads((BOARDS / "laguna-1.json").read_text(encoding="utf-8"))

RING: list[str] = [space["id"] for space in FIGURES["ring"]]
ACTION: dict[str, str] = {space["id"]: space["action"] for space in FIGURES["ring"]}
# The two versions of the board, by the keys that records have, differ in this alone.
ANCHORS: dict[str, list[str]] = {
    key: [space["id"] for space in figures["ring"] if space.get("anchor")]
    for key, figures in (("b01539c2e0a2", FIRST), ("9518c28738d1", FIGURES))
}

COLOURS: list[str] = FIGURES["player"]["colours"]
CUSTOMERS: list[str] = ["red", "blue", "grey"]
BEADS: list[str] = list(FIGURES["beads"])
BUILDINGS: list[str] = ["glassworks", "shop", "palace", "special"]
STACKS: list[str] = ["street", *BUILDINGS]
GONDOLIERS: int = FIGURES["actions"]["gondoliers_at_most"]

CAUSES: list[str] = ["build", "production", "special", "character", "gondolier"]
VIAS: list[str] = ["player", "plan", "timeout", "bot", "auto"]


@cache
def island_codes(seats: int) -> list[str]:
    """The islands that so many players use."""
    left_out = [] if seats == 4 else FIGURES["only_with_4_players"]
    return [code for code in FIGURES["islands"] if code not in left_out]


@cache
def spaces_of(island: str, letter: str) -> list[str]:
    """The street (S) or building (B) spaces of an island, row by row from the top left."""
    return [
        f"{island}-{'abcdefgh'[column]}{row + 1}"
        for row, line in enumerate(FIGURES["islands"][island]["grid"])
        for column, found in enumerate(line)
        if found == letter
    ]


@cache
def beside(space: str) -> list[str]:
    """The names of the four places that touch a space with a side, existing or not."""
    island, place = space.split("-")
    column, row = ord(place[0]), int(place[1:])
    return [
        f"{island}-{chr(column - 1)}{row}",
        f"{island}-{chr(column + 1)}{row}",
        f"{island}-{place[0]}{row - 1}",
        f"{island}-{place[0]}{row + 1}",
    ]


def island_of(space: str) -> str:
    return space.split("-")[0]


def tiles_of_a_kind(key: str, seats: int) -> dict[str, int]:
    """How many streets, shops or palaces there are of each kind, as far as it is no chance."""
    counts: dict[str, int] = dict(FIGURES[key])
    if seats < 4:
        for kind, removed in FIGURES["removed_with_2_or_3_players"].get(key, {}).items():
            counts[kind] -= removed
    return counts


def tiles_without_kind(key: str, seats: int) -> int:
    """How many glassworks or special buildings there are."""
    removed = FIGURES["removed_with_2_or_3_players"][key] if seats < 4 else 0
    number: int = FIGURES[key] - removed
    return number


def palaces_removed_at_random(seats: int) -> int:
    number: int = FIGURES["removed_with_2_or_3_players"]["palaces_at_random"]
    return number if seats < 4 else 0


def character_numbers(seats: int) -> list[int]:
    left_out = FIGURES["removed_with_2_or_3_players"]["characters"] if seats < 4 else []
    return [int(number) for number in FIGURES["characters"] if int(number) not in left_out]
