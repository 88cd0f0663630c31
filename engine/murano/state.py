"""State of a game: one immutable value, and its stored form."""

import json
from typing import Any, NamedTuple

from engine.contract import Json
from engine.errors import BadState, MissingBoard
from engine.murano.board import Board, boards
from engine.murano.moves import Beads

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_COMPACT = json.JSONEncoder(separators=(",", ":"))

# Phases: the subject of a decision. `sail` is the beginning of a turn and the choice after a sail:
# another one, or the action of the reached space.
SAIL, TAKE, RECRUIT, BUILD, LAY, CARD, SELL, RETURN, AT_ONCE = (
    "sail", "take", "recruit", "build", "lay", "card", "sell", "return", "at-once",
)  # fmt: skip
PHASES = (SAIL, TAKE, RECRUIT, BUILD, LAY, CARD, SELL, RETURN, AT_ONCE)

NOT_MOVED = -1


class Seen(NamedTuple):
    """Facts about the stacks that only this seat has seen."""

    shops: tuple[int, str] | None = None  # in which turn, and what was left in the stack
    palaces: tuple[int, str] | None = None
    characters: tuple[int, ...] = ()  # that were shown and went under the stack
    cards: tuple[str, ...] = ()


class Player(NamedTuple):
    """The belongings of a seat."""

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
        """Whether the seat has this card in force."""
        return card in self.cards[: self.active]


class State(NamedTuple):
    """State of a running or finished game."""

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
    shown: tuple[str | int, ...]  # the subject of the decision, by phase
    owes_bead: bool  # to the bag, at the end of the production
    trigger: int | None  # the seat that triggered the last round
    reason: str | None  # the reason of the end, None before it


def board_of(state: State) -> Board:
    return boards()[state.board]


def island_spaces(state: State, island: int) -> str:
    """The codes of an island's spaces."""
    numbers = board_of(state).islands[island].spaces
    return state.spaces[numbers[0] : numbers[-1] + 1]


def dump(state: State) -> str:
    """The state as one line of JSON; equal states give equal text."""
    players = [[*player[:-1], list(player.seen)] for player in state.players]
    return _COMPACT.encode({**state._asdict(), "players": players})


def load(text: str) -> State:
    """The state that `dump` wrote; raises BadState for any other text."""
    try:
        state = _read(json.loads(text))
        if state.board not in boards():
            raise MissingBoard(f"The board {state.board[:40]} of this game is not here.")
        return state
    except _UNREADABLE as error:
        # The text of the error could contain secrets of the state.
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
