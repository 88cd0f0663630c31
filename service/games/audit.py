"""Auditing: is what is stored of a game what its seed and its moves lead to?

A game is played again and compared (`service.games.replay_check`). One that differs is frozen, so
that nobody plays on from a wrong position; all others go on. `service.games.repair` mends it.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import bindparam, select, update

from engine.errors import BadSetup
from service.db.models import Game, GameAudit, Person, Seat, Status
from service.db.session import db, error_fields, execute, is_transient, snapshot, table, transact
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
    """How a game was found."""

    game_id: str
    differences: tuple[Difference, ...]
    frozen: bool  # by this audit
    unknown: str | None = None  # why it could not be played again here

    @property
    def clean(self) -> bool:
        return not self.differences and self.unknown is None


def audit_game(game_id: str, at: datetime) -> Audit:
    """Compare one game with its log; a running one that differs is frozen.

    It is read at one instant and without a lock, since nearly all games are as they should be. What
    differs is looked at again under the lock of the game, before anything is said about it.
    Whatever is wrong with one game is told of this one, and keeps nobody from auditing others.
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

    None is audited twice within an hour. That it was its turn is written down first, so that a
    game which kills the process is not met again by every round.
    """
    games = transact(lambda: _next_games(at, most))
    for game_id in games:
        audit_game(game_id, at)
    return len(games)


def games_to_audit(finished: bool) -> list[str]:
    """The running games, and those that are over too if they are wanted, in the order of ids."""
    wanted = BEGUN if finished else (Status.running,)
    return list(
        db.session.scalars(select(Game.id).where(Game.status.in_(wanted)).order_by(Game.id))
    )


def _next_games(at: datetime, most: int) -> list[str]:
    games = list(
        db.session.scalars(
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
    )
    known = db.session.execute(
        update(GameAudit)
        .where(GameAudit.game_id.in_(games))
        .values(at=at)
        .returning(GameAudit.game_id)
        .execution_options(synchronize_session=False)
    ).scalars()
    new = set(games) - set(known)
    db.session.add_all(GameAudit(game_id=game_id, at=at) for game_id in sorted(new))
    return games


_GAME, _SEAT, _PERSON = table(Game), table(Seat), table(Person)
_STATUS_LOCKED = (
    select(*_GAME.c["status", "frozen_at"]).where(_GAME.c.id == bindparam("game")).with_for_update()
)
_AT_THE_TABLE = (
    select(_SEAT.c.person_id)
    .select_from(_SEAT.join(_PERSON, _PERSON.c.id == _SEAT.c.person_id))
    .where(_SEAT.c.game_id == bindparam("game"), _PERSON.c.deleted_at.is_(None))
    .order_by(_SEAT.c.number)
)


def _freeze(game_id: str, at: datetime) -> Audit:
    """Look again under the lock; freeze a running game that differs still.

    No more of it is read for that than any game has, or some could not be frozen.
    """
    row = execute(_STATUS_LOCKED, {"game": game_id}).one()
    differences = differences_in(read_stored(game_id))
    frozen = bool(differences) and row.status == Status.running and row.frozen_at is None
    if frozen:
        why = "; ".join(difference.place for difference in differences)
        touch_game(game_id, frozen_at=at, frozen_why=why[:LONGEST_WHY])
        people = execute(_AT_THE_TABLE, {"game": game_id})
        # what is wrong might give something away
        record_events([Entry(one.person_id, "game.frozen", game_id, {}) for one in people], at)
    return Audit(game_id, differences, frozen)
