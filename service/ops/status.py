"""Status of the service: counts, queues, heartbeats, and warnings about them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, func, select

from service.db import heartbeats
from service.db.heartbeats import JobHeartbeat
from service.db.models import (
    Decision,
    Delivery,
    Game,
    GameAudit,
    Incoming,
    IncomingState,
    Letter,
    LetterState,
    Person,
    Status,
)
from service.db.models.events_webhooks import DeliveryState
from service.db.models.outgoing_mail import BACK_OFF
from service.db.server_clock import database_now
from service.db.session import db
from service.mail.outgoing.server_backoff import Outage, outages

LATE = timedelta(minutes=5)  # after which something due should have been done
RECENTLY = timedelta(days=1)
AUDITED_WITHIN = timedelta(days=7)


@dataclass(frozen=True)
class Decisions:
    """Open decisions, without those of frozen games, which wait for an operator."""

    open: int
    of_people: int
    of_bots: int
    overdue: int
    overdue_since: datetime | None
    bots_since: datetime | None


@dataclass(frozen=True)
class Outbox:
    """Letters, webhook deliveries or incoming mails, by state."""

    by_state: Mapping[str, int]
    due_since: datetime | None  # of the next attempt that is longest overdue
    died_lately: int


@dataclass(frozen=True)
class ServiceStatus:
    at: datetime
    games: Mapping[str, int]
    paused: int
    frozen: Sequence[str]
    decisions: Decisions
    letters: Outbox
    deliveries: Outbox
    incoming: Outbox
    mail_servers_away: Sequence[Outage]
    unreachable: int  # people to whom no mails are sent, because mails bounced
    jobs: Sequence[JobHeartbeat]
    wrong_clock: str | None = None  # a sentence about a worker that refuses to work
    oldest_audit: datetime | None = None  # of the running game that was audited longest ago


_FROZEN = select(Game.id).where(Game.status == Status.running, Game.frozen_at.is_not(None))


def service_status(at: datetime) -> ServiceStatus:
    """The status at this instant. A letter has no date of its death: it died at the latest when all
    attempts had been made."""
    letters_since = at - RECENTLY - sum(BACK_OFF, timedelta())
    states = dict.fromkeys(Status, 0) | _counted(Game.status)
    return ServiceStatus(
        at=at,
        games={str(state): count for state, count in states.items()},
        paused=_count(Game.paused_at.is_not(None), Game.status == Status.running),
        frozen=db.session.scalars(_FROZEN.order_by(Game.frozen_at, Game.id)).all(),
        decisions=_decisions(at),
        letters=_outbox(LetterState, Letter, at, Letter.created_at > letters_since),
        deliveries=_outbox(DeliveryState, Delivery, at, Delivery.tried_at > at - RECENTLY),
        incoming=_outbox(IncomingState, Incoming, at, Incoming.done_at > at - RECENTLY),
        mail_servers_away=outages(),
        unreachable=_unreachable(),
        jobs=heartbeats.job_heartbeats(database_now()),
        wrong_clock=heartbeats.wrong_clock(database_now()),
        oldest_audit=oldest_audit(),
    )


def _count(*which: ColumnElement[bool]) -> int:
    return db.session.execute(select(func.count()).select_from(Game).where(*which)).scalar_one()


def _counted(state: Any) -> dict[Any, int]:
    rows = db.session.execute(select(state, func.count()).group_by(state))
    return {row[0]: row[1] for row in rows}


def _decisions(at: datetime) -> Decisions:
    by_bot = Decision.person_id.is_(None)
    late = ~by_bot & (Decision.due_at <= at)
    found = db.session.execute(
        select(
            func.count(),
            func.count().filter(by_bot),
            func.count().filter(late),
            func.min(Decision.due_at).filter(late),
            func.min(Decision.opened_at).filter(by_bot),
        ).where(Decision.closed_at.is_(None), Decision.game_id.not_in(_FROZEN))
    ).one()
    everything, of_bots, overdue, overdue_since, bots_since = found
    return Decisions(everything, everything - of_bots, of_bots, overdue, overdue_since, bots_since)


def _outbox(
    states: type[StrEnum], model: Any, at: datetime, died_lately: ColumnElement[bool]
) -> Outbox:
    due = select(func.min(model.next_try_at)).where(model.next_try_at <= at)
    died = select(func.count()).select_from(model).where(model.state == "dead", died_lately)
    by_state = dict.fromkeys(states, 0) | _counted(model.state)
    return Outbox(
        {str(state): count for state, count in by_state.items()},
        db.session.scalar(due),
        db.session.execute(died).scalar_one(),
    )


def _unreachable() -> int:
    found = select(func.count()).select_from(Person).where(Person.unreachable_since.is_not(None))
    return db.session.execute(found).scalar_one()


def warnings_in(seen: ServiceStatus, expected: Sequence[str]) -> Iterator[str]:
    """Warnings for the operator, as sentences; `expected` are the jobs that should run."""
    at, decisions = seen.at, seen.decisions
    if _is_late(decisions.overdue_since, at):
        overdue = counted(decisions.overdue, "decision")
        yield f"{overdue} overdue. Is a worker consuming the queue 'deadlines'?"
    if _is_late(decisions.bots_since, at):
        waiting = counted(decisions.of_bots, "decision")
        yield f"{waiting} of bots not answered. Is a worker consuming the queue 'bots'?"
    if seen.frozen:
        yield f"{counted(len(seen.frozen), 'game')} frozen: see `laguna audit {seen.frozen[0]}`."
    for outage in seen.mail_servers_away:
        since = f"{outage.away_since:%Y-%m-%d %H:%M:%S} UTC"
        yield f"Mail server {outage.name} unreachable since {since}: {outage.error}."
    if not seen.mail_servers_away and _is_late(seen.letters.due_since, at):
        yield "Letters are overdue. Is a worker consuming the queue 'mail'?"
    if seen.letters.died_lately:
        dead = counted(seen.letters.died_lately, "letter")
        yield f"{dead} given up lately: see `laguna outbox list --state dead`."
    if _is_late(seen.deliveries.due_since, at):
        yield "Webhook deliveries are overdue. Is a worker consuming the queue 'webhooks'?"
    if _is_late(seen.incoming.due_since, at):
        yield "Incoming mails are not processed. Is a worker consuming the queue 'mail'?"
    if seen.incoming.died_lately:
        dead = counted(seen.incoming.died_lately, "incoming mail")
        yield f"{dead} set aside lately: see `laguna mail list --state dead`."
    if seen.oldest_audit is not None and at - seen.oldest_audit > AUDITED_WITHIN:
        yield (
            f"A running game was last audited at {seen.oldest_audit:%Y-%m-%d %H:%M} UTC. Is a "
            "worker consuming the queue 'upkeep', and is LAGUNA_AUDIT_SHARE large enough?"
        )
    if seen.wrong_clock is not None:
        yield seen.wrong_clock
    yield from missing_jobs(seen.jobs, expected)


def missing_jobs(jobs: Sequence[JobHeartbeat], expected: Sequence[str]) -> Iterator[str]:
    """Warnings about expected jobs that do not run."""
    known = {job.name: job for job in jobs}
    for name in expected:
        if name not in known:
            yield f"Job '{name}' has never run. Is a worker consuming its queue?"
        elif known[name].silent:
            yield f"Job '{name}' has not run since {known[name].at:%Y-%m-%d %H:%M:%S} UTC."


def counted(number: int, word: str) -> str:
    """`1 game` or `2 games`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _is_late(since: datetime | None, at: datetime) -> bool:
    return since is not None and at - since > LATE


def oldest_audit() -> datetime | None:
    """The oldest last audit of a running game; a game without one counts from its start. None if no
    game is running."""
    return db.session.execute(
        select(func.min(func.coalesce(GameAudit.at, Game.started_at)))
        .select_from(Game)
        .outerjoin(GameAudit, GameAudit.game_id == Game.id)
        .where(Game.status == Status.running, Game.frozen_at.is_(None))
    ).scalar_one()
