"""What a move leaves behind: its lines, the new state, decisions closed and opened, and events.

All of it is written in the transaction of the move, and the work is the same for the last move
of a game as for the first.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update

from engine.chance import Draw
from engine.contract import AnyGame, Json, Outcome
from engine.door import Line, to_ask
from service.clocks import bank_after, due_at
from service.database import execute, run, run_each, table
from service.models import Decision, Game, Move, Seat, Status
from service.sitting import Sitting
from service.statements import Prepared, PreparedInsert
from service.telling import Entry, tell

_GAME, _MOVE, _DECISION, _SEAT = (table(model) for model in (Game, Move, Decision, Seat))
_STORE = Prepared(
    update(_GAME)
    .where(_GAME.c.id == bindparam("game_id"))
    .values(
        state=bindparam("new_state"),
        moves=bindparam("new_moves"),
        version=bindparam("new_version"),
        status=bindparam("new_status"),
        outcome=bindparam("new_outcome"),
        moved_at=bindparam("present"),
        ended_at=bindparam("end"),
    )
)
_CLOSE = Prepared(
    update(_DECISION)
    .where(
        _DECISION.c.game_id == bindparam("game"),
        _DECISION.c.id == bindparam("decision"),
        _DECISION.c.closed_at.is_(None),
    )
    .values(closed_at=bindparam("present"), via=bindparam("how"))
    .returning(_DECISION.c.due_at, _DECISION.c.person_id)
)
_STORE_REVISED = Prepared(
    update(_GAME).where(_GAME.c.id == bindparam("game_id")).values(state=bindparam("new_state"))
)
_REPLACE = Prepared(
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
_FIRST_PICK = Prepared(
    select(_MOVE.c.n, _MOVE.c.at, _MOVE.c.events).where(
        _MOVE.c.game_id == bindparam("game"), _MOVE.c.decision == bindparam("answered")
    )
)
_INSERT_MOVES = PreparedInsert(_MOVE, *_MOVE.c.keys())
_INSERT_DECISIONS = PreparedInsert(
    _DECISION, "game_id", "id", "seat", "person_id", "opened_at", "due_at"
)


class Written(NamedTuple):
    """How the game stands after moves were written down."""

    version: int
    first: int  # number of the first of these moves
    state: Any
    outcome: Outcome | None


def open_decisions(game: AnyGame, state: Any) -> dict[str, int]:
    """The decisions that somebody has to be asked for, with their seats."""
    return {game.decision(state, seat): seat for seat in to_ask(game, state)}


def write_moves(sitting: Sitting, lines: Sequence[Line], at: datetime) -> Written:
    """Write down lines that the door played, and everything that follows from them."""
    game, row = sitting.game, sitting.row
    state = lines[-1].state
    outcome = game.outcome(state)
    written = Written(row.version + 1, row.moves + 1, state, outcome)
    run(
        _STORE,
        {
            "game_id": row.id,
            "new_state": game.dump(state),
            "new_moves": row.moves + len(lines),
            "new_version": written.version,
            "new_status": Status.running if outcome is None else Status.finished,
            "new_outcome": outcome and outcome_json(outcome),
            "present": at,
            "end": None if outcome is None else at,
        },
    )
    run_each(
        _INSERT_MOVES,
        [
            {"game_id": row.id, "n": n, "at": at, **line_columns(game, line)}
            for n, line in enumerate(lines, start=written.first)
        ],
    )
    opened = _move_decisions(sitting, open_decisions(game, sitting.state), lines, at)
    _tell_moves(sitting, written, lines, opened, at)
    return written


def write_revision(sitting: Sitting, line: Line) -> tuple[int, datetime]:
    """Put a changed pick in the place of the old one, where only its own seat can see it.

    Returns the number of the move and when it was first made: nothing else changes, so that
    nobody can tell from outside that there was anything to change.
    """
    game_id = sitting.row.id
    run(_STORE_REVISED, {"game_id": game_id, "new_state": sitting.game.dump(line.state)})
    assert all(event.get("seen_by") for event in line.events), "others could tell"
    known = {"game": game_id, "answered": line.decision}
    first = run(_FIRST_PICK, known).one()
    # What all could see of the first pick happened, and goes on having happened.
    seen_by_all = [event for event in first.events if "seen_by" not in event]
    columns = line_columns(sitting.game, line)
    run(
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


def touch_seat(sitting: Sitting, seat: int, **values: Any) -> None:
    """Change something only this seat can see."""
    execute(
        update(_SEAT)
        .where(_SEAT.c.game_id == sitting.row.id, _SEAT.c.number == seat)
        .values(version=_SEAT.c.version + 1, **values)
    )


def touch_game(game_id: str, **values: Any) -> None:
    """Change something everybody at the table can see."""
    execute(
        update(_GAME).where(_GAME.c.id == game_id).values(version=_GAME.c.version + 1, **values)
    )


def ask(
    sitting: Sitting, decisions: Mapping[str, int], banks: Mapping[int, int], at: datetime
) -> list[Json]:
    """Open decisions with their clocks. A bot needs no time and is told nothing."""
    rows: list[Json] = []
    for decision, number in decisions.items():
        seat = sitting.seats[number]
        by_bot = seat.bot
        bank = banks.get(number, seat.bank)
        rows.append(
            {
                "game_id": sitting.row.id,
                "id": decision,
                "seat": number,
                "person_id": None if by_bot else seat.person_id,
                "opened_at": at,
                "due_at": None if by_bot else due_at(sitting.row.clock, bank, at),
            }
        )
    run_each(_INSERT_DECISIONS, rows)
    return rows


def _move_decisions(
    sitting: Sitting, before: dict[str, int], lines: Sequence[Line], at: datetime
) -> list[Json]:
    """Close the decisions these lines answered, open those the game waits for now."""
    answered = {line.decision: line for line in lines if line.decision in before}
    banks: dict[int, int] = {}
    for decision, line in answered.items():
        found = run(
            _CLOSE,
            {"game": sitting.row.id, "decision": decision, "present": at, "how": line.via},
        ).one_or_none()
        if found is not None and found.person_id is not None:
            left = bank_after(sitting.row.clock, found.due_at, at)
            if left is not None:
                banks[line.seat] = left
                _store_bank(sitting, line.seat, left)
    after = open_decisions(sitting.game, lines[-1].state)
    new = {decision: seat for decision, seat in after.items() if decision not in before}
    return ask(sitting, new, banks, at)


def _store_bank(sitting: Sitting, seat: int, left: int) -> None:
    execute(
        update(_SEAT)
        .where(_SEAT.c.game_id == sitting.row.id, _SEAT.c.number == seat)
        .values(bank=left)
    )


def _tell_moves(
    sitting: Sitting,
    written: Written,
    lines: Sequence[Line],
    opened: Sequence[Json],
    at: datetime,
) -> None:
    row = sitting.row
    moved = {
        "version": written.version,
        "from": written.first,
        "to": written.first + len(lines) - 1,
        "waiting_for": list(sitting.game.pending(written.state)),
    }
    entries = [Entry(person, "game.moved", row.id, moved) for _, person in sitting.people]
    entries += decision_entries(opened)
    if written.outcome is not None:
        entries += finished_entries(sitting, outcome_json(written.outcome))
    tell(entries, at)


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


def finished_entries(sitting: Sitting, outcome: Json) -> list[Entry]:
    return [
        Entry(person, "game.finished", sitting.row.id, {"outcome": outcome})
        for _, person in sitting.people
    ]


def outcome_json(outcome: Outcome) -> Json:
    return {
        "scores": list(outcome.scores),
        "winners": list(outcome.winners),
        "reason": outcome.reason,
    }


def line_columns(game: AnyGame, line: Line) -> Json:
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
