"""Preferences lists of actions. There are no premoves."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from engine.errors import Unreadable
from engine.languages import ENGLISH
from engine.murano.board_checks import ACTIONS
from engine.murano.legal import action_needs, legal_moves
from engine.murano.moves import (
    BOUGHT,
    Build,
    Buy,
    Dismiss,
    Gold,
    Gondolier,
    Hire,
    Income,
    Move,
    Pass,
    Produce,
    Recruit,
    Sail,
    Search,
    Street,
)
from engine.murano.names import action_names, translation
from engine.murano.state import SAIL, State, board_of
from engine.murano.vocabulary import in_order, understood
from engine.toolkit.preferences import read_list

PASS = "pass"  # noqa: S105
WISH_WORDS = (*ACTIONS, PASS)
# The action of a move; buying and searching name theirs.
_ACTION: dict[type[Move], str] = {
    Gold: "gold",
    Recruit: "recruit",
    Gondolier: "gondolier",
    Street: "build",
    Build: "build",
    Income: "income",
    Produce: "production",
    Hire: "crew",
    Dismiss: "crew",
    Pass: PASS,
}


def premove(state: State, seat: int) -> Move | None:
    """None: all decisions of a turn are made in it."""
    return None


def read_preferences(wishes: object) -> tuple[str, ...]:
    """A preferences list such as "income, else gold, else pass" in its normal form."""
    return read_list(wishes, _alternatives, understood, _wish)


def _alternatives(text: str) -> list[list[str]]:
    """The words between commas and words for "else"."""
    return [
        list(words)
        for part in re.split(r"[,;\n]", text)
        for is_else, words in groupby(understood(part), lambda word: word == "else")
        if not is_else
    ]


def _wish(words: list[str]) -> str:
    """An action by its name or by its effect, as in `buy shop` and `hire`."""
    match in_order(words):
        case [word] if word in WISH_WORDS:
            return word
        case ["buy" | "search", tile] if tile in BOUGHT:
            return tile
        case ["produce"]:
            return "production"
        case ["hire" | "dismiss"] | ["hire", "dismiss"] | ["hire", "or" | "oder" | "o", "dismiss"]:
            return "crew"
        case ["street" | "lay"]:
            return "build"
    raise Unreadable(f"'{' '.join(words)[:40]}' is no wish. Use one of: {', '.join(WISH_WORDS)}.")


def all_preferences() -> tuple[str, ...]:
    return WISH_WORDS


def preference_labels(wishes: Sequence[str], language: str = ENGLISH) -> list[str]:
    """Each preference for a person, as `take gold` and `pass`."""
    names = {**action_names(language), PASS: translation(language).gettext("pass")}
    return [names[wish] for wish in wishes]


def preferred_moves(state: State, seat: int, wishes: Sequence[str]) -> list[Move]:
    """The legal moves that match the first possible preference: the action itself at a ship's
    destination, or a sail to it. A ship that has arrived at a preferred action takes it and does
    not sail on for gold."""
    if state.phase != SAIL:
        return []
    moves = legal_moves(state, seat)
    if acting := [move for move in moves if _action_of(move) in wishes and state.moved]:
        return acting
    for wish in wishes:
        if fulfilling := list(_fulfilling(state, seat, moves, wish)):
            return fulfilling
    return []


def _fulfilling(state: State, seat: int, moves: Sequence[Move], wish: str) -> Iterator[Move]:
    acting = [move for move in moves if _action_of(move) == wish]
    if acting:
        yield from acting
        return
    board, need = board_of(state), action_needs(state).get(wish)
    left = state.players[seat].gold - state.moved
    if need is not None and need <= left:
        for move in moves:
            if isinstance(move, Sail) and board.actions[board.ring.index(move.to)] == wish:
                yield move


def _action_of(move: Move) -> str | None:
    if isinstance(move, (Buy, Search)):
        return move.tile
    return _ACTION.get(type(move))
