"""Verification of a record: replay from its seed, compared byte by byte."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from engine.chance import SEED_BYTES, commitment
from engine.contract import GameType, Json, Outcome
from engine.early_end import EARLY_ENDS, RESIGNED, early_outcome
from engine.errors import EngineError, MoveError, RecordError
from engine.options import complete_options
from engine.play import ANSWERS, Line, Opening, begin, moves_json, play
from engine.record import header_line, move_line, outcome_line
from engine.registry import game_type_by_key

LONGEST_QUOTE = 80


class Followed(NamedTuple):
    """A verified record: the game as it was played."""

    game: GameType
    seats: int
    options: dict[str, str]
    seed: bytes
    opening: Opening
    lines: tuple[Line, ...]
    outcome: Outcome | None

    @property
    def state(self) -> Any:
        return self.lines[-1].state if self.lines else self.opening.state


def split_lines(data: bytes) -> list[str]:
    """The lines of a stored record; each ends in a line feed."""
    lines = data.split(b"\n")
    if lines.pop():
        raise RecordError(len(lines) + 1, "the last line does not end in a line feed")
    return [_decoded(number, line) for number, line in enumerate(lines, start=1)]


def _decoded(number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(number, "this is not UTF-8") from None


def verify(record: Iterable[str]) -> Followed:
    """Verify the record of a finished game byte by byte; raises RecordError with line and reason.

    Two things rest on the host's word: the origin of an answer (`via`: a person, a preferences list
    or a bot), and an early end by the players (`engine.early_end`).
    """
    followed = follow(record)
    if followed.outcome is None:
        raise RecordError(len(followed.lines) + 2, "the record stops before the end of the game")
    return followed


def follow(record: Iterable[str]) -> Followed:
    """Like `verify`, for a record whose game may still be running."""
    numbered = enumerate(record, start=1)
    game, seats, options, seed, opening = _follow_header(next(numbered, (1, ""))[1])
    waiting = list(opening.lines)  # automatic moves that the record must contain
    done: list[Line] = []
    outcome: Outcome | None = None
    outcome_at: int | None = None
    with_legal: bool | None = None  # whether the lines have legal moves: all of them or none
    for number, text in numbered:
        before = done[-1].state if done else opening.start
        ended = game.outcome(before)
        if outcome_at is not None:
            raise RecordError(number, f"there is more after the outcome in line {outcome_at}")
        if ended is not None and not waiting:
            _compare(number, text, outcome_line(ended))
            outcome, outcome_at = ended, number
            continue
        data = _object(number, text)
        if "outcome" in data:
            if waiting:
                raise RecordError(number, "there is an outcome, but the game is not over")
            outcome, outcome_at = _early_end(game, before, seats, number, data["outcome"]), number
            _compare(number, text, outcome_line(outcome))
            continue
        if not waiting:
            waiting = list(_answered(game, before, seed, number, data))
        line = waiting.pop(0)
        if with_legal is None:
            with_legal = "legal" in data
        legal = moves_json(game, before, line.seat) if with_legal else None
        _compare(number, text, move_line(game, len(done) + 1, line, legal=legal))
        done.append(line)
    if waiting:
        raise RecordError(len(done) + 2, "an automatic move is missing at the end")
    return Followed(game, seats, options, seed, opening, tuple(done), outcome)


def _early_end(game: GameType, state: Any, seats: int, number: int, told: object) -> Outcome:
    """The outcome of an early end for the recorded reason."""
    told = told if isinstance(told, dict) else {}
    reason, winners = told.get("reason"), told.get("winners")
    if reason not in EARLY_ENDS:
        raise RecordError(number, "there is an outcome, but the game is not over")
    if reason != RESIGNED:
        return early_outcome(game, state, reason)
    if not (isinstance(winners, list) and len(winners) == 1 and winners[0] in range(seats)):
        raise RecordError(number, "after resignations one seat wins")
    return early_outcome(game, state, reason, winners[0])


def _follow_header(text: str) -> tuple[GameType, int, dict[str, str], bytes, Opening]:
    data = _object(1, text)
    if "seed" not in data:
        raise RecordError(1, "there is no seed: the record of a running game proves nothing yet")
    try:
        seed = bytes.fromhex(data["seed"])
        if len(seed) != SEED_BYTES:
            raise ValueError
    except (TypeError, ValueError):
        raise RecordError(1, f"the seed is not {SEED_BYTES} bytes in hexadecimal") from None
    if data.get("commitment") != commitment(seed):
        raise RecordError(1, "the commitment is not the SHA-256 of the seed")
    try:
        game = game_type_by_key(str(data.get("game")), data.get("rules"))
        seats = data.get("seats")
        options = data.get("options")
        if not isinstance(seats, int) or not isinstance(options, dict):
            raise RecordError(1, "seats must be a number and options an object")
        opening = begin(game, seats, options, seed)
    except RecordError:
        raise
    except EngineError as error:
        raise RecordError(1, str(error)) from None
    options = complete_options(game, options)
    _compare(1, text, header_line(game, seats, options, seed, opening.chance))
    return game, seats, options, seed, opening


def _answered(game: GameType, state: Any, seed: bytes, number: int, data: Json) -> tuple[Line, ...]:
    """Play the recorded answer like any other."""
    missing = [key for key in ("seat", "decision", "move", "via") if key not in data]
    if missing:
        raise RecordError(number, f"'{missing[0]}' is missing")
    seat, decision, via = data["seat"], data["decision"], data["via"]
    if via not in ANSWERS:
        reason = "is called automatic, but there was a choice" if via == "auto" else "is unknown"
        raise RecordError(number, f"via {_quoted(via)} {reason}")
    if not isinstance(seat, int) or not isinstance(decision, str):
        raise RecordError(number, "seat must be a number and decision a text")
    if not isinstance(data["move"], dict):
        raise RecordError(number, "move must be an object")
    try:
        return play(game, state, seed, seat, decision, data["move"], via).lines
    except MoveError as error:
        raise RecordError(number, str(error)) from None


def _object(number: int, text: str) -> Json:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(number, "this is not a line of JSON") from None
    if not isinstance(data, dict):
        raise RecordError(number, "this is not a JSON object")
    return data


def _compare(number: int, text: str, expected: str) -> None:
    """Compare a line with its expected form; the error names the first difference."""
    if text == expected:
        return
    found, right = _object(number, text), json.loads(expected)
    for key, value in right.items():
        if key not in found:
            raise RecordError(number, f"'{key}' is missing")
        if json.dumps(found[key]) != json.dumps(value):
            raise RecordError(
                number, f"{key} is {_quoted(found[key])}, but the game says {_quoted(value)}"
            )
    for key in found:
        if key not in right:
            raise RecordError(number, f"'{key[:LONGEST_QUOTE]}' does not belong here")
    raise RecordError(number, "right in content, but not written in the record's exact form")


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
