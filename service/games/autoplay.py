"""Autoplay: the moves of bots, and of players whose time is up."""

from datetime import datetime
from typing import Protocol

from sqlalchemy import bindparam, select

from engine import play, timeouts
from service.access.games import lock_game
from service.core.time_control import GRACE
from service.core.worker_signal import wake
from service.db.models import Decision
from service.db.session import execute, table
from service.games.agreements import settle_votes
from service.games.loaded_game import LoadedGame, load_game, with_seat
from service.games.moves import PlayedMoves
from service.games.persistence import give_to_bot, set_seat, touch_game, write_moves
from service.games.takeover import note_miss, presence_entries
from service.notify.event_log import record_events


class UnreadReply(Protocol):
    """Whether a reply of this person to this decision came in time and waits to be read."""

    def __call__(self, game_id: str, decision: str, person_id: str, until: datetime) -> bool: ...


_DECISION = table(Decision)
_STILL_OPEN = select(*_DECISION.c["seat", "person_id", "due_at"]).where(
    _DECISION.c.game_id == bindparam("game"),
    _DECISION.c.id == bindparam("decision"),
    _DECISION.c.closed_at.is_(None),
)


def answer_automatically(
    game_id: str, decision: str, at: datetime, unread_reply: UnreadReply
) -> PlayedMoves | None:
    """Play for a seat that a bot plays, or whose time is up; None if the decision is closed by now,
    or an unread mail may answer it.

    The service waits a little longer than the deadline: an answer that arrived in time counts.
    """
    loaded = load_game(lock_game(game_id))
    waiting = execute(_STILL_OPEN, {"game": game_id, "decision": decision}).one_or_none()
    if waiting is None or not loaded.running or loaded.frozen:
        return None
    seat = waiting.seat
    if waiting.person_id is None:
        move = timeouts.bot_move(loaded.game, loaded.state, seat)
        lines = play.play(loaded.game, loaded.state, loaded.seed, seat, decision, move, "bot").lines
    elif waiting.due_at is not None and waiting.due_at + GRACE <= at:
        if unread_reply(game_id, decision, waiting.person_id, waiting.due_at + GRACE):
            return None
        wishes = loaded.seats[seat].wishes
        lines = timeouts.play_for_absent(
            loaded.game, loaded.state, loaded.seed, seat, decision, wishes
        )
        loaded = note_miss(loaded, seat, at)
    else:
        return None
    written = write_moves(loaded, lines, at, at)
    result = PlayedMoves(
        loaded, seat, written.version, written.state, written.first, lines, at, 1, None
    )
    entries = written.entries
    if waiting.person_id is not None and loaded.seats[seat].away_since is not None:
        entries += presence_entries(loaded, seat) + settle_votes(game_id, at)
    record_events(entries, at)
    return result


def hand_to_bot(loaded: LoadedGame, number: int, at: datetime) -> None:
    """Let a bot keep a seat, with its open decision, until the owner takes it back."""
    seat = loaded.seats[number]
    if seat.bot or seat.resigned_at is not None:
        return
    changes = {"bot": True, "away_since": at, "wants_to_end": False, "wants_pause": False}
    set_seat(loaded, number, **changes)
    give_to_bot(loaded.row.id, number)
    touch_game(loaded.row.id)
    wake("bots")
    entries = presence_entries(with_seat(loaded, number, **changes), number)
    if not loaded.frozen:
        entries += settle_votes(loaded.row.id, at)
    record_events(entries, at)
