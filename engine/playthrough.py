"""A game told in full, for people who compare two versions of the rules by reading."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.chance import commitment
from engine.contract import AnyGame
from engine.offers import seat_names, seat_view
from engine.policies import simulate
from engine.record import everything, visible_events


def playthrough(
    game: AnyGame, seats: int, options: Mapping[str, str], seed: bytes, policy: str
) -> Iterator[str]:
    """Every decision with all its moves, every event, and the board of every round."""
    names = seat_names(seats)
    simulated = simulate(game, seats, options, seed, policy)
    yield f"{game.meta.title}, rules {game.meta.rules}, {seats} seats, {dict(options)}"
    yield f"seed {seed.hex()}"
    yield f"commitment {commitment(seed)}"
    state = simulated.opening.start
    for event in visible_events(simulated.opening.events, everything):
        yield f"  {game.sentence(event, names)}"
    for number, line in enumerate(simulated.lines, start=1):
        yield ""
        yield from _asked(game, state, number, line.seat, line.decision)
        yield f"> {game.format(line.move)} ({line.via})"
        for event in visible_events(line.events, everything):
            yield f"  {game.sentence(event, names)}"
        yield f"  Scores: {', '.join(str(score) for score in line.scores)}"
        state = line.state
    yield ""
    yield from game.board_text(seat_view(game, state, None), names).splitlines()


def _asked(game: AnyGame, state: Any, number: int, seat: int, decision: str) -> Iterator[str]:
    """The decision as the seat sees it; the whole board only where the game changes pace."""
    names = seat_names(len(game.scores(state)))
    yield f"{number}. {decision}"
    if number == 1 or decision.endswith(f"t1.keep.s{seat}"):
        yield from game.board_text(seat_view(game, state, seat), names).splitlines()
    for move in game.legal_moves(state, seat):
        expected = game.preview(state, seat, move)
        yield f"  {game.format(move)} | {game.label(seat, move, expected, names)}"
