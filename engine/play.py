"""Play: every move of every origin is parsed, checked and applied here.

A reply to a mail, a click, a program, a time-out, a bot and a replay differ only in `via`. Moves
that need no question follow automatically: single legal moves, and premoves. Each is a line of its
own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from engine.chance import SETUP, Chance, Draw
from engine.contract import Event, GameType, Json
from engine.errors import DecisionClosed, GameOver, NotPending
from engine.options import check_seats, complete_options
from engine.parsing import illegal, read_move

Via = Literal["player", "plan", "timeout", "bot", "auto"]
ANSWERS = tuple(via for via in get_args(Via) if via != "auto")  # how an answer may come about


class Line(NamedTuple):
    """One move of the log with its effects."""

    seat: int
    decision: str
    move: Any
    via: Via
    chance: tuple[Draw, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    state: Any  # after the move


class Opening(NamedTuple):
    """A new game: its random outcomes, its events, and its automatic moves.

    `start` is the state before these moves, `state` the one after them.
    """

    start: Any
    state: Any
    chance: tuple[Draw, ...]
    events: tuple[Event, ...]
    lines: tuple[Line, ...]


class Played(NamedTuple):
    """The state after a move and the automatic moves that followed."""

    state: Any
    lines: tuple[Line, ...]


def begin(game: GameType, seats: int, options: Mapping[str, str], seed: bytes) -> Opening:
    """Set up a new game; raises BadSetup."""
    chance = Chance(seed, SETUP)
    check_seats(game, seats)
    start, events = game.new_game(seats, complete_options(game, options), chance)
    lines = _without_asking(game, start, seed)
    state = lines[-1].state if lines else start
    return Opening(start, state, tuple(chance.drawn), tuple(events), tuple(lines))


def play(
    game: GameType,
    state: Any,
    seed: bytes,
    seat: int,
    decision: str | None,
    answer: Any,
    via: Via = "player",
) -> Played:
    """Answer a decision with a move, its JSON or its text.

    `decision` is the id of the decision; None is the current one of the seat. Raises MoveError with
    suggestions. The given state stays unchanged.
    """
    if via not in ANSWERS:
        raise ValueError(f"an answer cannot come about by {via!r}")
    check_open(game, state, seat, decision)
    move = read_move(game, state, seat, answer)
    if not game.accepts(state, seat, move):
        raise illegal(game, state, seat, move)
    line = _apply(game, state, seed, seat, move, via)
    lines = (line, *_without_asking(game, line.state, seed))
    return Played(lines[-1].state, lines)


def check_open(game: GameType, state: Any, seat: int, decision: str | None) -> None:
    """Check that this seat may answer this decision; raises GameOver or NotPending."""
    pending = _not_over(game, state)
    if type(seat) is not int or not 0 <= seat < len(game.scores(state)):
        raise NotPending("There is no such seat in this game.")
    if decision is not None and not isinstance(decision, str):
        raise NotPending("The id of a decision is a text.")
    if decision is not None and not decision.endswith(f".s{seat}"):
        raise NotPending(f"Decision {decision[:40]} is not one of seat {seat}.")
    if seat not in pending and seat not in game.revisable(state):
        asked = _nothing_to_choose(seat, pending)
        raise NotPending(asked) if decision is None else DecisionClosed(asked)
    current = game.decision(state, seat)
    if decision is not None and decision != current:
        raise DecisionClosed(f"Decision {decision[:40]} is not open; seat {seat} has {current}.")


def check_pending(game: GameType, state: Any, seat: int) -> None:
    """Check that this seat owes a decision and does not only revise one; raises as `check_open`."""
    pending = _not_over(game, state)
    if seat not in pending:
        raise NotPending(_nothing_to_choose(seat, pending))


def _not_over(game: GameType, state: Any) -> Sequence[int]:
    pending = game.pending(state)
    if not pending:
        raise GameOver("The game is over; nothing more can be played.")
    return pending


def _nothing_to_choose(seat: int, pending: Sequence[int]) -> str:
    others = ", ".join(str(other) for other in pending)
    return f"Seat {seat} has nothing to choose now; the game waits for seat {others}."


def _apply(game: GameType, state: Any, seed: bytes, seat: int, move: Any, via: Via) -> Line:
    decision = game.decision(state, seat)
    chance = Chance(seed, decision)
    after, events = game.apply(state, seat, move, chance)
    return Line(
        seat, decision, move, via, tuple(chance.drawn), tuple(events), game.scores(after), after
    )


def _without_asking(game: GameType, state: Any, seed: bytes) -> list[Line]:
    """Play single legal moves and premoves until a seat has a choice."""
    lines: list[Line] = []
    while settled := _settled(game, state):
        lines.append(_apply(game, state, seed, *settled))
        state = lines[-1].state
    return lines


def _settled(game: GameType, state: Any) -> tuple[int, Any, Via] | None:
    """The next automatic move, or None if a seat has a choice.

    In a simultaneous choice a seat without a choice waits for the others: an automatic move would
    reveal what it holds.
    """
    found: list[tuple[int, Any, Via]] = []
    for seat in game.pending(state):
        moves = game.legal_moves(state, seat)
        planned = game.premove(state, seat)
        if len(moves) == 1 and not game.asks(state, seat):
            found.append((seat, moves[0], "auto"))
        elif planned is not None:
            found.append((seat, planned, "plan"))
        else:
            return None
    return found[0] if found else None


def to_ask(game: GameType, state: Any) -> list[int]:
    """The pending seats that have a choice."""
    return [
        seat
        for seat in game.pending(state)
        if len(game.legal_moves(state, seat)) > 1 or game.asks(state, seat)
    ]


def moves_json(game: GameType, state: Any, seat: int) -> list[Json]:
    """The seat's legal moves as JSON, in the engine's order."""
    return [game.move_to_json(move) for move in game.legal_moves(state, seat)]
