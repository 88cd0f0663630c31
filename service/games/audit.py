"""Audit: compare stored games with a replay of their seeds and moves.

`service.games.replay_check` replays a game. One that differs is frozen, so that nobody plays on
from a wrong position, until `service.games.repair` repairs it.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import insert, select, update

from engine.errors import BadSetup
from service.db.models import Game, GameAudit, Person, Seat, Status
from service.db.session import db, error_fields, execute, is_transient, snapshot, transact
from service.games.persistence import touch_game
from service.games.replay_check import BEGUN, CannotMend, Difference, differences_in, read_stored
from service.notify.event_log import Entry, record_events

log = structlog.get_logger()

AUDITED = Counter("laguna_audited_games_total", "Games that were played again and compared")
DIFFERENCES = Counter(
    "laguna_audit_differences_total", "Games whose stored state is not what their moves lead to"
)
AGAIN_AFTER = timedelta(hours=1)
LONGEST_WHY = 200


class Audit(NamedTuple):
    """The result of auditing a game."""

    game_id: str
    differences: tuple[Difference, ...]
    frozen: bool  # by this audit
    unknown: str | None = None  # why it was not replayed here

    @property
    def clean(self) -> bool:
        return not self.differences and self.unknown is None


def audit_game(game_id: str, at: datetime) -> Audit:
    """Compare one game with its log; freeze a running one that differs.

    The game is read at one instant and without a lock, since nearly all games are right. One that
    differs is compared again under its lock. A failure concerns this game alone, unless it is
    transient.
    """
    try:
        audit = _audited(game_id, at)
    except CannotMend:
        raise
    except BadSetup as error:  # of a newer release, perhaps: nothing is known to be wrong
        log.error("game_not_audited", game=game_id, reason=str(error))
        return Audit(game_id, (), False, str(error))
    except Exception as error:
        if is_transient(error):
            raise
        log.error("game_not_audited", game=game_id, **error_fields(error))
        return Audit(game_id, (), False, "something else went wrong; the log says more")
    if audit.differences:
        DIFFERENCES.inc()
        log.critical(
            "audit_difference",
            game=game_id,
            frozen=audit.frozen,
            differences=[difference.place for difference in audit.differences[:10]],
        )
    return audit


def _audited(game_id: str, at: datetime) -> Audit:
    with snapshot():
        stored = read_stored(game_id)
    AUDITED.inc()
    if not differences_in(stored):
        return Audit(game_id, (), False)
    return transact(lambda: _freeze(game_id, at))


def audit_some(at: datetime, most: int) -> int:
    """Audit the running games that were audited longest ago; how many that were.

    None is audited twice within an hour. The audit is recorded first, so that a game which kills
    the process does not come first again.
    """
    games = transact(lambda: _next_games(at, most))
    for game_id in games:
        audit_game(game_id, at)
    return len(games)


def games_to_audit(finished: bool) -> list[str]:
    """The ids of running games, and of finished ones if they are wanted, in order."""
    wanted = BEGUN if finished else (Status.running,)
    return list(
        db.session.scalars(select(Game.id).where(Game.status.in_(wanted)).order_by(Game.id))
    )


def _next_games(at: datetime, most: int) -> list[str]:
    due = (
        select(Game.id)
        .outerjoin(GameAudit, GameAudit.game_id == Game.id)
        .where(
            Game.status == Status.running,
            Game.frozen_at.is_(None),
            GameAudit.at.is_(None) | (GameAudit.at <= at - AGAIN_AFTER),
        )
        .order_by(GameAudit.at.is_not(None), GameAudit.at, Game.id)
        .limit(most)
    )
    games = list(execute(due).scalars())
    audited = update(GameAudit).where(GameAudit.game_id.in_(games)).values(at=at)
    new = set(games) - set(execute(audited.returning(GameAudit.game_id)).scalars())
    if new:
        execute(insert(GameAudit), [{"game_id": game_id, "at": at} for game_id in sorted(new)])
    return games


def _freeze(game_id: str, at: datetime) -> Audit:
    """Compare again under the lock; freeze a running game that still differs.

    Only columns are read that every game has, or an unreadable one could not be frozen.
    """
    locked = select(Game.status, Game.frozen_at).where(Game.id == game_id).with_for_update()
    status, frozen_at = execute(locked).one()
    differences = differences_in(read_stored(game_id))
    frozen = bool(differences) and status == Status.running and frozen_at is None
    if frozen:
        why = "; ".join(difference.place for difference in differences)
        touch_game(game_id, frozen_at=at, frozen_why=why[:LONGEST_WHY])
        people = execute(
            select(Person.id)
            .join(Seat, Seat.person_id == Person.id)
            .where(Seat.game_id == game_id, Person.deleted_at.is_(None))
            .order_by(Seat.number)
        ).scalars()
        # Without the differences, which might reveal secrets.
        record_events([Entry(person, "game.frozen", game_id, {}) for person in people], at)
    return Audit(game_id, differences, frozen)
