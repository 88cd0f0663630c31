"""The rules of Nim: state, legal moves, the end, and what players see of it."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.chance import Chance
from engine.contract import Event, Forced, Json, Outcome, Points, Preview, Step
from engine.errors import BadState
from engine.toolkit.ranking import first, places
from tests.engine.third_game.moves import HEAPS, Take

SIZES = {"small": (1, 2, 3), "usual": (3, 4, 5)}
LAST_TOKEN = "last-token"  # noqa: S105 - the reason of the end and the cause of the point


class State(NamedTuple):
    """A position. `mover` is the seat to move, or the winner when the heaps are empty."""

    seats: int
    option: str
    heaps: tuple[int, ...]
    mover: int
    turn: int


def new_game(seats: int, options: Mapping[str, str], chance: Chance) -> Step:
    """The full heaps; chance decides who starts."""
    start = chance.below("start", seats)
    state = State(seats, options["heaps"], SIZES[options["heaps"]], start, 1)
    return Step(state, [{"type": "start", "seat": start}])


def is_over(state: State) -> bool:
    return not any(state.heaps)


def pending(state: State) -> tuple[int, ...]:
    return () if is_over(state) else (state.mover,)


def revisable(state: State) -> tuple[int, ...]:
    return ()


def decision(state: State, seat: int) -> str:
    return f"t{state.turn}.s{seat}"


def legal_moves(state: State, seat: int) -> list[Take]:
    """Every number of tokens of every heap."""
    return [
        Take(heap, count) for heap, size in enumerate(state.heaps) for count in range(1, size + 1)
    ]


def accepts(state: State, seat: int, move: Take) -> bool:
    return move in legal_moves(state, seat)


def asks(state: State, seat: int) -> bool:
    return False


def within_turn(state: State, seat: int) -> bool:
    return False


def apply(state: State, seat: int, move: Take, chance: Chance) -> Step:
    """Take the tokens; the last one scores the only point of the game."""
    heaps = tuple(
        size - move.count if heap == move.heap else size for heap, size in enumerate(state.heaps)
    )
    events: list[Event] = [
        {"type": "take", "seat": seat, "heap": HEAPS[move.heap], "count": move.count}
    ]
    if any(heaps):
        return Step(
            state._replace(heaps=heaps, mover=(seat + 1) % state.seats, turn=state.turn + 1), events
        )
    events.append({"type": "points", "seat": seat, "points": 1, "for": LAST_TOKEN})
    events.append({"type": "end", "reason": LAST_TOKEN, "winners": [seat]})
    return Step(state._replace(heaps=heaps, turn=state.turn + 1), events)


def scores(state: State) -> tuple[int, ...]:
    return tuple(int(is_over(state) and seat == state.mover) for seat in range(state.seats))


def ranking(state: State) -> tuple[int, ...]:
    return places([(score,) for score in scores(state)])


def outcome(state: State) -> Outcome | None:
    if not is_over(state):
        return None
    return Outcome(scores(state), first(ranking(state)), LAST_TOKEN)


def preview(state: State, seat: int, move: Take) -> Preview:
    if sum(state.heaps) == move.count:
        return Preview((Points(seat, 1, LAST_TOKEN),))
    return Preview()


def forced(state: State, seat: int, move: Take) -> tuple[Forced, ...]:
    return ()


def premoves(state: State, seat: int, move: Take) -> tuple[Take, ...]:
    return ()


def premove(state: State, seat: int) -> Take | None:
    return None


def view(state: State, seat: int | None) -> Json:
    """The whole position: Nim has no secrets."""
    ended = outcome(state)
    return {
        "seats": state.seats,
        "options": {"heaps": state.option},
        "heaps": dict(zip(HEAPS, state.heaps)),
        "turn": state.turn,
        "pending": list(pending(state)),
        "you": None if seat is None else {"seat": seat},
        "outcome": ended and ended.to_json(),
    }


def imagine(
    state: State, seats: Sequence[int], chance: Chance, mover: int, move: Take | None
) -> State:
    """The same state: there is nothing that a seat does not know."""
    return state


def faults(state: State) -> list[str]:
    """Heaps that no game can have."""
    full = SIZES[state.option]
    if any(not 0 <= size <= most for size, most in zip(state.heaps, full, strict=True)):
        return [f"The heaps are {state.heaps}."]
    return []


def dump(state: State) -> str:
    return json.dumps(state, separators=(",", ":"))


def load(text: str) -> State:
    """The state that `dump` wrote; raises BadState."""
    try:
        seats, option, heaps, mover, turn = json.loads(text)
        return State(seats, option, tuple(heaps), mover, turn)
    except (ValueError, TypeError):
        raise BadState("This is not a stored game of Nim.") from None
