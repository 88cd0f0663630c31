"""Persistence of moves: the log, the new state, decisions closed and opened, and events.

All of it is written in the transaction of the move, with as much work for the last move of a game
as for the first.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, bindparam, delete, insert, select, update

from engine.chance import Draw
from engine.contract import GameType, Json
from engine.play import Line, to_ask
from service.access.rows import DecisionRow, SeatRow
from service.core.worker_signal import wake
from service.db.models import Decision, Game, Move, Seat, Status
from service.db.session import execute, table
from service.games.decision_clock import NO_TIME, Changes, absence_in, after_answer, time_for
from service.games.loaded_game import LoadedGame
from service.games.results import result_by_rules
from service.notify.event_log import Entry

_GAME, _MOVE, _DECISION, _SEAT = (table(model) for model in (Game, Move, Decision, Seat))
NO_PAUSE: Mapping[str, None] = {"paused_at": None, "paused_until": None}
# Each of these statements sets the columns that its parameters name.
_SET_GAME = update(_GAME).where(_GAME.c.id == bindparam("of_game"))
_TOUCH_GAME = _SET_GAME.values(version=_GAME.c.version + 1)
_SET_SEAT = update(_SEAT).where(
    _SEAT.c.game_id == bindparam("of_game"), _SEAT.c.number == bindparam("of_number")
)
_TOUCH_SEAT = _SET_SEAT.values(version=_SEAT.c.version + 1)
_SET_MOVE = update(_MOVE).where(
    _MOVE.c.game_id == bindparam("of_game"), _MOVE.c.decision == bindparam("of_decision")
)
_FIRST_PICK = select(_MOVE.c.n, _MOVE.c.at, _MOVE.c.events).where(
    _MOVE.c.game_id == bindparam("of_game"), _MOVE.c.decision == bindparam("of_decision")
)
_CLOSE = (
    update(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("of_game"),
        _DECISION.c.id == bindparam("of_decision"),
        _DECISION.c.closed_at.is_(None),
    )
    .returning(*_DECISION.c[DecisionRow._fields])
)
_INSERT_MOVES = insert(_MOVE)
_INSERT_DECISIONS = insert(_DECISION)


class Written(NamedTuple):
    """A game after its moves were written."""

    version: int
    first: int  # number of the first of these moves
    state: object
    entries: list[Entry]  # of people's event logs, to be recorded


def open_decisions(game: GameType, state: object) -> dict[str, int]:
    """The decisions that a state asks, with their seats."""
    return {game.decision(state, seat): seat for seat in to_ask(game, state)}


def write_moves(
    loaded: LoadedGame, lines: Sequence[Line], at: datetime, present: datetime
) -> Written:
    """Write the lines that the engine played, with their consequences.

    The moves count as made at `at`; new decisions open at `present`. The caller records the events:
    people are locked last, after all decisions.
    """
    game, row = loaded.game, loaded.row
    state = lines[-1].state
    result = result_by_rules(game, state)
    outcome = None if result is None else result.as_json()
    version, first = row.version + 1, row.moves + 1
    ended: Json = {} if outcome is None else {"status": Status.finished, "ended_at": at, **NO_PAUSE}
    execute(
        _SET_GAME,
        {
            "of_game": row.id,
            "state": game.dump(state),
            "moves": row.moves + len(lines),
            "version": version,
            "outcome": outcome,
            "moved_at": at,
            "clocks_from": present,
            **ended,
        },
    )
    insert_moves(loaded, lines, first, at)
    opened = _move_decisions(loaded, open_decisions(game, loaded.state), lines, at, present)
    moved = {
        "version": version,
        "from": first,
        "to": row.moves + len(lines),
        "waiting_for": list(game.pending(state)),
    }
    entries = entries_for_all(loaded, "game.moved", moved) + decision_entries(opened)
    if outcome is not None:
        clear_votes(row.id)
        entries += finished_entries(loaded, outcome)
    return Written(version, first, state, entries)


def insert_moves(loaded: LoadedGame, lines: Sequence[Line], first: int, at: datetime) -> None:
    """Add lines to the log, numbered from `first` on."""
    rows = [
        {"game_id": loaded.row.id, "n": n, "at": at, **line_columns(loaded.game, line)}
        for n, line in enumerate(lines, start=first)
    ]
    if rows:
        execute(_INSERT_MOVES, rows)


def write_revision(loaded: LoadedGame, line: Line) -> tuple[int, datetime]:
    """Replace a pick that only its own seat can see by a changed one.

    Returns the number of the move and when it was first made: both stay, so that the change is
    invisible to others.
    """
    game_id = loaded.row.id
    execute(_SET_GAME, {"of_game": game_id, "state": loaded.game.dump(line.state)})
    assert all(event.get("seen_by") for event in line.events), "others could tell"
    known = {"of_game": game_id, "of_decision": line.decision}
    first = execute(_FIRST_PICK, known).one()
    # Events of the first pick that everybody saw stay.
    seen_by_all = [event for event in first.events if "seen_by" not in event]
    events = [*line.events, *seen_by_all]
    execute(_SET_MOVE, known | line_columns(loaded.game, line) | {"events": events})
    return first.n, first.at


def touch_seat(loaded: LoadedGame, seat: int, **values: object) -> None:
    """Set columns of a seat that only its player can see, and count its version."""
    execute(_TOUCH_SEAT, {"of_game": loaded.row.id, "of_number": seat, **values})


def set_seat(loaded: LoadedGame, seat: int, **values: object) -> None:
    """Set columns of a seat."""
    execute(_SET_SEAT, {"of_game": loaded.row.id, "of_number": seat, **values})


def touch_game(game_id: str, **values: object) -> None:
    """Set columns of a game that everybody at the table can see, and count its version."""
    execute(_TOUCH_GAME, {"of_game": game_id, **values})


def clear_votes(game_id: str) -> None:
    """Delete the votes to end or to pause a game: the game is over."""
    execute(
        update(Seat).where(Seat.game_id == game_id).values(wants_to_end=False, wants_pause=False)
    )


def close_decisions(game_id: str, at: datetime) -> None:
    """Close the open decisions of a game that ends without an answer to them."""
    _change_decisions(game_id, Decision.closed_at.is_(None), closed_at=at)


def give_to_bot(game_id: str, seat: int) -> None:
    """Leave the open decision of a seat to a bot."""
    _change_decisions(game_id, _open_of(seat), person_id=None, remind_at=None, **NO_TIME)


def ask_again(loaded: LoadedGame, number: int, at: datetime) -> list[Json]:
    """Ask the owner of a seat the open decision of its bot, as if it had opened now."""
    open_now = (Decision.game_id == loaded.row.id) & _open_of(number)
    decision = execute(select(Decision.id).where(open_now)).scalar_one_or_none()
    if decision is None:
        return []
    seat = loaded.seats[number]
    time = time_for(loaded.row, seat, at)
    asked = {"person_id": seat.person_id, "opened_at": at, **time}
    _change_decisions(loaded.row.id, _open_of(number), **asked)
    charge_absence(loaded, seat, time)
    return [{"game_id": loaded.row.id, "id": decision, "seat": number, **asked}]


def _open_of(seat: int) -> ColumnElement[bool]:
    return (Decision.seat == seat) & Decision.closed_at.is_(None)


def _change_decisions(game_id: str, which: ColumnElement[bool], **values: object) -> None:
    execute(update(Decision).where(Decision.game_id == game_id, which).values(**values))


def forget_unanswered(game_id: str) -> None:
    """Delete the decisions that an early end closed without an answer."""
    execute(delete(Decision).where(Decision.game_id == game_id, Decision.via.is_(None)))


def ask(
    loaded: LoadedGame,
    decisions: Mapping[str, int],
    changed: Mapping[int, SeatRow],
    at: datetime,
) -> list[Json]:
    """Open decisions with their clocks; the rows. A bot needs no time and gets no event.

    `changed` are the seats that differ from the loaded ones by now.
    """
    rows: list[Json] = []
    for decision, number in decisions.items():
        seat = changed.get(number, loaded.seats[number])
        time = time_for(loaded.row, seat, at)
        rows.append(
            {
                "game_id": loaded.row.id,
                "id": decision,
                "seat": number,
                "person_id": None if seat.bot else seat.person_id,
                "opened_at": at,
                **time,
            }
        )
        charge_absence(loaded, seat, time)
    if rows:
        execute(_INSERT_DECISIONS, rows)
    if any(row["person_id"] is None for row in rows):
        wake("bots")
    return rows


def charge_absence(loaded: LoadedGame, seat: SeatRow, time: Changes) -> None:
    """Charge the time that a decision has for announced absences to the seat's budget."""
    if time["stands"] is not None:
        used = seat.absence_used + absence_in(time["stands"])
        set_seat(loaded, seat.number, absence_used=used)


def _move_decisions(
    loaded: LoadedGame,
    before: dict[str, int],
    lines: Sequence[Line],
    at: datetime,
    present: datetime,
) -> list[Json]:
    """Close the decisions these lines answered, open those the game waits for now."""
    changed: dict[int, SeatRow] = {}
    for line in lines:
        if line.decision in before:
            known = {"of_game": loaded.row.id, "of_decision": line.decision}
            row = execute(_CLOSE, known | {"closed_at": at, "via": line.via}).one_or_none()
            closed = None if row is None else DecisionRow._make(row)
            # Only the first line is given now; the others are automatic or were planned in advance.
            changes = _after_line(loaded, line, closed, at, automatic=line is not lines[0])
            if changes:
                set_seat(loaded, line.seat, **changes)
                changed[line.seat] = loaded.seats[line.seat]._replace(**changes)
    after = open_decisions(loaded.game, lines[-1].state)
    new = {decision: seat for decision, seat in after.items() if decision not in before}
    return ask(loaded, new, changed, present)


def _after_line(
    loaded: LoadedGame, line: Line, closed: DecisionRow | None, at: datetime, automatic: bool
) -> Changes:
    """The changes of the seat that made a move; mostly none."""
    if closed is None or closed.person_id is None:
        return {}
    seat = loaded.seats[line.seat]
    changes = after_answer(loaded.row, seat, closed, at, automatic)
    if line.via == "player" and seat.misses:
        changes["misses"] = 0
    return changes


def decision_entries(opened: Sequence[Json]) -> list[Entry]:
    """The events of people for whom decisions opened."""
    return [
        Entry(
            row["person_id"],
            "decision.opened",
            row["game_id"],
            {"decision": row["id"], "seat": row["seat"], "due_at": row["due_at"]},
        )
        for row in opened
        if row["person_id"] is not None
    ]


def finished_entries(loaded: LoadedGame, outcome: Json) -> list[Entry]:
    return entries_for_all(loaded, "game.finished", {"outcome": outcome})


def entries_for_all(loaded: LoadedGame, kind: str, data: Json) -> list[Entry]:
    """An event for everybody at the table."""
    return [Entry(person, kind, loaded.row.id, data) for _, person in loaded.people]


def line_columns(game: GameType, line: Line) -> Json:
    """A line of the engine as the columns of its row."""
    return {
        "seat": line.seat,
        "decision": line.decision,
        "move": game.move_to_json(line.move),
        "via": line.via,
        "chance": draws_json(line.chance),
        "events": line.events,
        "scores": line.scores,
    }


def draws_json(chance: Sequence[Draw]) -> list[Json]:
    """Chance outcomes as they are stored, with the seats that may see them."""
    return [
        {"label": draw.label, "outcome": draw.outcome}
        | ({} if draw.seen_by is None else {"seen_by": draw.seen_by})
        for draw in chance
    ]
