"""Handlers of commands that play, confirm or take back moves."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update

from engine.contract import Json
from engine.registry import game_type_by_key
from service.access.games import SeatAccess
from service.core.errors import Problem
from service.db.models import Decision, Letter, Move
from service.db.session import db, execute
from service.games.choices import label_of
from service.games.loaded_game import load_game, must_run
from service.games.moves import Alternatives, answer
from service.games.undo import undo_step, was_withdrawn
from service.mail.inbound.command_types import Step
from service.mail.inbound.move_texts import earlier_move, move_name, played_texts
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer
from service.mail.inbound.seat_handlers import RESIGN, give_up_seat, own_row, take_seat_back

CONFIRMED = "confirmed"  # fact of a letter: the keys of the games in which "yes" was played


def play(writer: Writer, steps: Sequence[Step], asked: str | None = None) -> Done:
    """Play moves as the answer to a decision: `asked`, else that of the letter, else the open
    one."""
    access = writer.access()
    said: tuple[str, ...] = ()
    received_at: datetime | None = writer.received_at
    if own_row(access).away_since is not None:
        writer.must_be_known()
        said, received_at = (take_seat_back(writer),), None
        access = writer.access()
    decision, asked_at = asked or writer.asked.decision, writer.letter.sent_at
    if decision is None:
        decision, asked_at = _open_decision(writer, access, received_at), None
    game = game_type_by_key(access.game.game, access.game.rules)
    wanted = steps if writer.own_address else steps[:1]
    moves = [Alternatives(tuple(game.parse(text) for text in step)) for step in wanted]
    try:
        result = answer(access, decision, moves, writer.at, received_at, asked_at)
    except Problem as refused:
        why = _refused_move(writer, access, decision, refused, wanted[0])
        if said:  # the seat is taken back in any case
            return Done(said, stopped=why)
        raise why from refused
    texts = played_texts(writer, result)
    stopped = None if len(wanted) == len(steps) else NotDone("other_address")
    if result.stopped is not None:
        first_not_played = wanted[result.answered]
        stopped = _refused_move(writer, access, decision, result.stopped, first_not_played)
    return Done(texts.said + said, texts.happened, stopped=stopped, played=True)


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
        return _decided(writer, access, decision)
    move = step[0]
    return NotDone(refused.code, text=move, move=move_name(writer, move))


def _decided(writer: Writer, access: SeatAccess, decision: str) -> NotDone:
    """How a decision was answered that is not open any more, or that its player withdrew."""
    asked_at = writer.letter.sent_at
    if asked_at is not None and was_withdrawn(access.game.id, decision, asked_at):
        return NotDone("taken_back")
    move = _move_of(access.game.id, decision)
    if move is None or access.resigned:
        return NotDone("decision_closed")
    loaded = load_game(access.game, access.seats)
    happened = earlier_move(writer, loaded, access.seat, move)
    return NotDone(f"closed_by_{move.via}", happened=happened)


def _move_of(game_id: str, decision: str) -> Move | None:
    """The move that answered a decision."""
    moves = select(Move).where(Move.game_id == game_id, Move.decision == decision)
    return db.session.scalars(moves.execution_options(populate_existing=True)).one_or_none()


def confirm(writer: Writer) -> Done:
    """ "Yes" to a letter that asks whether a move was meant, or whether its reader resigns. The
    move is played once, also if the pick can be changed later."""
    if writer.asked.confirm == RESIGN:
        writer.must_be_known()
        return give_up_seat(writer, True)
    suggestion = _open_suggestion(writer)
    done = play(writer, [tuple(step) for step in suggestion["steps"]], suggestion["decision"])
    confirmed = [*_facts(writer).get(CONFIRMED, ()), writer.key]
    facts = _facts(writer) | {CONFIRMED: confirmed}
    execute(update(Letter).where(Letter.id == writer.letter.id).values(facts=facts))
    return done


def decline(writer: Writer) -> Done:
    """ "No" to such a letter."""
    if writer.asked.confirm == RESIGN:
        return Done((writer.say("You have not resigned; the game goes on."),))
    _open_suggestion(writer)
    return Done((writer.say("Nothing was played."),), show=("choices",))


def _open_suggestion(writer: Writer) -> Json:
    """The moves that a letter suggests, unless they were confirmed before."""
    suggestion = writer.asked.suggestion
    if suggestion is None:
        raise NotDone("nothing_to_confirm")
    access = writer.access()
    if writer.key in _facts(writer).get(CONFIRMED, ()):
        raise _decided(writer, access, suggestion["decision"])
    return suggestion


def _facts(writer: Writer) -> Json:
    """The facts of the letter as they are after the game was locked."""
    facts: Json = execute(select(Letter.facts).where(Letter.id == writer.letter.id)).scalar_one()
    return facts


def take_back(writer: Writer) -> Done:
    """Take back a step, or show the choices of a pick that may still be changed."""
    access = writer.access()
    loaded = load_game(access.game, access.seats)
    must_run(loaded)
    if access.resigned:
        raise NotDone("resigned")
    if access.seat not in loaded.game.revisable(loaded.state):
        return _undo(writer, access)
    played = _move_of(loaded.row.id, loaded.game.decision(loaded.state, access.seat))
    assert played is not None
    stands = writer.say("That stands until you choose something else; here is the list again.")
    chosen = earlier_move(writer, loaded, access.seat, played)
    return Done((chosen, stands), show=("choices",))


def _undo(writer: Writer, access: SeatAccess) -> Done:
    """Take back the last step of the turn; the answer asks its question again."""
    undone = undo_step(access, writer.at)
    line, loaded = undone.lines[0], undone.loaded
    label = label_of(loaded, loaded.state, undone.seat, line.move, writer.say.language)
    return Done((writer.say("Taken back: %(label)s.", label=label),), show=("choices",))
