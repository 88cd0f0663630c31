"""Moves of players: an answer to a decision is played by the engine and stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from engine import play
from engine.contract import GameType
from engine.errors import Illegal, MoveError
from engine.parsing import read_move
from engine.play import Line
from service.access.games import SeatAccess
from service.core.errors import Problem
from service.games.loaded_game import LoadedGame, load_game, must_run
from service.games.persistence import touch_seat, write_moves, write_revision
from service.games.takeover import presence_entries, take_seat_back
from service.games.undo import was_withdrawn
from service.notify.event_log import Entry, record_events

MOST_MOVES_AT_ONCE = 20
LONGEST_NOTE = 4000


class Alternatives(NamedTuple):
    """Alternatives for one move, best first: the first that is possible is played."""

    moves: tuple[object, ...]


@dataclass(frozen=True)
class PlayedMoves:
    """The moves that an answer became, and the reason why the rest of it was not played."""

    loaded: LoadedGame
    seat: int
    version: int
    state: object
    first: int
    lines: tuple[Line, ...]
    at: datetime
    answered: int  # how many of the moves were played
    stopped: Problem | None


def answer(
    access: SeatAccess,
    decision: str,
    moves: Sequence[object],
    at: datetime,
    received_at: datetime | None = None,
    asked_at: datetime | None = None,
) -> PlayedMoves:
    """Play one move, or several in a row, for the seat of the caller.

    The first of them answers `decision`. Several are played one by one; the first impossible one
    stops the rest, and those before it stay. A forced move that the engine has played already
    counts as played. Each may also be `Alternatives`. A player whose seat a bot keeps has it back.

    An answer that waited to be read counts from when it was received; the time of the next
    decision begins when it is played. An answer to a letter of `asked_at` is refused if the player
    has taken back the step that led to its question.
    """
    if access.resigned:
        raise Problem("resigned", "You have resigned from this game and cannot come back.")
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if asked_at is not None and was_withdrawn(access.game.id, decision, asked_at):
        raise Problem("decision_closed", f"Decision {decision} came of a step that was taken back.")
    away = loaded.seats[access.seat].away_since is not None
    if away:
        loaded = take_seat_back(loaded, access.seat, at)
    made_at = received_at or at
    result, entries = _play(loaded, access.seat, decision, moves, made_at, at)
    if away:
        entries += presence_entries(loaded, access.seat)
    record_events(entries, at)
    return result


def _play(
    loaded: LoadedGame,
    seat: int,
    decision: str,
    moves: Sequence[object],
    at: datetime,
    present: datetime,
) -> tuple[PlayedMoves, list[Entry]]:
    """Play the moves and store them; also their events, to be recorded."""
    lines, answered, stopped = _played_lines(loaded, seat, decision, moves)
    if seat in loaded.game.revisable(loaded.state):
        (line,) = lines
        n, first_at = write_revision(loaded, line)
        # The pick may have been that of a time-out; now the player is back.
        touch_seat(loaded, seat, **({"misses": 0} if loaded.seats[seat].misses else {}))
        person = loaded.seats[seat].person_id
        # Only the player gets an event, for their other devices.
        changed = [] if person is None else [Entry(person, "pick.changed", loaded.row.id, {"n": n})]
        version, state = loaded.row.version, line.state
        return PlayedMoves(
            loaded, seat, version, state, n, lines, first_at, answered, stopped
        ), changed
    written = write_moves(loaded, lines, at, present)
    version, first = written.version, written.first
    result = PlayedMoves(loaded, seat, version, written.state, first, lines, at, answered, stopped)
    return result, written.entries


def _played_lines(
    loaded: LoadedGame, seat: int, decision: str, moves: Sequence[object]
) -> tuple[tuple[Line, ...], int, Problem | None]:
    """The lines of these moves, how many of them were played, and the problem of the next one;
    raises the problem of the first."""
    game, state, seed = loaded.game, loaded.state, loaded.seed
    lines: tuple[Line, ...] = ()
    forced: list[_ForcedMove] = []  # that followed the last move
    for number, move in enumerate(moves):
        done = next(
            (n for n, one in enumerate(forced) if _names_forced_move(game, one, move)), None
        )
        if done is not None:
            del forced[: done + 1]
            continue
        try:
            if number:  # a later move answers what the seat is asked next, it takes nothing back
                play.check_pending(game, state, seat)
            asked = None if number else decision
            played = _first_possible(game, state, seed, seat, asked, move)
        except MoveError as error:
            refusal = refused_move(loaded, state, seat, error)
            if not number:
                raise refusal from error
            return lines, number, refusal
        state, lines = played.state, lines + played.lines
        forced = [
            _ForcedMove(before.state, line)
            for before, line in pairwise(played.lines)
            if line.seat == seat and line.via == "auto"
        ]
    return lines, len(moves), None


class _ForcedMove(NamedTuple):
    """A move of the seat that the engine played, since nothing else was possible in this state."""

    state: object
    line: Line


def _names_forced_move(game: GameType, done: _ForcedMove, move: object) -> bool:
    """Whether a move names the forced one: its player could not know that it plays itself."""
    for one in move.moves if isinstance(move, Alternatives) else (move,):
        try:
            if read_move(game, done.state, done.line.seat, one) == done.line.move:
                return True
        except MoveError:
            continue
    return False


def _first_possible(
    game: GameType, state: object, seed: bytes, seat: int, decision: str | None, move: object
) -> play.Played:
    """Play a move, or the first possible one of several; raises the error of the first if none
    is."""
    wrong: Illegal | None = None
    for one in move.moves if isinstance(move, Alternatives) else (move,):
        try:
            return play.play(game, state, seed, seat, decision, one)
        except Illegal as error:
            wrong = wrong or error
    assert wrong is not None, "there is always one to try"
    raise wrong


def refused_move(loaded: LoadedGame, state: object, seat: int, error: MoveError) -> Problem:
    """The problem of a move that the engine refused, with suggestions."""
    game = loaded.game
    asked = seat in game.pending(state) or seat in game.revisable(state)
    return Problem(
        error.code,
        error.sentence,
        more={
            "suggestions": list(error.suggestions),
            "decision": game.decision(state, seat) if asked else None,
        },
    )


def leave_wishes(access: SeatAccess, wishes: object) -> tuple[str, ...]:
    """Store the preferences list of a seat for its time-outs; an empty one is none."""
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    try:
        normal = loaded.game.read_preferences(wishes) if wishes else ()
    except MoveError as error:
        raise Problem(
            error.code,
            error.sentence,
            errors=[{"pointer": "/wishes", "detail": error.sentence}],
            more={"suggestions": list(error.suggestions)},
        ) from error
    touch_seat(loaded, access.seat, wishes=list(normal))
    return normal


def write_note(access: SeatAccess, text: str) -> None:
    """Store the private note of a seat."""
    touch_seat(load_game(access.game, access.seats), access.seat, note=text)
