"""Playthrough: a game in full as text, for comparing two versions of the rules."""

from collections.abc import Iterator, Mapping

from engine.chance import commitment
from engine.contract import GameType
from engine.decisions import seat_names, seat_view
from engine.policies import simulate


def playthrough(
    game: GameType, seats: int, options: Mapping[str, str], seed: bytes, policy: str
) -> Iterator[str]:
    """Every decision with its legal moves, every event, and the board at each change of the first
    part of the decision id, that is in every round."""
    names = seat_names(seats)
    simulated = simulate(game, seats, options, seed, policy)
    yield f"{game.meta.title}, rules {game.meta.rules}, {seats} seats, {dict(options)}"
    yield f"seed {seed.hex()}"
    yield f"commitment {commitment(seed)}"
    state = simulated.opening.start
    part = ""
    for event in simulated.opening.events:
        yield f"  {game.sentence(event, names)}"
    for number, line in enumerate(simulated.lines, start=1):
        yield ""
        yield f"{number}. {line.decision}"
        if line.decision.partition(".")[0] != part:
            part = line.decision.partition(".")[0]
            yield from game.board_text(seat_view(game, state, line.seat), names).splitlines()
        for move in game.legal_moves(state, line.seat):
            expected = game.preview(state, line.seat, move)
            label = game.label(state, line.seat, move, expected, names)
            yield f"  {game.format(move)} | {label}"
        yield f"> {game.format(line.move)} ({line.via})"
        for event in line.events:
            yield f"  {game.sentence(event, names)}"
        yield f"  Scores: {', '.join(str(score) for score in line.scores)}"
        state = line.state
    yield ""
    yield from game.board_text(seat_view(game, state, None), names).splitlines()
