"""Positions for tests: a fresh table on which things are put where a test needs them."""

from typing import Any

from engine.chance import SETUP, Chance
from engine.contract import Event
from engine.murano.board import own_boards
from engine.murano.legal import legal_moves
from engine.murano.moves import Move, format_move, parse_move
from engine.murano.setup import new_game
from engine.murano.state import State
from engine.murano.tiles import STREET_CODE, building_code
from engine.murano.turns import apply, decision

DEFAULT = own_boards()[-1]

SEED = bytes(range(32))
RING = DEFAULT.ring


def table(seats: int = 3, mover: int = 0) -> State:
    """The beginning of a game in which this seat begins."""
    state: State = new_game(seats, {"board": DEFAULT.key}, Chance(SEED, SETUP)).state
    return state._replace(mover=mover)


def having(state: State, seat: int, **changes: Any) -> State:
    """The state with other things in front of a seat; special cards that it has do work."""
    if "cards" in changes:
        changes.setdefault("active", len(changes["cards"]))
    players = list(state.players)
    players[seat] = players[seat]._replace(**changes)
    return state._replace(players=tuple(players))


def laid(state: State, **tiles: str) -> State:
    """The state with tiles on spaces: `SD_a1="shop red 0"` or `SD_a2="street red+blue"`."""
    spaces = list(state.spaces)
    names = [space.name for space in DEFAULT.spaces]
    for place, words in tiles.items():
        tile, *rest = words.split()
        if tile == "street":
            code = STREET_CODE[rest[0]]
        elif tile == "shop":
            code = building_code(tile, rest[0], int(rest[1]))
        elif tile == "palace":
            code = building_code(tile, rest[0], 0)
        else:
            code = building_code(tile, "", int(rest[0]) if rest else 0)
        spaces[names.index(place.replace("_", "-"))] = code
    return state._replace(spaces="".join(spaces))


def gondoliers(state: State, seat: int, *docks: str) -> State:
    """The state with gondoliers of a seat on docks such as `SD orange`."""
    places = list(state.docks)
    for dock in docks:
        code, colour = dock.split()
        number = next(
            n
            for n, one in enumerate(DEFAULT.docks)
            if (DEFAULT.islands[one.island].code, one.colour) == (code, colour)
        )
        places[number] = str(seat)
    player = state.players[seat]
    state = having(state, seat, hand=player.hand - len(docks))
    return state._replace(docks="".join(places))


def ships(state: State, red: str, *others: str) -> State:
    """The state with the ships on these spaces of the ring."""
    numbers = sorted(RING.index(space) for space in others)
    return state._replace(red=RING.index(red), ships=tuple(numbers))


def arrived(state: State, space: str, moved: int = 1) -> State:
    """A ship of the mover has just arrived there."""
    return state._replace(at=RING.index(space), moved=moved)


def moves(state: State) -> list[str]:
    """The legal moves of whose turn it is, in their notation."""
    return [format_move(move) for move in legal_moves(state, state.mover)]


def play(state: State, *texts: str) -> State:
    """The state after these moves, each of which must be legal."""
    return played(state, *texts)[0]


def played(state: State, *texts: str) -> tuple[State, list[Event]]:
    """The state after these moves, and what happened."""
    events: list[Event] = []
    for text in texts:
        move: Move = parse_move(text)
        seat = state.mover
        assert move in legal_moves(state, seat), f"{text} is not among {moves(state)}"
        step = apply(state, seat, move, Chance(SEED, decision(state, seat)))
        state, events = step.state, [*events, *step.events]
    return state, events


def points(events: list[Event], cause: str | None = None) -> int:
    """The sum of the points in these events."""
    return sum(
        event["points"]
        for event in events
        if event["type"] == "points" and cause in (None, event["for"])
    )
