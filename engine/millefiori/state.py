"""State of a game: one immutable value, and its stored form."""

import json
from typing import NamedTuple

from engine.contract import Json
from engine.errors import BadState, Unreadable
from engine.millefiori.board import BONUS_AREAS, DIAMONDS, RESERVE
from engine.millefiori.cards import CARD, NAME
from engine.millefiori.moves import Keep, format_move, parse_keep

Cards = tuple[int, ...]

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_COMPACT = json.JSONEncoder(separators=(",", ":"))


class Board(NamedTuple):
    """The open part of the state; one entry a seat, except `bonuses`."""

    diamonds: tuple[int, ...]  # each seat's diamonds on spaces, as a set
    filled: int  # the union of these sets, stored because every move needs it
    left: tuple[int, ...]  # diamonds not yet on the board: the supply and, last, the reserve
    ships: tuple[int, ...]
    scores: tuple[int, ...]
    bonuses: tuple[tuple[int, ...], ...]  # by bonus area: the seats that took one, first to last


class State(NamedTuple):
    """State of a running or finished game.

    `mover` is the seat that plays, or None while everybody chooses a card to keep. The kept cards
    leave the hands with the last choice. The hands stay with the seat that passes them until all
    have played, because the next seat sees them only then.
    """

    tactical: bool
    round: int
    turn: int
    start: int
    mover: int | None
    extras: int  # extra cards offered so far in this seat's turn; above 0 one is on offer
    deck: Cards
    hands: tuple[Cards, ...]
    kept: tuple[Keep | None, ...]
    passed: tuple[tuple[Cards, ...], ...]  # this round, turn by turn: the hand each seat passed on
    display: Cards
    discard: Cards
    board: Board
    reason: str | None  # the reason of the end, None before it


def supply(left: int) -> int:
    """The supply: all diamonds left without the reserve."""
    return max(left - RESERVE, 0)


def being_chosen(state: State) -> bool:
    """Whether seats choose: kept cards are still in the hands."""
    return state.mover is None and state.reason is None


def held_cards(state: State, seat: int) -> Cards:
    """The hand of a seat and the kept card that it has not played."""
    keep = state.kept[seat]
    if keep is None or being_chosen(state):
        return state.hands[seat]
    return (*state.hands[seat], keep.card)


def new_board(seats: int) -> Board:
    nothing = (0,) * seats
    return Board(nothing, 0, (DIAMONDS,) * seats, nothing, nothing, ((),) * len(BONUS_AREAS))


# Stored form: piles of cards as words, sets of spaces as hexadecimal numbers.


def _words(cards: Cards) -> str:
    return " ".join([NAME[card] for card in cards])


def _cards(words: str) -> Cards:
    return tuple([CARD[word] for word in words.split()])


def dump(state: State) -> str:
    """The state as one line of JSON; equal states give equal text."""
    board = state.board
    data = {
        **state._asdict(),
        "deck": _words(state.deck),
        "hands": [_words(hand) for hand in state.hands],
        "kept": [keep and format_move(keep) for keep in state.kept],
        "passed": [[_words(hand) for hand in hands] for hands in state.passed],
        "display": _words(state.display),
        "discard": _words(state.discard),
        "board": {
            "diamonds": [f"{own:x}" for own in board.diamonds],
            "left": board.left,
            "ships": board.ships,
            "scores": board.scores,
            "bonuses": board.bonuses,
        },
    }
    return _COMPACT.encode(data)


def load(text: str) -> State:
    """The state that `dump` wrote; raises BadState for any other text."""
    try:
        return _read(json.loads(text))
    except (*_UNREADABLE, Unreadable) as error:
        # The text of the error could contain secrets of the state.
        kind = type(error).__name__
        raise BadState(f"This is not a stored game of Mille Fiori ({kind}).") from None


def _read(data: Json) -> State:
    board = data["board"]
    diamonds = tuple([int(own, 16) for own in board["diamonds"]])
    return State(
        **{
            **data,
            "deck": _cards(data["deck"]),
            "hands": tuple([_cards(hand) for hand in data["hands"]]),
            "kept": tuple([words and parse_keep(words) for words in data["kept"]]),
            "passed": tuple([tuple([_cards(hand) for hand in hands]) for hands in data["passed"]]),
            "display": _cards(data["display"]),
            "discard": _cards(data["discard"]),
            "board": Board(
                diamonds=diamonds,
                filled=sum(diamonds),
                left=tuple(board["left"]),
                ships=tuple(board["ships"]),
                scores=tuple(board["scores"]),
                bonuses=tuple([tuple(seats) for seats in board["bonuses"]]),
            ),
        }
    )
