"""The board: its figures, read from JSON, checked, and in the form that the rules need.

`boards/` has Laguna's own board in all its versions: new games use the newest, running games and
old records keep theirs. `use_boards` adds boards that the caller has read from files. The key of
a board is a digest of its figures. It is an option of each game, so that a record names its board.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

from engine.contract import Json
from engine.murano.board_checks import BadBoard, check

OWN_BOARDS = ("laguna-1", "laguna-2")  # the newest last
KEY_LENGTH = 12
STREET, BUILDING, WATER = "S", "B", "."
RED, BLUE, GREY = range(3)  # colours of customers and shops

Customers = tuple[int, int, int]
P = ParamSpec("P")
R = TypeVar("R")


class Space(NamedTuple):
    """A space of an island; for a building also the street spaces it touches."""

    name: str
    island: int
    street: bool
    beside: tuple[int, ...]


class Island(NamedTuple):
    code: str
    name: str
    docks: tuple[str, ...]
    first_dock: int
    spaces: tuple[int, ...]
    grid: tuple[str, ...]


class Dock(NamedTuple):
    island: int
    colour: str


@dataclass(frozen=True)
class Board:
    """A board in the form of the rules. Spaces, docks and islands are numbered in the order of the
    file."""

    key: str
    title: str
    figures: Json
    ring: tuple[str, ...]  # names of its spaces
    actions: tuple[str, ...]  # the action of each of them
    anchors: tuple[int, ...]
    islands: tuple[Island, ...]
    spaces: tuple[Space, ...]
    docks: tuple[Dock, ...]
    colours: tuple[str, ...]  # of the seats

    def islands_for(self, seats: int) -> tuple[int, ...]:
        """The islands in play."""
        left_out = self.figures["only_with_4_players"] if seats < 4 else ()
        return tuple(n for n, island in enumerate(self.islands) if island.code not in left_out)


def read_board(text: str) -> Board:
    """The board of a file's text; raises BadBoard with the path of the wrong entry."""
    try:
        figures = json.loads(text, object_pairs_hook=_each_once)
    except BadBoard:
        raise
    except ValueError as error:
        raise BadBoard("", f"this is not JSON ({error})") from None
    check(figures)
    return _built(figures)


def _each_once(pairs: list[tuple[str, Any]]) -> Json:
    """An object of the file; raises BadBoard for a repeated name, of which JSON keeps the last."""
    found: Json = {}
    for name, value in pairs:
        if name in found:
            raise BadBoard(name, "stands there twice")
        found[name] = value
    return found


def _built(figures: Json) -> Board:
    spaces: list[Space] = []
    islands: list[Island] = []
    docks: list[Dock] = []
    for number, (code, island) in enumerate(figures["islands"].items()):
        first = len(spaces)
        spaces += _spaces(number, code, island["grid"], first)
        islands.append(
            Island(
                code,
                island["name"],
                tuple(island["docks"]),
                len(docks),
                tuple(range(first, len(spaces))),
                tuple(island["grid"]),
            )
        )
        docks += [Dock(number, colour) for colour in island["docks"]]
    counted = {
        name: value for name, value in figures.items() if name not in ("title", "provenance")
    }
    digest = sha256(json.dumps(counted, sort_keys=True, separators=(",", ":")).encode())
    return Board(
        key=digest.hexdigest()[:KEY_LENGTH],
        title=figures["title"],
        figures=figures,
        ring=tuple(space["id"] for space in figures["ring"]),
        actions=tuple(space["action"] for space in figures["ring"]),
        anchors=tuple(n for n, space in enumerate(figures["ring"]) if space.get("anchor")),
        islands=tuple(islands),
        spaces=tuple(spaces),
        docks=tuple(docks),
        colours=tuple(figures["player"]["colours"]),
    )


def _spaces(island: int, code: str, grid: list[str], first: int) -> list[Space]:
    places = [
        (row, column)
        for row, line in enumerate(grid)
        for column, cell in enumerate(line)
        if cell != WATER
    ]
    number = {place: first + n for n, place in enumerate(places)}
    found = []
    for row, column in places:
        street = grid[row][column] == STREET
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        beside = (
            ()
            if street
            else tuple(
                number[place]
                for place in around
                if place in number and grid[place[0]][place[1]] == STREET
            )
        )
        name = f"{code}-{chr(ord('a') + column)}{row + 1}"
        found.append(Space(name, island, street, beside))
    return found


@cache
def own_boards() -> tuple[Board, ...]:
    """The versions of Laguna's own board, the newest last."""
    folder = files("engine.murano").joinpath("boards")
    return tuple(
        read_board(folder.joinpath(f"{name}.json").read_text("utf-8")) for name in OWN_BOARDS
    )


_other_boards: list[Board] = []
_board_caches: list[Callable[[], None]] = []


def board_cache(function: Callable[P, R]) -> Callable[P, R]:
    """`functools.cache` for what depends on the boards in use: `use_boards` empties it."""
    cached = cache(function)
    _board_caches.append(cached.cache_clear)
    return cast("Callable[P, R]", cached)


def use_boards(others: Sequence[Board]) -> None:
    """Add these boards to Laguna's own; the first of them, if any, is for new games."""
    _other_boards[:] = others
    for clear in _board_caches:
        clear()


@board_cache
def boards() -> dict[str, Board]:
    """All boards by key; the last one is for new games."""
    found: dict[str, Board] = {}
    for board in (*own_boards(), *reversed(_other_boards)):
        found.pop(board.key, None)
        found[board.key] = board
    return found


def default_board() -> Board:
    """The board of new games."""
    return next(reversed(boards().values()))


def offered_boards() -> dict[str, Board]:
    """The boards of new games: all but older versions of Laguna's own."""
    older = {board.key for board in own_boards()[:-1]} - {default_board().key}
    return {key: board for key, board in boards().items() if key not in older}


def uses_own_board() -> bool:
    """Whether new games are played on Laguna's own board."""
    return default_board().key == own_boards()[-1].key
