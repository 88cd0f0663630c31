"""Playing: every answer to a decision, whoever gives it, takes this way to the one door."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, update

from engine import absence, door
from engine.door import Line, Via
from engine.errors import MoveError
from service.access import SeatAccess, access_decided_game
from service.database import db
from service.ledger import (
    finished_entries,
    touch_game,
    touch_seat,
    write_moves,
    write_revision,
)
from service.models import Decision, Seat, Status
from service.problems import Refused
from service.sitting import Sitting, take_up
from service.telling import Entry, tell

MOST_MOVES_AT_ONCE = 20
BY_BOT: Via = "bot"
AGREED = "agreed"  # the reason of an outcome that the players agreed on


class Result(NamedTuple):
    """What came of an answer: the lines it became, and why the rest of it was not played."""

    sitting: Sitting
    seat: int
    version: int
    state: Any
    first: int
    lines: tuple[Line, ...]
    at: datetime
    stopped: Refused | None


def answer(access: SeatAccess, decision: str, moves: Sequence[Any], at: datetime) -> Result:
    """Play one move, or several in a row, for the seat of the caller.

    `decision` is what the first of them answers. Several are played one by one; the first that
    cannot be played stops them, and what was played before it stays.
    """
    if access.resigned:
        raise Refused("resigned", "You have resigned; a bot plays your seat to the end.")
    return _play(take_up(access.game, access.seats), access.seat, decision, moves, "player", at)


def answer_for_absent(game_id: str, decision: str, at: datetime) -> Result | None:
    """Play for a seat that a bot plays, or whose time is up; None if it was answered by now."""
    row = access_decided_game(game_id)
    sitting = take_up(row)
    open_row = db.session.execute(
        select(Decision.__table__).where(
            Decision.game_id == game_id, Decision.id == decision, Decision.closed_at.is_(None)
        )
    ).one_or_none()
    if open_row is None or not sitting.running:
        return None
    seat = open_row.seat
    if open_row.person_id is None:
        move, via = absence.bot_move(sitting.game, sitting.state, seat), BY_BOT
    elif open_row.due_at is not None and open_row.due_at <= at:
        wishes = sitting.seats[seat].wishes
        move, via = absence.timeout_move(sitting.game, sitting.state, seat, wishes)
    else:
        return None
    return _play(sitting, seat, decision, [move], via, at)


def _play(
    sitting: Sitting, seat: int, decision: str, moves: Sequence[Any], via: Via, at: datetime
) -> Result:
    """Through the door, then into the ledger."""
    _must_run(sitting)
    lines, stopped = _through_the_door(sitting, seat, decision, moves, via)
    if seat in sitting.game.revisable(sitting.state):
        (line,) = lines
        n, first_at = write_revision(sitting, line)
        touch_seat(sitting, seat)
        _tell_revision(sitting, seat, n, at)
        return Result(sitting, seat, sitting.row.version, line.state, n, lines, first_at, stopped)
    written = write_moves(sitting, lines, at)
    return Result(sitting, seat, written.version, written.state, written.first, lines, at, stopped)


def _through_the_door(
    sitting: Sitting, seat: int, decision: str, moves: Sequence[Any], via: Via
) -> tuple[tuple[Line, ...], Refused | None]:
    """The lines these moves become; raises what is wrong with the first of them."""
    game, state, seed = sitting.game, sitting.state, sitting.row.seed
    lines: tuple[Line, ...] = ()
    for number, move in enumerate(moves):
        try:
            if number:  # a later move answers what the seat is asked next, it takes nothing back
                door.check_pending(game, state, seat)
            played = door.play(game, state, seed, seat, None if number else decision, move, via)
        except MoveError as error:
            refusal = refused_move(sitting, state, seat, error)
            if not number:
                raise refusal from error
            return lines, refusal
        state, lines = played.state, lines + played.lines
    return lines, None


def refused_move(sitting: Sitting, state: Any, seat: int, error: MoveError) -> Refused:
    """A move the engine did not accept, with what the seat could do instead."""
    game = sitting.game
    asked = seat in game.pending(state) or seat in game.revisable(state)
    return Refused(
        error.code,
        error.sentence,
        more={
            "suggestions": list(error.suggestions),
            "decision": game.decision(state, seat) if asked else None,
        },
    )


def _must_run(sitting: Sitting) -> None:
    status = sitting.row.status
    if status == Status.finished:
        raise Refused("game_over", "The game is over; nothing more can be played.")
    if status != Status.running:
        raise Refused("not_running", f"The game is {status}; nothing can be played.")


def _tell_revision(sitting: Sitting, seat: int, n: int, at: datetime) -> None:
    """Only the seat itself hears of it, for its other devices."""
    person = sitting.seats[seat].person_id
    if person is not None:
        tell([Entry(person, "pick.changed", sitting.row.id, {"n": n})], at)


def leave_wishes(access: SeatAccess, wishes: object) -> tuple[str, ...]:
    """Keep a ranked list for the time when the seat's clock runs out; an empty one is none."""
    sitting = take_up(access.game, access.seats)
    _must_run(sitting)
    try:
        normal = sitting.game.read_wishes(wishes) if wishes else ()
    except MoveError as error:
        raise Refused(
            error.code,
            error.sentence,
            errors=[{"pointer": "/wishes", "detail": error.sentence}],
            more={"suggestions": list(error.suggestions)},
        ) from error
    touch_seat(sitting, access.seat, wishes=list(normal))
    return normal


def write_note(access: SeatAccess, text: str) -> None:
    """Keep a note for nobody else's eyes."""
    touch_seat(take_up(access.game, access.seats), access.seat, note=text)


def resign(access: SeatAccess, at: datetime) -> None:
    """Give the seat to a bot, for the rest of the game."""
    sitting = take_up(access.game, access.seats)
    _must_run(sitting)
    if access.resigned:
        raise Refused("resigned", "You have resigned already.")
    give_up(sitting, access.seat, at)


def give_up(sitting: Sitting, seat: int, at: datetime) -> None:
    """A player is gone for good: a bot plays on, unless all others wanted to end the game."""
    give_to_bot(sitting, seat, at, resigned_at=at, wants_to_end=False)
    _tell_all(sitting, "seat.resigned", {"seat": seat}, at)
    _end_if_agreed(sitting, at, without=seat)


def give_to_bot(sitting: Sitting, seat: int, at: datetime, **values: Any) -> None:
    """From now on a bot answers for this seat, what it is asked now included."""
    db.session.execute(
        update(Seat)
        .where(Seat.game_id == sitting.row.id, Seat.number == seat)
        .values(bot=True, **values)
        .execution_options(synchronize_session=False)
    )
    db.session.execute(
        update(Decision)
        .where(
            Decision.game_id == sitting.row.id,
            Decision.seat == seat,
            Decision.closed_at.is_(None),
        )
        .values(person_id=None, due_at=None)
        .execution_options(synchronize_session=False)
    )
    touch_game(sitting.row.id)


def offer_to_end(access: SeatAccess, at: datetime) -> bool:
    """Say that the game may end as it stands; it does when all people agree. Tells if it did."""
    sitting = take_up(access.game, access.seats)
    _must_run(sitting)
    if access.resigned:
        raise Refused("resigned", "You have resigned; the others decide.")
    if not sitting.seats[access.seat].wants_to_end:
        _set_offer(sitting, access.seat, True)
        _tell_all(sitting, "end.offered", {"seat": access.seat}, at)
    return _end_if_agreed(sitting, at, with_seat=access.seat)


def withdraw_offer(access: SeatAccess, at: datetime) -> None:
    """Take the offer to end back."""
    sitting = take_up(access.game, access.seats)
    _must_run(sitting)
    if sitting.seats[access.seat].wants_to_end:
        _set_offer(sitting, access.seat, False)
        _tell_all(sitting, "end.withdrawn", {"seat": access.seat}, at)


def _set_offer(sitting: Sitting, seat: int, wants: bool) -> None:
    db.session.execute(
        update(Seat)
        .where(Seat.game_id == sitting.row.id, Seat.number == seat)
        .values(wants_to_end=wants)
        .execution_options(synchronize_session=False)
    )
    touch_game(sitting.row.id)


def _end_if_agreed(
    sitting: Sitting, at: datetime, with_seat: int | None = None, without: int | None = None
) -> bool:
    """End the game if everybody who still plays it wants that."""
    playing = [seat for seat in sitting.seats if not seat.bot and seat.number != without]
    if not playing or not all(seat.wants_to_end or seat.number == with_seat for seat in playing):
        return False
    scores = list(sitting.game.scores(sitting.state))
    winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
    outcome = {"scores": scores, "winners": winners, "reason": AGREED}
    touch_game(sitting.row.id, status=Status.finished, outcome=outcome, ended_at=at)
    db.session.execute(
        update(Decision)
        .where(Decision.game_id == sitting.row.id, Decision.closed_at.is_(None))
        .values(closed_at=at)
        .execution_options(synchronize_session=False)
    )
    tell(finished_entries(sitting, outcome), at)
    return True


def _tell_all(sitting: Sitting, kind: str, data: dict[str, Any], at: datetime) -> None:
    tell([Entry(person, kind, sitting.row.id, data) for _, person in sitting.people], at)
