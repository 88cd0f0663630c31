"""What a move leaves behind: its lines, the new state, decisions closed and opened, and events.

All of it is written in the transaction of the move, and the work is the same for the last move
of a game as for the first.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, bindparam, delete, insert, select, update

from engine.chance import Draw
from engine.contract import GameType, Json
from engine.play import Line, to_ask
from service.access.rows import DecisionRow
from service.core.worker_signal import wake
from service.db.models import Decision, Game, Move, Seat, Status
from service.db.session import AnyRow, db, execute, table
from service.games.decision_clock import NO_TIME, Changes, absence_in, after_answer, time_for
from service.games.loaded_game import LoadedGame
from service.games.results import result_by_rules
from service.notify.event_log import Entry

_GAME, _MOVE, _DECISION, _SEAT = (table(model) for model in (Game, Move, Decision, Seat))
_STORED: Mapping[str, BindParameter[Any]] = {
    "state": bindparam("new_state"),
    "moves": bindparam("new_moves"),
    "version": bindparam("new_version"),
    "status": bindparam("new_status"),
    "outcome": bindparam("new_outcome"),
    "moved_at": bindparam("moved"),
    "clocks_from": bindparam("present"),
    "ended_at": bindparam("end"),
}
NO_PAUSE: Mapping[str, None] = {"paused_at": None, "paused_until": None}
_OF_MOVED_GAME = update(_GAME).where(_GAME.c.id == bindparam("game_id"))
_STORE = _OF_MOVED_GAME.values(**_STORED)
_STORE_AT_END = _OF_MOVED_GAME.values(**_STORED, **NO_PAUSE)
_CLOSE = (
    update(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.id == bindparam("decision"),
        _DECISION.c.closed_at.is_(None),
    )
    .values(closed_at=bindparam("present"), via=bindparam("how"))
    .returning(*_DECISION.c[DecisionRow._fields])
)
_STORE_REVISED = (
    update(_GAME).where(_GAME.c.id == bindparam("game_id")).values(state=bindparam("new_state"))
)
_REPLACE = (
    update(_MOVE)
    .where(_MOVE.c.game_id == bindparam("game"), _MOVE.c.decision == bindparam("answered"))
    .values(
        move=bindparam("new_move"),
        via=bindparam("how"),
        chance=bindparam("new_chance"),
        events=bindparam("new_events"),
        scores=bindparam("new_scores"),
    )
)
_FIRST_PICK = select(_MOVE.c.n, _MOVE.c.at, _MOVE.c.events).where(
    _MOVE.c.game_id == bindparam("game"), _MOVE.c.decision == bindparam("answered")
)
_INSERT_MOVES = insert(_MOVE)
_INSERT_DECISIONS = insert(_DECISION)


class Written(NamedTuple):
    """How the game stands after moves were written down."""

    version: int
    first: int  # number of the first of these moves
    state: Any
    outcome: Json | None
    entries: list[Entry]  # what people are to be told of it


def open_decisions(game: GameType, state: Any) -> dict[str, int]:
    """The decisions that somebody has to be asked for, with their seats."""
    return {game.decision(state, seat): seat for seat in to_ask(game, state)}


def write_moves(
    loaded: LoadedGame, lines: Sequence[Line], at: datetime, present: datetime
) -> Written:
    """Write down lines that the door played, and everything that follows from them.

    The moves count as made at `at`; what they open is asked at `present`. Nobody is told here:
    people are locked last, when no decision is changed any more.
    """
    game, row = loaded.game, loaded.row
    state = lines[-1].state
    result = result_by_rules(game, state)
    outcome = None if result is None else result.as_json()
    version, first = row.version + 1, row.moves + 1
    execute(
        _STORE if outcome is None else _STORE_AT_END,
        {
            "game_id": row.id,
            "new_state": game.dump(state),
            "new_moves": row.moves + len(lines),
            "new_version": version,
            "new_status": Status.running if outcome is None else Status.finished,
            "new_outcome": outcome,
            "moved": at,
            "present": present,
            "end": None if outcome is None else at,
        },
    )
    execute(
        _INSERT_MOVES,
        [
            {"game_id": row.id, "n": n, "at": at, **line_columns(game, line)}
            for n, line in enumerate(lines, start=first)
        ],
    )
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
    return Written(version, first, state, outcome, entries)


def write_revision(loaded: LoadedGame, line: Line) -> tuple[int, datetime]:
    """Put a changed pick in the place of the old one, where only its own seat can see it.

    Returns the number of the move and when it was first made: nothing else changes, so that
    nobody can tell from outside that there was anything to change.
    """
    game_id = loaded.row.id
    execute(_STORE_REVISED, {"game_id": game_id, "new_state": loaded.game.dump(line.state)})
    assert all(event.get("seen_by") for event in line.events), "others could tell"
    known = {"game": game_id, "answered": line.decision}
    first = execute(_FIRST_PICK, known).one()
    # What all could see of the first pick happened, and goes on having happened.
    seen_by_all = [event for event in first.events if "seen_by" not in event]
    columns = line_columns(loaded.game, line)
    execute(
        _REPLACE,
        known
        | {
            "new_move": columns["move"],
            "how": columns["via"],
            "new_chance": columns["chance"],
            "new_events": [*line.events, *seen_by_all],
            "new_scores": columns["scores"],
        },
    )
    return first.n, first.at


def touch_seat(loaded: LoadedGame, seat: int, **values: Any) -> None:
    """Change something only this seat can see."""
    set_seat(loaded, seat, version=_SEAT.c.version + 1, **values)


def set_seat(loaded: LoadedGame, seat: int, **values: Any) -> None:
    """Change something of a seat."""
    mine = (_SEAT.c.game_id == loaded.row.id) & (_SEAT.c.number == seat)
    execute(update(_SEAT).where(mine).values(values))


def touch_game(game_id: str, **values: Any) -> None:
    """Change something everybody at the table can see."""
    execute(
        update(_GAME).where(_GAME.c.id == game_id).values(version=_GAME.c.version + 1, **values)
    )


_CLEAR_VOTES = (
    update(_SEAT)
    .where(_SEAT.c.game_id == bindparam("game"))
    .values(wants_to_end=False, wants_pause=False)
)


def clear_votes(game_id: str) -> None:
    """Forget who offered to end the game or wanted a pause: the game is over."""
    execute(_CLEAR_VOTES, {"game": game_id})


def close_decisions(game_id: str, at: datetime) -> None:
    """Close what is open in a game that ends without an answer to it."""
    _change_decisions(game_id, Decision.closed_at.is_(None), closed_at=at)


def give_to_bot(game_id: str, seat: int) -> None:
    """Leave the open decision of a seat to a bot."""
    of_seat = (Decision.seat == seat) & Decision.closed_at.is_(None)
    _change_decisions(game_id, of_seat, person_id=None, remind_at=None, **NO_TIME)


def ask_again(loaded: LoadedGame, number: int, at: datetime) -> list[Json]:
    """Ask the owner of a seat what its bot has not answered yet, as if it had opened now."""
    open_now = (Decision.seat == number) & Decision.closed_at.is_(None)
    decision = db.session.scalars(
        select(Decision.id).where(Decision.game_id == loaded.row.id, open_now)
    ).one_or_none()
    if decision is None:
        return []
    seat = loaded.seats[number]
    time = time_for(loaded.row, seat, at)
    asked = {"person_id": seat.person_id, "opened_at": at, **time}
    _change_decisions(loaded.row.id, open_now, **asked)
    charge_absence(loaded, seat, time)
    return [{"game_id": loaded.row.id, "id": decision, "seat": number, **asked}]


def _change_decisions(game_id: str, which: ColumnElement[bool], **values: Any) -> None:
    db.session.execute(
        update(Decision)
        .where(Decision.game_id == game_id, which)
        .values(**values)
        .execution_options(synchronize_session=False)
    )


def forget_unanswered(game_id: str) -> None:
    """Delete the decisions that an early end closed without an answer."""
    db.session.execute(
        delete(Decision)
        .where(Decision.game_id == game_id, Decision.via.is_(None))
        .execution_options(synchronize_session=False)
    )


def ask(
    loaded: LoadedGame,
    decisions: Mapping[str, int],
    changed: Mapping[int, AnyRow],
    at: datetime,
) -> list[Json]:
    """Open decisions with their clocks. A bot needs no time and is told nothing.

    `changed` are the seats that are no longer as in the sitting.
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


def charge_absence(loaded: LoadedGame, seat: AnyRow, time: Changes) -> None:
    """Take what a decision was given for announced absences from the seat's budget of them."""
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
    changed: dict[int, AnyRow] = {}
    for line in lines:
        if line.decision in before:
            closed = execute(
                _CLOSE,
                {"game": loaded.row.id, "decision": line.decision, "present": at, "how": line.via},
            ).one_or_none()
            # Only the first line answers; what follows from it was left in advance.
            changes = _after_line(loaded, line, closed, at, automatic=line is not lines[0])
            if changes:
                set_seat(loaded, line.seat, **changes)
                changed[line.seat] = loaded.seats[line.seat]._replace(**changes)
    after = open_decisions(loaded.game, lines[-1].state)
    new = {decision: seat for decision, seat in after.items() if decision not in before}
    return ask(loaded, new, changed, present)


def _after_line(
    loaded: LoadedGame, line: Line, closed: AnyRow | None, at: datetime, automatic: bool
) -> Changes:
    """What changes for the seat that made a move; mostly nothing."""
    if closed is None or closed.person_id is None:
        return {}
    seat = loaded.seats[line.seat]
    changes = after_answer(loaded.row, seat, closed, at, automatic)
    if line.via == "player" and seat.misses:
        changes["misses"] = 0
    return changes


def decision_entries(opened: Sequence[Json]) -> list[Entry]:
    """What people are told about decisions that opened for them."""
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
    """What everybody at the table is told."""
    return [Entry(person, kind, loaded.row.id, data) for _, person in loaded.people]


def line_columns(game: GameType, line: Line) -> Json:
    """A line of the door as the columns of its row."""
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
    """Chance outcomes as they are kept, with who may see them."""
    return [
        {"label": draw.label, "outcome": draw.outcome}
        | ({} if draw.seen_by is None else {"seen_by": draw.seen_by})
        for draw in chance
    ]
