"""The one door: every move of every origin is read, checked and applied here.

A reply to a mail, a click, a program, a time-out, a bot and a replay differ only in `via`. The
door also plays what needs no asking: moves that can only be one thing, and choices that were
left in advance. Each of them is a line of its own.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from engine.chance import SETUP, Chance, Draw
from engine.contract import AnyGame, Event, Json
from engine.errors import (
    Ambiguous,
    BadSetup,
    DecisionClosed,
    GameOver,
    Illegal,
    NotPending,
    Unreadable,
)

Via = Literal["player", "plan", "timeout", "bot", "auto"]


class Line(NamedTuple):
    """One move of the log with all it caused."""

    seat: int
    decision: str
    move: Any
    via: Via
    chance: tuple[Draw, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    state: Any  # after the move


class Opening(NamedTuple):
    """A game just begun: what chance decided, what happened, and moves that needed no asking.

    `start` is the state before these moves, `state` the one after them.
    """

    start: Any
    state: Any
    chance: tuple[Draw, ...]
    events: tuple[Event, ...]
    lines: tuple[Line, ...]


class Played(NamedTuple):
    """The state after a move and all that followed from it without asking."""

    state: Any
    lines: tuple[Line, ...]


def begin(game: AnyGame, seats: int, options: Mapping[str, str], seed: bytes) -> Opening:
    """Set up a new game; raises BadSetup."""
    chance = Chance(seed, SETUP)
    start, events = game.new_game(_seats(game, seats), complete_options(game, options), chance)
    lines = _without_asking(game, start, seed)
    state = lines[-1].state if lines else start
    return Opening(start, state, tuple(chance.drawn), tuple(events), tuple(lines))


def play(
    game: AnyGame,
    state: Any,
    seed: bytes,
    seat: int,
    decision: str | None,
    answer: Any,
    via: Via = "player",
) -> Played:
    """Answer a decision with a move, its JSON or its text.

    `decision` is the id that is answered; None means whatever the seat is asked now. Raises a
    MoveError that says what would be right; the state is never touched.
    """
    check_open(game, state, seat, decision)
    move = read_move(game, state, seat, answer)
    if not game.accepts(state, seat, move):
        raise _illegal(game, state, seat, game.format(move))
    line = _apply(game, state, seed, seat, move, via)
    lines = (line, *_without_asking(game, line.state, seed))
    return Played(lines[-1].state, lines)


def check_open(game: AnyGame, state: Any, seat: int, decision: str | None) -> None:
    """Whether this seat may answer this decision now; raises GameOver or NotPending."""
    pending = game.pending(state)
    if not pending:
        raise GameOver("The game is over; nothing more can be played.")
    if decision is not None and not decision.endswith(f".s{seat}"):
        raise NotPending(f"Decision {decision[:40]} is not one of seat {seat}.")
    if seat not in pending and seat not in game.revisable(state):
        others = ", ".join(str(other) for other in pending)
        asked = f"Seat {seat} has nothing to choose now; the game waits for seat {others}."
        raise NotPending(asked) if decision is None else DecisionClosed(asked)
    current = game.decision(state, seat)
    if decision is not None and decision != current:
        raise DecisionClosed(f"Decision {decision[:40]} is not open; seat {seat} has {current}.")


def read_move(game: AnyGame, state: Any, seat: int, answer: Any) -> Any:
    """The move meant by an answer: a move, its JSON, its text, or an unmistakable part of it."""
    if isinstance(answer, Mapping):
        return game.move_from_json(answer)
    if not isinstance(answer, str):
        return answer
    try:
        return game.parse(answer)
    except Unreadable as unreadable:
        fitting = _fitting(game, state, seat, answer)
        if len(fitting) == 1:
            return fitting[0]
        texts = [game.format(move) for move in fitting]
        if texts:
            raise Ambiguous(
                f"'{answer.strip()[:60]}' could mean several moves.", texts[:8]
            ) from None
        unreadable_text = unreadable.sentence
        raise Unreadable(unreadable_text, _nearest(game, state, seat, answer)) from None


def complete_options(game: AnyGame, options: Mapping[str, str]) -> dict[str, str]:
    """The options with defaults filled in, in the game's order; raises BadSetup."""
    known = {option.key: option for option in game.meta.options}
    for key, value in options.items():
        if key not in known:
            raise BadSetup(f"{game.meta.title} has no option '{key}'; it has: {', '.join(known)}.")
        if value not in known[key].choices:
            choices = ", ".join(known[key].choices)
            raise BadSetup(f"Option '{key}' cannot be '{value}'; choose one of: {choices}.")
    return {key: options.get(key, option.default) for key, option in known.items()}


def _seats(game: AnyGame, seats: int) -> int:
    if seats not in game.meta.seats:
        allowed = ", ".join(str(number) for number in game.meta.seats)
        raise BadSetup(f"{game.meta.title} is played with {allowed} seats, not {seats}.")
    return seats


def _apply(game: AnyGame, state: Any, seed: bytes, seat: int, move: Any, via: Via) -> Line:
    decision = game.decision(state, seat)
    chance = Chance(seed, decision)
    after, events = game.apply(state, seat, move, chance)
    return Line(
        seat, decision, move, via, tuple(chance.drawn), tuple(events), game.scores(after), after
    )


def _without_asking(game: AnyGame, state: Any, seed: bytes) -> list[Line]:
    """Play what can only be one thing, and what a seat has planned, until somebody must choose."""
    lines: list[Line] = []
    while found := _settled(game, state):
        seat, move, via = found
        lines.append(_apply(game, state, seed, seat, move, via))
        state = lines[-1].state
    return lines


def _settled(game: AnyGame, state: Any) -> tuple[int, Any, Via] | None:
    for seat in game.pending(state):
        moves = game.legal_moves(state, seat)
        if len(moves) == 1:
            return seat, moves[0], "auto"
        planned = game.planned_move(state, seat)
        if planned is not None:
            return seat, planned, "plan"
    return None


def _fitting(game: AnyGame, state: Any, seat: int, text: str) -> list[Any]:
    """Legal moves whose notation contains all words of the text, in its order."""
    words = text.lower().split()
    if not words or len(text) > 100:
        return []
    moves = game.legal_moves(state, seat)
    return [move for move in moves if _contains(game.format(move).lower().split(), words)]


def _contains(words: list[str], part: list[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in part)


def _illegal(game: AnyGame, state: Any, seat: int, text: str) -> Illegal:
    return Illegal(f"'{text}' is not possible now.", _nearest(game, state, seat, text))


def _nearest(game: AnyGame, state: Any, seat: int, text: str) -> list[str]:
    """Some legal moves, those most like the text first."""
    legal = [game.format(move) for move in game.legal_moves(state, seat)]
    near = get_close_matches(text.strip()[:100], legal, n=5, cutoff=0.3)
    return near or legal[:5]


def moves_json(game: AnyGame, state: Any, seat: int) -> list[Json]:
    """The seat's legal moves as JSON, in the engine's order."""
    return [game.move_to_json(move) for move in game.legal_moves(state, seat)]
