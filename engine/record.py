"""The game record: JSON lines, the same for exports, fixtures and verification."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.chance import Draw, commitment
from engine.contract import Audience, Event, GameType, Json, Outcome, may_see
from engine.options import complete_options
from engine.play import Line, Opening, moves_json

# Whether the reader of a record belongs to an audience.
Sight = Callable[[Audience], bool]


def everything(audience: Audience) -> bool:
    """The sight of a record of a finished game."""
    return True


def as_seen_by(seat: int | None) -> Sight:
    """The sight of a seat, or of a spectator (None), while the game goes on."""
    return lambda audience: may_see(audience, seat)


def record_lines(
    game: GameType,
    seats: int,
    options: Mapping[str, str],
    seed: bytes,
    opening: Opening,
    lines: Sequence[Line],
    sight: Sight = everything,
    with_legal: bool = False,
) -> Iterator[str]:
    """The lines of a record, as far as the game was played and the reader may see."""
    yield header_line(game, seats, options, seed, opening.chance, sight)
    state = opening.start
    for number, line in enumerate(lines, start=1):
        legal = moves_json(game, state, line.seat) if with_legal else None
        yield move_line(game, number, line, sight, legal)
        state = line.state
    ended = game.outcome(state)
    if ended is not None:
        yield outcome_line(ended)


def header_line(
    game: GameType,
    seats: int,
    options: Mapping[str, str],
    seed: bytes,
    chance: Sequence[Draw],
    sight: Sight = everything,
) -> str:
    """The first line: game type, options and commitment; the seed only for a reader who may see
    everything."""
    header: Json = {
        "game": game.meta.key,
        "rules": game.meta.rules,
        "seats": seats,
        "options": complete_options(game, options),
    }
    if sight is everything:
        header["seed"] = seed.hex()
    header["commitment"] = commitment(seed)
    header["chance"] = _draws(chance, sight)
    return _written(header)


def move_line(
    game: GameType,
    number: int,
    line: Line,
    sight: Sight = everything,
    legal: list[Json] | None = None,
) -> str:
    """One move. Of a secret move only its existence is shown: its origin would reveal something.
    Legal moves are shown to the seat itself."""
    written: Json = {"n": number, "seat": line.seat, "decision": line.decision}
    if sight(game.move_seen_by(line.seat, line.move)):
        written["move"] = game.move_to_json(line.move)
        written["text"] = game.format(line.move)
        written["via"] = line.via
    written["chance"] = _draws(line.chance, sight)
    written["events"] = visible_events(line.events, sight)
    written["scores"] = line.scores
    if legal is not None and sight((line.seat,)):
        written["legal"] = legal
    return _written(written)


def outcome_line(ended: Outcome) -> str:
    return _written({"outcome": ended._asdict()})


def visible_events(events: Sequence[Event], sight: Sight) -> list[Event]:
    """The events that the reader may see, in order."""
    return [event for event in events if sight(event_audience(event))]


def event_audience(event: Event) -> Audience:
    seen_by = event.get("seen_by")
    return None if seen_by is None else tuple(seen_by)


def _draws(chance: Sequence[Draw], sight: Sight) -> list[Json]:
    return [
        {"label": draw.label, "outcome": draw.outcome} for draw in chance if sight(draw.seen_by)
    ]


def _written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
