"""The state of a game as one immutable value, and its written form."""

import json
from typing import Any, NamedTuple

from engine.contract import Json
from engine.errors import BadState, MissingBoard
from engine.murano.board import Board, boards
from engine.murano.moves import Beads

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_COMPACT = json.JSONEncoder(separators=(",", ":"))

# What a seat is asked. `sail` is the beginning of a turn and what follows a sail: another one, or
# the action of the space that was reached.
SAIL, TAKE, RECRUIT, BUILD, LAY, CARD, SELL, RETURN, AT_ONCE = (
    "sail", "take", "recruit", "build", "lay", "card", "sell", "return", "at-once",
)  # fmt: skip
PHASES = (SAIL, TAKE, RECRUIT, BUILD, LAY, CARD, SELL, RETURN, AT_ONCE)

NOT_MOVED = -1


class Seen(NamedTuple):
    """What a seat has seen of the stacks and nobody else has."""

    shops: tuple[int, str] | None = None  # in which turn, and what was left in the stack
    palaces: tuple[int, str] | None = None
    characters: tuple[int, ...] = ()  # that were shown and went under the stack
    cards: tuple[str, ...] = ()


class Player(NamedTuple):
    """What one seat has."""

    gold: int
    vp: int
    hand: int  # gondoliers
    supply: int
    glassworks: int = 0  # bought and not yet built
    specials: int = 0
    shops: str = ""
    palaces: str = ""
    characters: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()
    active: int = 0  # so many of the cards work; one that is new does from the next turn on
    beads: Beads = (0, 0, 0)
    seen: Seen = Seen()

    def has(self, card: str) -> bool:
        """Whether the seat has this card and it works."""
        return card in self.cards[: self.active]


class State(NamedTuple):
    """A game under way (or over)."""

    board: str  # the key of its figures
    turn: int
    step: int  # within the turn
    mover: int
    phase: str
    moved: int  # ships in this turn
    at: int  # where the last one went, NOT_MOVED before the first
    ships: tuple[int, ...]  # all but the red one
    red: int
    spaces: str  # of all islands, a character each; see `tiles`
    docks: str  # a seat's number where a gondolier stands
    streets: str  # stacks from the top
    shops: str
    palaces: str
    glassworks: int
    specials: int
    characters: tuple[int, ...]
    cards: tuple[str, ...]
    bag: Beads
    players: tuple[Player, ...]
    built: int  # tiles in this build
    shown: tuple[str | int, ...]  # what the question is about, as the phase has it
    owes_bead: bool  # to the bag, at the end of the production
    trigger: int | None  # who brought about the last round
    reason: str | None  # why it is over, None while it is not


def board_of(state: State) -> Board:
    return boards()[state.board]


def island_spaces(state: State, island: int) -> str:
    """The part of the spaces that is an island's."""
    numbers = board_of(state).islands[island].spaces
    return state.spaces[numbers[0] : numbers[-1] + 1]


def dump(state: State) -> str:
    """The state as one line of JSON; equal states give equal text."""
    players = [[*player[:-1], list(player.seen)] for player in state.players]
    return _COMPACT.encode({**state._asdict(), "players": players})


def load(text: str) -> State:
    """The state that `dump` wrote; raises BadState for anything that is none."""
    try:
        state = _read(json.loads(text))
        if state.board not in boards():
            raise MissingBoard(f"The board {state.board[:40]} of this game is not here.")
        return state
    except _UNREADABLE as error:
        # The text of the error might quote the state, and with it secrets.
        kind = type(error).__name__
        raise BadState(f"This is not a stored game of Murano ({kind}).") from None


def _read(data: Json) -> State:
    lists = ("ships", "characters", "cards", "bag", "shown")
    return State(
        **{
            **data,
            **{name: tuple(data[name]) for name in lists},
            "players": tuple(_read_player(player) for player in data["players"]),
        }
    )


def _read_player(data: list[Any]) -> Player:
    *values, (shops, palaces, characters, cards) = data
    seen = Seen(
        None if shops is None else (shops[0], shops[1]),
        None if palaces is None else (palaces[0], palaces[1]),
        tuple(characters),
        tuple(cards),
    )
    plain = [tuple(one) if isinstance(one, list) else one for one in values]
    return Player._make([*plain, seen])
