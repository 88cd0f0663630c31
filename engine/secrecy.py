"""Non-interference: the output for a seat does not depend on secrets of others.

The check replaces everything that an observer may not know with other possible secrets, makes the
same (or an equally invisible) move in both states, and compares all output for the observer: the
view before and after, the line of the record with its events, the texts of errors, and whether the
observer may take the move back.
"""

import json
from typing import Any

from engine.chance import Chance
from engine.contract import Event, GameType, Json
from engine.decisions import seat_view
from engine.errors import MoveError
from engine.play import Line, moves_json, play
from engine.record import as_seen_by, move_line
from engine.undo import undoable

ANY_SEED = bytes(32)


def check_secrecy(game: GameType, state: Any, mover: int, move: Any, chance: Chance) -> str | None:
    """A sentence about a leak to a random observer; None without one."""
    seats = len(game.scores(state))
    observer = [None, *range(seats)][chance.below("observer", seats + 1)]
    knowing = [] if observer is None else [observer]
    seen = as_seen_by(observer)
    if seen(game.move_seen_by(mover, move)):
        imagined = game.imagine(state, knowing, chance, mover, move)
        imagined_move = move
    else:
        imagined = game.imagine(state, knowing, chance, mover, None)
        unseen = [
            other
            for other in game.legal_moves(imagined, mover)
            if not seen(game.move_seen_by(mover, other))
        ]
        imagined_move = unseen[chance.below("unseen", len(unseen))]
    text = game.format(move)
    real = _received(game, state, mover, move, observer, text)
    other = _received(game, imagined, mover, imagined_move, observer, text)
    if json.dumps(real) == json.dumps(other):
        return None
    return f"A secret shows to {observer}: {_difference(real, other)}."


def _received(
    game: GameType, state: Any, mover: int, move: Any, observer: int | None, text: str
) -> Json:
    """The output for the observer when the move is made, or when the observer sends this text."""
    decision = game.decision(state, mover)
    lines = play(game, state, ANY_SEED, mover, decision, move).lines
    line = _until_revealed(game, lines[0])
    received: Json = {
        "before": seat_view(game, state, observer),
        "errors": [] if observer is None else _errors(game, state, observer, text),
        "line": _line(game, state, line, observer),
        "undo": observer == mover and undoable(game, state, mover, lines, lines[-1].state),
    }
    if not any(event["type"] in _news(game) for event in line.events):
        received["after"] = seat_view(game, line.state, observer)
    return received


def _news(game: GameType) -> set[str]:
    return {*game.meta.uncovering, *game.meta.revealing}


def _until_revealed(game: GameType, line: Line) -> Line:
    """The line up to the event that ends all secrecy, if it has one."""
    for place, event in enumerate(line.events):
        if event["type"] in game.meta.revealing:
            return line._replace(events=line.events[: place + 1], scores=())
    return line


def _line(game: GameType, state: Any, line: Line, observer: int | None) -> Json:
    legal = moves_json(game, state, line.seat)
    written: Json = json.loads(move_line(game, 1, line, as_seen_by(observer), legal))
    written["events"] = [_without_news(game, event) for event in written["events"]]
    return written


def _without_news(game: GameType, event: Event) -> Event:
    """The event without the facts that it reveals, which may differ."""
    news = game.meta.uncovering.get(event["type"], frozenset())
    return {key: value for key, value in event.items() if key not in news}


def _errors(game: GameType, state: Any, observer: int, text: str) -> list[str]:
    """The errors for nonsense, part of a move, a move of another seat, and an old decision."""
    return [
        _error(game, state, observer, None, "nonsense"),
        _error(game, state, observer, None, text.split()[0]),
        _error(game, state, observer, None, text),
        _error(game, state, observer, f"long-ago.s{observer}", text),
    ]


def _error(game: GameType, state: Any, observer: int, decision: str | None, answer: str) -> str:
    try:
        play(game, state, ANY_SEED, observer, decision, answer)
    except MoveError as error:
        return str(error)
    return "no error"


def _difference(real: Any, imagined: Any, path: str = "") -> str:
    """The first difference of two JSON values, with both sides."""
    if isinstance(real, dict) and isinstance(imagined, dict) and list(real) == list(imagined):
        pairs = [(f"{path}.{key}", real[key], imagined[key]) for key in real]
    elif isinstance(real, list) and isinstance(imagined, list) and len(real) == len(imagined):
        pairs = [(f"{path}[{index}]", *pair) for index, pair in enumerate(zip(real, imagined))]
    else:
        return f"{path}: {real} became {imagined}"
    place, one, other = next(pair for pair in pairs if json.dumps(pair[1]) != json.dumps(pair[2]))
    return _difference(one, other, place)
