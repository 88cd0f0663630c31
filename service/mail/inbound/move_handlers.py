"""Handlers of commands that play, or change a seat."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select

from engine.contract import Event
from engine.record import as_seen_by, visible_events
from engine.registry import game_type_by_key
from service.access.games import SeatAccess
from service.access.rows import SeatRow
from service.core.errors import Problem
from service.db.models import Decision, Move
from service.db.session import db
from service.games.agreements import resign
from service.games.loaded_game import LoadedGame, load_game, must_run
from service.games.moves import Alternatives, PlayedMoves, answer
from service.games.takeover import come_back
from service.mail.inbound.command_types import Step
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer

RESIGN = "resign"  # command that needs a confirmation


def play(writer: Writer, steps: tuple[Step, ...]) -> Done:
    access = writer.access()
    said: tuple[str, ...] = ()
    received_at: datetime | None = writer.received_at
    if own_row(access).away_since is not None:
        writer.must_be_known()
        said, received_at = (take_seat_back(writer),), None
        access = writer.access()
    decision = writer.letter.decision
    if decision is None:
        decision = _open_decision(writer, access, received_at)
    game = game_type_by_key(access.game.game, access.game.rules)
    wanted = steps if writer.own_address else steps[:1]
    moves = [Alternatives(tuple(game.parse(text) for text in step)) for step in wanted]
    try:
        result = answer(access, decision, moves, writer.at, received_at)
    except Problem as refused:
        why = _refused_move(writer, access, decision, refused, wanted[0])
        if said:  # the seat is taken back in any case
            return Done(said, stopped=why)
        raise why from refused
    said += _what_happened(writer, result)
    if result.stopped is not None:
        first_not_played = wanted[result.answered]
        why = _refused_move(writer, access, decision, result.stopped, first_not_played)
        return Done(said, stopped=why)
    return Done(said, stopped=None if wanted == steps else NotDone("other_address"))


def _open_decision(writer: Writer, access: SeatAccess, by: datetime | None) -> str:
    """The decision that a reply to a letter without a question answers: the open one, if it was
    open when the reply came."""
    writer.must_be_known()
    must_run(load_game(access.game, access.seats))
    decision = db.session.scalars(
        select(Decision).where(
            Decision.game_id == access.game.id,
            Decision.person_id == writer.person.id,
            Decision.closed_at.is_(None),
        )
    ).one_or_none()
    if decision is None or (by is not None and decision.opened_at > by):
        raise NotDone("nothing_asked")
    return decision.id


def _refused_move(
    writer: Writer, access: SeatAccess, decision: str, refused: Problem, step: Step
) -> NotDone:
    if refused.code == "decision_closed":
        move = _move_of(access.game.id, decision)
        if move is not None and not access.resigned:
            loaded = load_game(access.game, access.seats)
            happened = _move_words(writer, loaded, access.seat, move)
            return NotDone(f"closed_by_{move.via}", happened=happened)
    return NotDone(refused.code, text=step[0])


def _move_of(game_id: str, decision: str) -> Move | None:
    """The move that answered a decision."""
    moves = select(Move).where(Move.game_id == game_id, Move.decision == decision)
    return db.session.scalars(moves.execution_options(populate_existing=True)).one_or_none()


def _what_happened(writer: Writer, result: PlayedMoves) -> tuple[str, ...]:
    """Sentences about the moves up to the seat's last one; other letters tell of later ones."""
    say, game, seat = writer.say, result.loaded.game, result.seat
    own = [n for n, line in enumerate(result.lines) if line.seat == seat]
    until_last = result.lines[: own[-1] + 1]
    said: list[str] = []
    for line in until_last:
        played = line.move if line.seat == seat else None
        said += _sentences(writer, result.loaded, seat, line.events, played)
    if seat in game.revisable(result.state):
        said.append(say("Until everybody has chosen you can change that by another reply."))
    waiting = game.pending(result.state)
    if not waiting:
        said.append(say("With that the game is over; the result comes in a mail of its own."))
    elif seat not in waiting:
        names = ", ".join(result.loaded.names[other] for other in waiting)
        said.append(say("Now the game waits for %(names)s.", names=names))
    return tuple(said)


def _sentences(
    writer: Writer, loaded: LoadedGame, seat: int, events: Sequence[Event], move: Any
) -> list[str]:
    """Sentences about events, as a seat sees them, with the notation of its own move."""
    names, language = loaded.names, writer.say.language
    known = _without_echoes(visible_events(events, as_seen_by(seat)))
    said = [loaded.game.sentence(event, names, language) for event in known]
    if move is not None:
        said[:1] = [" ".join((*said[:1], f"[{loaded.game.format(move)}]"))]
    return said


def _without_echoes(events: Sequence[Event]) -> list[Event]:
    """The events without the public versions of those that only this seat sees."""
    secrets = [event for event in events if "seen_by" in event]

    def is_echo(event: Event) -> bool:
        facts = {name: fact for name, fact in event.items() if name != "type"}
        return bool(facts) and any(facts.items() <= secret.items() for secret in secrets)

    return [event for event in events if "seen_by" in event or not is_echo(event)]


def _move_words(writer: Writer, loaded: LoadedGame, seat: int, played: Move) -> str:
    """A sentence about an earlier move, without its consequences."""
    move = loaded.game.move_from_json(played.move)
    return _sentences(writer, loaded, seat, played.events, move)[0]


def own_row(access: SeatAccess) -> SeatRow:
    assert access.seats is not None
    return access.seats[access.seat]


def take_seat_back(writer: Writer) -> str:
    access = writer.access()
    come_back(access, writer.at)
    if own_row(access).away_since is None:
        return writer.say("Your seat is yours; no bot keeps it.")
    return writer.say("Welcome back: your seat is yours again.")


def show_choices_again(writer: Writer) -> Done:
    access = writer.access()
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned or access.seat not in loaded.game.revisable(loaded.state):
        raise NotDone("nothing_to_take_back")
    decision = loaded.game.decision(loaded.state, access.seat)
    played = _move_of(loaded.row.id, decision)
    assert played is not None
    stands = writer.say("That stands until you choose something else; here is the list again.")
    return Done((_move_words(writer, loaded, access.seat, played), stands), show=("choices",))


def give_up_seat(writer: Writer, confirmed: bool) -> Done:
    access = writer.access()
    loaded = load_game(access.game, access.seats)
    others = [loaded.seats[seat].name for seat in loaded.contenders if seat != access.seat]
    if confirmed and writer.letter.facts.get("confirm") == RESIGN:
        resign(access, writer.at)
        return Done((_resigned_words(writer, others),))
    must_run(loaded)
    if access.resigned:
        raise NotDone("resigned")
    return Done((_resign_question(writer, others),), confirm=RESIGN)


def _resigned_words(writer: Writer, others: Sequence[str]) -> str:
    if not others:
        return writer.say("You have ended the game; nobody won.")
    if len(others) == 1:
        return writer.say("You have resigned; %(name)s has won.", name=others[0])
    return writer.say("You have resigned; a bot plays your seat to the end.")


def _resign_question(writer: Writer, others: Sequence[str]) -> str:
    if not others:
        return writer.say(
            "Do you really want to end this game? Nobody would win it, and you cannot come back. "
            "If so, reply to this mail with 'resign yes'."
        )
    if len(others) == 1:
        return writer.say(
            "Do you really want to resign? %(name)s would win the game, and you cannot come back. "
            "If so, reply to this mail with 'resign yes'.",
            name=others[0],
        )
    return writer.say(
        "Do you really want to resign? A bot would play your seat to the end, and you cannot "
        "come back. If so, reply to this mail with 'resign yes'."
    )
