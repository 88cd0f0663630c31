"""Views of a game for one viewer: position, log and record."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import bindparam, select

from engine import play
from engine.contract import Json
from engine.decisions import seat_view
from engine.early_end import early_outcome, ended_view
from engine.languages import ENGLISH
from engine.play import Line
from engine.record import (
    Sight,
    as_seen_by,
    everything,
    header_line,
    move_line,
    outcome_line,
    visible_events,
)
from service.access.games import GameAccess
from service.access.rows import GameRow, SeatRow
from service.core.errors import Problem
from service.core.i18n import translations_for
from service.core.time_control import longest_wait
from service.db.models import Decision, Game, Move, Status
from service.db.session import db, execute, table
from service.games.loaded_game import LoadedGame, load_game, must_not_be_frozen
from service.games.move_log import (
    applied,
    draws,
    moves_of,
    must_be_a_move,
    state_after,
    stored_line,
    undone_moves_of,
)
from service.games.results import ended_early, last_seat
from service.games.undoable import undoable_answer


def seat_json(seat: SeatRow) -> Json:
    if seat.person_id is None:
        kind = "bot" if seat.bot else "free"
    else:
        kind = "person" if seat.person_owner_id is None else "bot_account"
    return {
        "seat": seat.number,
        "name": seat.name,
        "kind": kind,
        "person": seat.person_id,
        "played_by_bot": seat.bot,
        "resigned": seat.resigned_at is not None,
        "away_since": seat.away_since,
        "unreachable": seat.person_unreachable_since is not None and seat.resigned_at is None,
        "wants_to_end": seat.wants_to_end,
        "wants_pause": seat.wants_pause,
    }


def summary_json(row: GameRow | Game, seats: Sequence[SeatRow], own_seat: int | None) -> Json:
    """A game without its position."""
    return {
        "id": row.id,
        "game": row.game,
        "rules": row.rules,
        "title": row.title,
        "status": row.status,
        "visibility": row.visibility,
        "seats": [seat_json(seat) for seat in seats],
        "free_seats": sum(seat.free for seat in seats),
        "options": row.options,
        "clock": row.clock,
        "host": row.host_id,
        "your_seat": own_seat,
        "moves": row.moves,
        "version": row.version,
        "rematch_of": row.rematch_of,
        "outcome": row.outcome,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "moved_at": row.moved_at,
        "paused_until": row.paused_until,
        "frozen": row.frozen_at is not None,
    }


def as_it_ended(loaded: LoadedGame, view: Json) -> Json:
    """A view of the last position with the result of an early end, if the game had one."""
    return ended_view(view, loaded.outcome) if ended_early(loaded.row.outcome) else view


def game_json(access: GameAccess, at: int | None = None, language: str = ENGLISH) -> Json:
    """The game as the caller may see it, now or after an earlier move.

    Of a frozen one no position is shown: it is wrong, or cannot even be read.
    """
    loaded, seat = load_game(access.game), access.seat
    row = loaded.row
    shown: Json = summary_json(row, loaded.seats, seat) | {
        "your_misses": None if seat is None else loaded.seats[seat].misses,
        "commitment": row.commitment,
        "seed": row.seed.hex() if row.status == Status.finished and row.seed else None,
        "at": at,
        "position": None,
        "waiting": None,
        "decision": None,
        "undoable": None,
    }
    if not loaded.begun:
        must_be_a_move(loaded, at or 0)
        return shown
    if loaded.frozen:
        return shown
    state = loaded.state if at is None else state_after(loaded, at)
    view = seat_view(loaded.game, state, seat, loaded.names, language)
    if at is None:
        view = as_it_ended(loaded, view)
    decision = view.pop("decision")
    shown["position"] = view
    if at is None and loaded.running:
        shown["waiting"] = _waiting(loaded)
        if decision is not None and seat is not None and not access.resigned:
            shown["decision"] = _asked(loaded, seat, view, decision, language)
            shown["undoable"] = _undoable(loaded, seat)
    return shown


def _undoable(loaded: LoadedGame, seat: int) -> Json | None:
    """The last answer of the viewer, if it may be taken back. Views are kept by version, hence with
    the end of that time and not only while it lasts."""
    found = undoable_answer(loaded, seat)
    if found is None:
        return None
    texts = [loaded.game.format(line.move) for line in found.lines]
    return {"decision": found.decision, "texts": texts, "until": found.until}


_DECISION, _MOVE = table(Decision), table(Move)
_OPEN_DECISION = select(_DECISION.c.opened_at, _DECISION.c.due_at).where(
    _DECISION.c.game_id == bindparam("game"), _DECISION.c.id == bindparam("decision")
)


_CHOSEN = select(_MOVE.c.move).where(
    _MOVE.c.game_id == bindparam("game"), _MOVE.c.decision == bindparam("decision")
)


def _chosen(loaded: LoadedGame, seat: int, decision: str, language: str) -> str:
    """The move that a seat has made and may still change, in words."""
    game, state = loaded.game, loaded.state
    found = execute(_CHOSEN, {"game": loaded.row.id, "decision": decision}).one()
    move = game.move_from_json(found.move)
    preview = game.preview(state, seat, move)
    return game.label(state, seat, move, preview, loaded.names, language)


def _asked(loaded: LoadedGame, seat: int, view: Json, decision: Json, language: str) -> Json:
    found = execute(
        _OPEN_DECISION, {"game": loaded.row.id, "decision": decision["id"]}
    ).one_or_none()
    question = loaded.game.question(view | {"decision": decision}, loaded.names, language)
    return {
        "id": decision["id"],
        "revising": decision["revising"],
        "question": question,
        "chosen": _chosen(loaded, seat, decision["id"], language) if decision["revising"] else None,
        "opened_at": found and found.opened_at,
        "due_at": found and found.due_at,
        "moves": decision["moves"],
    }


def _waiting(loaded: LoadedGame) -> Json:
    """The seats for which the game waits, from public facts: the clocks of others are secret, since
    they would reveal seats without a choice."""
    row, pending = loaded.row, list(loaded.game.pending(loaded.state))
    running = row.clocks_from if row.paused_at is None else None
    return {
        "seats": pending,
        "count": len(pending),
        "since": row.moved_at,
        "until": None if running is None else running + longest_wait(row.clock),
    }


def sight(loaded: LoadedGame, seat: int | None) -> Sight:
    """The viewer's sight of moves: everything once the game is over."""
    return everything if loaded.row.status == Status.finished else as_seen_by(seat)


def line_json(
    loaded: LoadedGame,
    viewer: int | None,
    n: int,
    line: Line,
    at: datetime,
    language: str = ENGLISH,
) -> Json:
    """A line of the log for one viewer, with sentences."""
    eyes = sight(loaded, viewer)
    events = visible_events(line.events, eyes)
    shown = eyes(loaded.game.move_seen_by(line.seat, line.move))
    return {
        "n": n,
        "seat": line.seat,
        "decision": line.decision,
        "move": loaded.game.move_to_json(line.move) if shown else None,
        "text": loaded.game.format(line.move) if shown else None,
        "via": line.via if shown else None,
        "events": events,
        "sentences": [loaded.game.sentence(event, loaded.names, language) for event in events],
        "scores": list(line.scores),
        "at": at,
    }


def log_json(
    access: GameAccess, after: int, limit: int, language: str = ENGLISH
) -> tuple[list[Json], bool]:
    """Lines of the log, and whether there are more."""
    loaded = load_game(access.game)
    must_not_be_frozen(loaded)
    last = min(after + limit, loaded.row.moves)
    lines = [
        line_json(loaded, access.seat, move.n, stored_line(loaded.game, move), move.at, language)
        for move in moves_of(loaded.row.id, after, last)
    ]
    return lines, last < loaded.row.moves


def undone_json(
    access: GameAccess, after: int, last: int | None, language: str = ENGLISH
) -> list[Json]:
    """The moves that were taken back, in the order of that, with numbers after `after` up to
    `last` (None: no limit). Of a secret one only its existence is shown."""
    loaded = load_game(access.game)
    must_not_be_frozen(loaded)
    game, eyes = loaded.game, sight(loaded, access.seat)
    found: list[Json] = []
    for undone in undone_moves_of(loaded.row.id, after, last):
        move = game.move_from_json(undone.move)
        shown = eyes(game.move_seen_by(undone.seat, move))
        events = visible_events(undone.events, eyes)
        sentences = [game.sentence(event, loaded.names, language) for event in events]
        found.append(
            {
                "n": undone.n,
                "seat": undone.seat,
                "decision": undone.decision,
                "move": undone.move if shown else None,
                "text": game.format(move) if shown else None,
                "sentences": sentences,
                "summary": _undone_words(loaded.names[undone.seat], sentences, language),
                "at": undone.at,
                "undone_at": undone.undone_at,
            }
        )
    return found


def _undone_words(name: str, sentences: Sequence[str], language: str) -> str:
    """A move that was taken back, in one line; of a secret one only that there was one."""
    gettext = translations_for(language).gettext
    if not sentences:
        return gettext("%(name)s took back a move.") % {"name": name}
    return gettext("Taken back: %(what)s") % {"what": " ".join(sentences)}


def record(access: GameAccess, with_legal: bool = False) -> Iterator[str]:
    """The record of a game so far, as the caller may know it."""
    loaded = load_game(access.game)
    must_have_begun(loaded)
    game, row = loaded.game, loaded.row
    ended = game.outcome(loaded.state)
    if ended is None and ended_early(row.outcome):
        ended = early_outcome(
            game, loaded.state, loaded.outcome["reason"], last_seat(loaded.outcome)
        )
    eyes = sight(loaded, access.seat)
    opening = db.session.execute(select(Game.opening).where(Game.id == row.id)).scalar_one() or {}
    yield header_line(game, row.seats, row.options, loaded.seed, draws(opening["chance"]), eyes)
    state = play.begin(game, row.seats, row.options, loaded.seed).start if with_legal else None
    for move in moves_of(row.id, 0, row.moves):
        legal = play.moves_json(game, state, move.seat) if with_legal else None
        yield move_line(game, move.n, stored_line(game, move), eyes, legal)
        state = applied(game, loaded.seed, state, move) if with_legal else None
    if ended is not None:
        yield outcome_line(ended)


def must_have_begun(loaded: LoadedGame) -> None:
    """Raise for a table, and for a frozen game."""
    if not loaded.begun:
        raise Problem("not_running", "The game has not begun.")
    must_not_be_frozen(loaded)
