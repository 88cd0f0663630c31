"""Playing: every answer to a decision, whoever gives it, takes this way to the one door."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

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
from service.notify.event_log import Entry, record_events

MOST_MOVES_AT_ONCE = 20
LONGEST_NOTE = 4000


class Preferably(NamedTuple):
    """Moves in the order in which somebody would like to make one of them: the first that is
    possible when its turn comes is made."""

    moves: tuple[Any, ...]


@dataclass(frozen=True)
class PlayedMoves:
    """The moves that an answer became, and the reason why the rest of it was not played."""

    loaded: LoadedGame
    seat: int
    version: int
    state: Any
    first: int
    lines: tuple[Line, ...]
    at: datetime
    answered: int  # how many of the moves were played
    stopped: Problem | None


def answer(
    access: SeatAccess,
    decision: str,
    moves: Sequence[Any],
    at: datetime,
    received_at: datetime | None = None,
) -> PlayedMoves:
    """Play one move, or several in a row, for the seat of the caller.

    `decision` is what the first of them answers. Several are played one by one; the first that
    cannot be played stops them, and what was played before it stays. One that was the only thing
    possible, and so has been played already, counts as played. Each may also be several to choose
    from (`Preferably`). Who answers while a bot keeps their seat has it back.

    An answer that waited to be read counts from when it was received; the time of whoever is asked
    next begins when it is played.
    """
    if access.resigned:
        raise Problem("resigned", "You have resigned from this game and cannot come back.")
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
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
    moves: Sequence[Any],
    at: datetime,
    present: datetime,
) -> tuple[PlayedMoves, list[Entry]]:
    """Through the door, then into the ledger; also what people are to be told of it."""
    lines, answered, stopped = _through_the_door(loaded, seat, decision, moves)
    if seat in loaded.game.revisable(loaded.state):
        (line,) = lines
        n, first_at = write_revision(loaded, line)
        # Perhaps the house had picked for them; now they are there.
        touch_seat(loaded, seat, **({"misses": 0} if loaded.seats[seat].misses else {}))
        version = loaded.row.version
        result = PlayedMoves(
            loaded, seat, version, line.state, n, lines, first_at, answered, stopped
        )
        return result, _revision_entries(loaded, seat, n)
    written = write_moves(loaded, lines, at, present)
    version, first = written.version, written.first
    result = PlayedMoves(loaded, seat, version, written.state, first, lines, at, answered, stopped)
    return result, written.entries


def _through_the_door(
    loaded: LoadedGame, seat: int, decision: str, moves: Sequence[Any]
) -> tuple[tuple[Line, ...], int, Problem | None]:
    """The lines these moves become, and how many of them did; raises what is wrong with the first
    of them."""
    game, state, seed = loaded.game, loaded.state, loaded.row.seed
    lines: tuple[Line, ...] = ()
    by_itself: list[_ByItself] = []
    for number, move in enumerate(moves):
        done = next((n for n, one in enumerate(by_itself) if _is_meant(game, one, move)), None)
        if done is not None:
            del by_itself[: done + 1]
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
        by_itself = [
            _ByItself(before.state, line)
            for before, line in pairwise(played.lines)
            if line.seat == seat and line.via == "auto"
        ]
    return lines, len(moves), None


class _ByItself(NamedTuple):
    """A move of the seat that needed no asking, as nothing else was possible in this state."""

    state: Any
    line: Line


def _is_meant(game: GameType, done: _ByItself, move: Any) -> bool:
    """Whether somebody who could not know that a move would make itself has written it."""
    for one in move.moves if isinstance(move, Preferably) else (move,):
        try:
            if read_move(game, done.state, done.line.seat, one) == done.line.move:
                return True
        except MoveError:
            continue
    return False


def _first_possible(
    game: GameType, state: Any, seed: bytes, seat: int, decision: str | None, move: Any
) -> play.Played:
    """Play a move, or the first of several that is possible; raises what is wrong with the first
    of them if none is."""
    wrong: Illegal | None = None
    for one in move.moves if isinstance(move, Preferably) else (move,):
        try:
            return play.play(game, state, seed, seat, decision, one)
        except Illegal as error:
            wrong = wrong or error
    assert wrong is not None, "there is always one to try"
    raise wrong


def refused_move(loaded: LoadedGame, state: Any, seat: int, error: MoveError) -> Problem:
    """A move the engine did not accept, with what the seat could do instead."""
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


def _revision_entries(loaded: LoadedGame, seat: int, n: int) -> list[Entry]:
    """Only the seat itself hears of it, for its other devices."""
    person = loaded.seats[seat].person_id
    return [] if person is None else [Entry(person, "pick.changed", loaded.row.id, {"n": n})]


def leave_wishes(access: SeatAccess, wishes: object) -> tuple[str, ...]:
    """Keep a ranked list for the time when the seat's clock runs out; an empty one is none."""
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
    """Keep a note for nobody else's eyes."""
    touch_seat(load_game(access.game, access.seats), access.seat, note=text)
